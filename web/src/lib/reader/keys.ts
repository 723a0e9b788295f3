/** What keys, taps and swipes mean, given how a title reads. */
export type Direction = 'ltr' | 'rtl' | 'vertical';
export type Mode = 'single' | 'continuous';

export type Act =
	| 'next'
	| 'previous'
	| 'down'
	| 'up'
	| 'first'
	| 'last'
	| 'nextChapter'
	| 'previousChapter'
	| 'mode'
	| 'fit'
	| 'controls'
	| 'help'
	| 'back';

const ALWAYS: Record<string, Act> = {
	n: 'nextChapter',
	p: 'previousChapter',
	m: 'mode',
	f: 'fit',
	c: 'controls',
	'?': 'help',
	Escape: 'back'
};

const SCROLLED: Record<string, Act> = { j: 'next', k: 'previous', ' ': 'down', PageDown: 'down', PageUp: 'up' };

const PAGED: Record<string, Act> = {
	j: 'next',
	k: 'previous',
	' ': 'down',
	PageDown: 'down',
	PageUp: 'up',
	ArrowDown: 'down',
	ArrowUp: 'up',
	Home: 'first',
	End: 'last'
};

/** In continuous mode arrows never turn pages: they, Space and the page keys scroll by a screen; only j and k go by pages. */
export function actOf(key: string, mode: Mode, direction: Direction, shift = false): Act | null {
	if (key === ' ' && shift) return 'up';
	const always = ALWAYS[key];
	if (always) return always;
	const sideways: readonly [Act, Act] = mode === 'continuous' ? ['down', 'up'] : ['next', 'previous'];
	const [on, back] = direction === 'rtl' ? [...sideways].reverse() : sideways;
	if (key === 'ArrowRight') return on ?? null;
	if (key === 'ArrowLeft') return back ?? null;
	return (mode === 'continuous' ? SCROLLED : PAGED)[key] ?? null;
}

/** A tap on the left or right third turns the page; in the middle (null) it shows the controls. */
export function tapped(x: number, width: number, direction: Direction): 'next' | 'previous' | null {
	if (x > width / 3 && x < (width * 2) / 3) return null;
	const right = x >= width / 2;
	return right === (direction !== 'rtl') ? 'next' : 'previous';
}

/** A swipe: the page follows the finger. */
export function swiped(dx: number, dy: number, direction: Direction): 'next' | 'previous' | null {
	if (Math.abs(dx) < 45 || Math.abs(dx) < Math.abs(dy) * 1.5) return null;
	return dx < 0 === (direction !== 'rtl') ? 'next' : 'previous';
}
