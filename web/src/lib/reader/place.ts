/** A place in a strip of boxes, exact to the pixel, that survives another width: the box under a line, and how far into it. */
export interface Spot {
	box: number;
	/** From 0, its top, to 1, its bottom. */
	into: number;
}

interface Box {
	top: number;
	bottom: number;
}

/** The box under `line`; boxes stand in order from top to bottom. `box(i)` measures one, so that few are measured. */
export function spotAt(line: number, count: number, box: (index: number) => Box): Spot {
	let [low, high] = [0, count - 1];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (box(middle).bottom > line) high = middle;
		else low = middle + 1;
	}
	const { top, bottom } = box(low);
	const into = bottom > top ? (line - top) / (bottom - top) : 0;
	return { box: low, into: Math.min(Math.max(into, 0), 1) };
}

/** How far to scroll so that the spot lies under `line` again. */
export function offTo(spot: Spot, line: number, { top, bottom }: Box): number {
	return top + (bottom - top) * spot.into - line;
}
