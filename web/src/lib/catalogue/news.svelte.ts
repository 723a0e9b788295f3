/** What has come into the library since its list was last taken. */
import type { Kind } from './query';
import { Live } from '#lib/state/live.svelte';

interface Standing {
	/** Of every kind; `feeds` of them are creators. */
	works: number;
	feeds: number;
	chapters: number;
	chapters_ready: number;
}

interface Seen {
	kind: Kind;
	works: number;
	chapters: number;
}

/** While a library fills, something comes every moment; the list is taken again at most this often. */
const CALM_MS = 2500;

export class News {
	/** New titles that are not shown yet; 0 with `any` set: something else has changed. */
	fresh = $state(0);
	any = $state(false);
	/** What the server said last of the kind that is shown, and what the list shows; null before. */
	#standing: Seen | null = null;
	#shown: Seen | null = null;
	#pause: ReturnType<typeof setTimeout> | undefined;
	#live: Live;

	/**
	 * `settle`: take what is new into the list if that disturbs nobody; tells whether it did. `listed`: how many titles
	 * the list says there are, where it lists all of them: some may have come between it and the first event.
	 */
	constructor(
		readonly settle: () => boolean,
		readonly kind: () => Kind,
		readonly listed: () => number | null
	) {
		this.#live = new Live('library', { library: (data) => this.#heard(data as Standing) });
	}

	/** The list was taken again. */
	taken(): void {
		this.#shown = this.#standing;
		this.fresh = 0;
		this.any = false;
	}

	stop(): void {
		clearTimeout(this.#pause);
		this.#live.stop();
	}

	#heard(now: Standing): void {
		const kind = this.kind();
		const works = kind === 'feed' ? now.feeds : now.works - now.feeds;
		if (this.#shown?.kind !== kind) this.#shown = { kind, works: this.listed() ?? works, chapters: now.chapters };
		this.#standing = { kind, works, chapters: now.chapters };
		this.fresh = Math.max(0, works - this.#shown.works);
		this.any = works !== this.#shown.works || now.chapters !== this.#shown.chapters;
		if (this.any) this.#pause ??= setTimeout(() => this.#offer(), CALM_MS);
	}

	#offer(): void {
		this.#pause = undefined;
		if (this.any && this.settle()) this.taken();
	}
}
