/** Where turning a page leads. */
export interface Standing {
	page: number;
	count: number;
	/** The leaf behind the last page is shown: the end of the chapter. */
	ended: boolean;
	/** Stop there even when the next chapter is at hand. */
	pause: boolean;
	/** The next chapter is there to be read. */
	next: boolean;
	previous: boolean;
}

export type Turn = { to: 'page'; page: number } | { to: 'end' } | { to: 'next' } | { to: 'previous' } | { to: 'nowhere' };

export function turn(step: 1 | -1, at: Standing): Turn {
	if (step === 1) {
		if (at.ended) return at.next ? { to: 'next' } : { to: 'nowhere' };
		if (at.page < at.count) return { to: 'page', page: at.page + 1 };
		return at.pause || !at.next ? { to: 'end' } : { to: 'next' };
	}
	if (at.ended && at.count > 0) return { to: 'page', page: at.count };
	if (at.page > 1) return { to: 'page', page: at.page - 1 };
	return at.previous ? { to: 'previous' } : { to: 'nowhere' };
}

/** A page that an address asks for: a number inside the chapter, or `last`. */
export function pageOf(said: string | null, count: number): number {
	if (said === 'last') return Math.max(1, count);
	const page = Number(said);
	return Number.isInteger(page) && page >= 1 ? Math.min(page, Math.max(1, count)) : 1;
}

/**
 * Which pages to hold ready, decoded, around the one that is shown: three ahead and one behind, over the borders of
 * the chapter. `sizes`: page counts of the chapters side by side, `chapter` the one being read.
 */
export function around(sizes: number[], chapter: number, page: number, ahead = 3, behind = 1): { chapter: number; page: number }[] {
	const found = [{ chapter, page }];
	let [at, next] = [chapter, page];
	for (let step = 0; step < ahead; step += 1) {
		next += 1;
		if (next > (sizes[at] ?? 0)) [at, next] = [at + 1, 1];
		if (next > (sizes[at] ?? 0)) break;
		found.push({ chapter: at, page: next });
	}
	[at, next] = [chapter, page];
	for (let step = 0; step < behind; step += 1) {
		next -= 1;
		if (next < 1) [at, next] = [at - 1, sizes[at - 1] ?? 0];
		if (next < 1) break;
		found.push({ chapter: at, page: next });
	}
	return found;
}
