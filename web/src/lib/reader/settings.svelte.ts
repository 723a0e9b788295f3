/** How somebody likes to read: kept in this browser; mode and direction also per title. */
import type { Direction, Fit, Mode } from './keys';

const KEY = 'orihon.reader';
const FITS: Fit[] = ['width', 'height', 'original'];
const GAPS = [0, 8, 24, 64];

interface Stored {
	mode?: Mode;
	fit?: Fit;
	gap?: number;
	titles?: Record<string, { mode?: Mode; direction?: Direction }>;
}

function stored(): Stored {
	try {
		return (JSON.parse(localStorage.getItem(KEY) ?? '{}') ?? {}) as Stored;
	} catch {
		return {};
	}
}

export class ReaderSettings {
	#held = $state<Stored>(stored());

	constructor(
		readonly titleId: string,
		readonly reads: Direction
	) {}

	get #own() {
		return this.#held.titles?.[this.titleId] ?? {};
	}
	get direction(): Direction {
		return this.#own.direction ?? this.reads;
	}
	get mode(): Mode {
		return this.#own.mode ?? (this.direction === 'vertical' ? 'continuous' : (this.#held.mode ?? 'single'));
	}
	get fit(): Fit {
		return this.#held.fit ?? 'height';
	}
	get gap(): number {
		return this.#held.gap ?? (this.direction === 'vertical' ? 0 : 8);
	}
	readonly gaps = GAPS;
	readonly fits = FITS;

	setMode(mode: Mode): void {
		const everywhere = this.reads === 'vertical' ? {} : { mode };
		this.#save({ ...this.#held, ...everywhere, titles: this.#titles({ mode }) });
	}
	setDirection(direction: Direction): void {
		this.#save({ ...this.#held, titles: this.#titles({ direction }) });
	}
	setFit(fit: Fit): void {
		this.#save({ ...this.#held, fit });
	}
	setGap(gap: number): void {
		this.#save({ ...this.#held, gap });
	}
	nextFit(): void {
		this.setFit(FITS[(FITS.indexOf(this.fit) + 1) % FITS.length] as Fit);
	}

	#titles(change: { mode?: Mode; direction?: Direction }) {
		return { ...this.#held.titles, [this.titleId]: { ...this.#own, ...change } };
	}
	#save(value: Stored): void {
		this.#held = JSON.parse(JSON.stringify(value)) as Stored;
		localStorage.setItem(KEY, JSON.stringify(this.#held));
	}
}
