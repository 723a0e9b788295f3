/** What keys and taps mean, given how a title reads. */
export type Direction = 'ltr' | 'rtl' | 'vertical';
export type Mode = 'single' | 'continuous';
export type Fit = 'width' | 'height' | 'original';

export type Act =
	| 'next'
	| 'previous'
	| 'first'
	| 'last'
	| 'nextChapter'
	| 'previousChapter'
	| 'mode'
	| 'fit'
	| 'help'
	| 'back';

const ALWAYS: Record<string, Act> = {
	n: 'nextChapter',
	p: 'previousChapter',
	m: 'mode',
	f: 'fit',
	'?': 'help',
	Escape: 'back'
};

const PAGED: Record<string, Act> = {
	j: 'next',
	k: 'previous',
	' ': 'next',
	PageDown: 'next',
	PageUp: 'previous',
	ArrowDown: 'next',
	ArrowUp: 'previous',
	Home: 'first',
	End: 'last'
};

/** In continuous mode the keys that scroll are left to the browser. */
export function actOf(key: string, mode: Mode, direction: Direction): Act | null {
	const always = ALWAYS[key];
	if (always) return always;
	if (mode === 'continuous') return null;
	if (key === 'ArrowRight') return direction === 'rtl' ? 'previous' : 'next';
	if (key === 'ArrowLeft') return direction === 'rtl' ? 'next' : 'previous';
	return PAGED[key] ?? null;
}

/** A tap on the left third, the right third or the middle (null: show the controls). */
export function tapped(x: number, width: number, direction: Direction): 'next' | 'previous' | null {
	if (x > width / 3 && x < (width * 2) / 3) return null;
	const right = x >= width / 2;
	return right === (direction !== 'rtl') ? 'next' : 'previous';
}

/** A swipe: the page follows the finger. */
export function swiped(dx: number, dy: number, direction: Direction): 'next' | 'previous' | null {
	if (Math.abs(dx) < 50 || Math.abs(dx) < Math.abs(dy) * 1.5) return null;
	return dx < 0 === (direction !== 'rtl') ? 'next' : 'previous';
}

/** Pages to hold ready around one, nearest first. */
export function around(page: number, count: number, ahead = 3, behind = 1): number[] {
	const found = [page];
	for (let step = 1; step <= ahead; step += 1) if (page + step <= count) found.push(page + step);
	for (let step = 1; step <= behind; step += 1) if (page - step >= 1) found.push(page - step);
	return found;
}
