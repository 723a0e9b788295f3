/** Which rows of a long grid are on screen, so that only those exist. */
export interface Slice {
	/** First row and the row after the last one. */
	first: number;
	end: number;
}

/** `above`: where the grid begins on the page, in pixels; `spare` rows are kept on both sides. */
export function visibleRows(
	scroll: number,
	viewport: number,
	above: number,
	rowHeight: number,
	rows: number,
	spare = 2
): Slice {
	if (rowHeight <= 0 || rows === 0) return { first: 0, end: 0 };
	const first = Math.floor((scroll - above) / rowHeight) - spare;
	const end = Math.ceil((scroll - above + viewport) / rowHeight) + spare;
	return { first: clamp(first, 0, rows), end: clamp(end, 0, rows) };
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

function clamp(value: number, low: number, high: number): number {
	return Math.min(Math.max(value, low), high);
}
