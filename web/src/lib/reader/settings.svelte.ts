/** How somebody likes to read: kept in this browser; mode and direction also per title. */
import { read, write } from '#lib/state/stored';
import type { Direction, Mode } from './keys';

const KEY = 'orihon.reader';
export const DIRECTIONS = ['ltr', 'rtl', 'vertical'] as const;
export const FITS = ['page', 'width', 'height', 'original'] as const;
/** In a strip pages follow each other, so that one alone on the screen is no choice: it is as high as the screen, at most. */
export const STRIP_FITS = ['width', 'height', 'original'] as const;
export const GAPS = [0, 8, 24, 64] as const;
export const DESKS = ['auto', 'paper', 'grey', 'black'] as const;

export type Fit = (typeof FITS)[number];
export type Desk = (typeof DESKS)[number];

interface ForTitle {
	mode?: Mode;
	direction?: Direction;
}

interface Kept {
	mode?: Mode;
	fit?: Fit;
	gap?: number;
	desk?: Desk;
	pause?: boolean;
	titles?: Record<string, ForTitle>;
}

/** `reads`: the direction that the title itself has. */
export class ReaderSettings {
	#kept = $state.raw<Kept>(read<Kept>(KEY, {}));

	constructor(
		readonly titleId: string,
		readonly reads: Direction
	) {}

	get #own(): ForTitle {
		return this.#kept.titles?.[this.titleId] ?? {};
	}
	get direction(): Direction {
		return this.#own.direction ?? this.reads;
	}
	get mode(): Mode {
		return this.#own.mode ?? (this.direction === 'vertical' ? 'continuous' : (this.#kept.mode ?? 'single'));
	}
	get fit(): Fit {
		const kept = this.#kept.fit ?? 'page';
		return this.fits.find((fit) => fit === kept) ?? (this.mode === 'continuous' ? 'height' : 'page');
	}
	/** The fits that the mode offers. */
	get fits(): readonly Fit[] {
		return this.mode === 'continuous' ? STRIP_FITS : FITS;
	}
	/** Pixels between pages in continuous mode; the strips of a vertical title join without one. */
	get gap(): number {
		return this.#kept.gap ?? (this.direction === 'vertical' ? 0 : 8);
	}
	get desk(): Desk {
		return this.#kept.desk ?? 'auto';
	}
	/** Whether reading stops at the end of a chapter. */
	get pause(): boolean {
		return this.#kept.pause ?? true;
	}
	/** This title is read in its own way. */
	get overridden(): boolean {
		return this.#own.mode !== undefined || this.#own.direction !== undefined;
	}

	set direction(direction: Direction) {
		this.#keep({ titles: this.#title({ ...this.#own, direction }) });
	}
	/** For this title; and for all, unless its kind asks for one mode. */
	set mode(mode: Mode) {
		const titles = this.#title({ ...this.#own, mode });
		this.#keep(this.direction === 'vertical' ? { titles } : { mode, titles });
	}
	set fit(fit: Fit) {
		this.#keep({ fit });
	}
	set gap(gap: number) {
		this.#keep({ gap });
	}
	set desk(desk: Desk) {
		this.#keep({ desk });
	}
	set pause(pause: boolean) {
		this.#keep({ pause });
	}
	nextFit(): void {
		this.fit = this.fits[(this.fits.indexOf(this.fit) + 1) % this.fits.length] as Fit;
	}
	reset(): void {
		this.#keep({ titles: this.#title({}) });
	}

	#title(own: ForTitle): Record<string, ForTitle> {
		return { ...this.#kept.titles, [this.titleId]: own };
	}
	#keep(change: Kept): void {
		this.#kept = { ...this.#kept, ...change };
		write(KEY, this.#kept);
	}
}
