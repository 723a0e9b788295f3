/** Values kept in this browser. A browser that keeps nothing, or something else, is no reason to fail. */
export function read<T>(key: string, fallback: T, from: () => Storage = () => localStorage): T {
	try {
		return (JSON.parse(from().getItem(key) ?? 'null') as T | null) ?? fallback;
	} catch {
		return fallback;
	}
}

export function write(key: string, value: unknown, to: () => Storage = () => localStorage): void {
	try {
		to().setItem(key, JSON.stringify(value));
	} catch {
		// Storage is off or full: it holds for this visit.
	}
}
