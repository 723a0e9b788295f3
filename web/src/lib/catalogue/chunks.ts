/** Which parts of a long list to ask for, and which to let go. */

/** Titles in one request. */
export const CHUNK = 60;
/** Chunks on each side of the window that stay in memory. */
const KEPT = 15;

export function chunksOf(first: number, end: number): number[] {
	if (end <= first) return [];
	const from = Math.floor(first / CHUNK);
	return Array.from({ length: Math.floor((end - 1) / CHUNK) - from + 1 }, (_, step) => from + step);
}

export function tooFar(chunk: number, first: number, end: number): boolean {
	const near = chunksOf(first, end);
	return near.length > 0 && (chunk < (near[0] as number) - KEPT || chunk > (near.at(-1) as number) + KEPT);
}

/** How long the list is, as far as is known: `total` when the server counts, else one chunk more than was seen. */
export function lengthOf(total: number | null, chunks: Iterable<[number, { length: number }]>, last: number | null): number {
	if (total !== null) return total;
	let seen = 0;
	for (const [index, cards] of chunks) seen = Math.max(seen, index * CHUNK + cards.length);
	return last === null ? seen + CHUNK : seen;
}
