/** Whether the server answers. One place notices, one banner says so, and everything is asked again when it is back. */
const ASK_AGAIN_MS = 2500;

let down = $state(false);
let asking: ReturnType<typeof setTimeout> | undefined;
const waiting = new Set<() => void>();

async function ask(): Promise<void> {
	try {
		const answer = await fetch('/api/v1/health', { cache: 'no-store' });
		if (answer.ok) return connection.found();
	} catch {
		// Still away.
	}
	asking = setTimeout(ask, ASK_AGAIN_MS);
}

export const connection = {
	get down(): boolean {
		return down;
	},
	lost(): void {
		if (down) return;
		down = true;
		asking = setTimeout(ask, ASK_AGAIN_MS);
	},
	found(): void {
		if (!down) return;
		down = false;
		clearTimeout(asking);
		for (const listener of [...waiting]) listener();
	},
	/** Call `listener` each time the server is back. Returns how to stop that. */
	onBack(listener: () => void): () => void {
		waiting.add(listener);
		return () => waiting.delete(listener);
	}
};
