/** Notes where somebody is: in the browser shortly after a page has come to rest, at the server a little later. */
import type { ChapterDetail, MangaDetail } from '#lib/api';
import { places } from '#lib/state/places';

/** A page that is only passed was not read. */
const REST_MS = 700;
const HAND_OVER_MS = 1500;

export class Recorder {
	#waiting: (() => void) | null = null;
	#rest: ReturnType<typeof setTimeout> | undefined;
	#hand: ReturnType<typeof setTimeout> | undefined;

	constructor(readonly manga: MangaDetail) {}

	at(chapter: ChapterDetail, page: number): void {
		clearTimeout(this.#rest);
		this.#waiting = () => places.note(this.manga, chapter, page);
		this.#rest = setTimeout(() => this.#note(), REST_MS);
	}

	/** The reader is being left: nothing waits any longer, and the request outlives the page. */
	leave(): void {
		this.#note();
		clearTimeout(this.#hand);
		void places.handOver(true).catch(() => undefined);
	}

	#note(): void {
		clearTimeout(this.#rest);
		this.#waiting?.();
		this.#waiting = null;
		clearTimeout(this.#hand);
		// What cannot be handed over now is kept and goes with the next.
		this.#hand = setTimeout(() => void places.handOver().catch(() => undefined), HAND_OVER_MS);
	}
}
