/** Which rows of a long list are on screen, so that only those exist. Pixels everywhere. */
export interface Slice {
	/** First row, and the row after the last one. */
	first: number;
	end: number;
}

/** `top`: how far the window has gone into the list; `spare` rows are kept on both sides. */
export function visibleRows(top: number, viewport: number, rowHeight: number, rows: number, spare: number): Slice {
	if (rowHeight <= 0 || rows === 0) return { first: 0, end: 0 };
	const first = Math.floor(top / rowHeight) - spare;
	const end = Math.ceil((top + viewport) / rowHeight) + spare;
	return { first: clamp(first, 0, rows), end: clamp(end, 0, rows) };
}

/** Browsers lay out nothing beyond 17 to 33 million pixels; a list that is taller is shown on a shorter scale. */
export const TALLEST = 12_000_000;

/**
 * Where in a list of `height` a box of at most `TALLEST` stands when it is scrolled to `top`, given where it stood
 * before. Small steps are one to one; a jump, and both ends, go by proportion, so that every row can be reached.
 */
export function onScale(top: number, height: number, viewport: number, before: { top: number; shift: number }): { top: number; shift: number } {
	if (height <= TALLEST) return { top, shift: 0 };
	const [room, whole] = [TALLEST - viewport, height - viewport];
	const stepped = top + before.shift;
	const small = Math.abs(top - before.top) < viewport * 2 && top > viewport && top < room - viewport;
	const there = small ? clamp(stepped, 0, whole) : clamp((top / room) * whole, 0, whole);
	return { top, shift: there - top };
}

export function columnsFor(width: number, least: number, gap: number): number {
	return Math.max(2, Math.floor((width + gap) / (least + gap)));
}

/** Where an arrow key leads in a grid; stays where there is no neighbour. */
export function neighbour(index: number, key: string, columns: number, count: number): number {
	const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[key];
	if (key === 'Home') return 0;
	if (key === 'End') return count - 1;
	if (step === undefined) return index;
	const next = index + step;
	return next < 0 || next >= count ? index : next;
}

export function clamp(value: number, low: number, high: number): number {
	return Math.min(Math.max(value, low), high);
}
