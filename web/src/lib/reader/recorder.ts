/** Notes where somebody is: in the browser at every turn, at the server every few moments, also while pages are turned fast. */
import type { ChapterDetail, MangaDetail } from '#lib/api';
import { places } from '#lib/state/places';

/** The server is never further behind than this, and is not asked more often. */
export const HAND_OVER_MS = 2000;

export class Recorder {
	#hand: ReturnType<typeof setTimeout> | undefined;

	constructor(
		readonly manga: MangaDetail,
		readonly kept: Pick<typeof places, 'note' | 'handOver'> = places
	) {}

	at(chapter: ChapterDetail, page: number): void {
		this.kept.note(this.manga, chapter, page);
		// Turning on does not put it off: a browser may be gone at any moment.
		this.#hand ??= setTimeout(() => this.#handOver(), HAND_OVER_MS);
	}

	/** The reader is being left: nothing waits any longer, and the request outlives the page. */
	leave(): void {
		this.#handOver(true);
	}

	#handOver(leaving = false): void {
		clearTimeout(this.#hand);
		this.#hand = undefined;
		// What cannot be handed over now is kept and goes with the next.
		void this.kept.handOver(leaving).catch(() => undefined);
	}
}
