/**
 * A way inside this app from an address that anybody may have made; the start page where it leads elsewhere.
 * Browsers drop tabs and line ends and read `\` as `/`, so `/\t/evil.example` would leave the origin.
 */
export function inside(said: string | null, origin: string): string {
	if (said === null || !said.startsWith('/') || /[\\\p{Cc}]/u.test(said)) return '/';
	try {
		const url = new URL(said, origin);
		const way = url.pathname + url.search + url.hash;
		// `/.//evil.example` is inside, but what it is shortened to is not.
		return url.origin === origin && !way.startsWith('//') ? way : '/';
	} catch {
		return '/';
	}
}
