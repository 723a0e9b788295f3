/** What has come into the library since its list was last taken. */
import { Live } from '#lib/state/live.svelte';

interface Standing {
	works: number;
	chapters: number;
	chapters_ready: number;
}

/** While a library fills, something comes every moment; the list is taken again at most this often. */
const CALM_MS = 2500;

export class News {
	/** New titles that are not shown yet; 0 with `any` set: something else has changed. */
	fresh = $state(0);
	any = $state(false);
	/** What the server said last; null before it did. */
	standing = $state.raw<Standing | null>(null);
	#shown: Standing | null = null;
	#pause: ReturnType<typeof setTimeout> | undefined;
	#live: Live;

	/**
	 * `settle`: take what is new into the list if that disturbs nobody; tells whether it did. `listed`: how many titles
	 * the list says there are, where it lists all of them: some may have come between it and the first event.
	 */
	constructor(
		readonly settle: () => boolean,
		readonly listed: () => number | null
	) {
		this.#live = new Live('library', { library: (data) => this.#heard(data as Standing) });
	}

	/** The list was taken again. */
	taken(): void {
		this.#shown = this.standing;
		this.fresh = 0;
		this.any = false;
	}

	stop(): void {
		clearTimeout(this.#pause);
		this.#live.stop();
	}

	#heard(now: Standing): void {
		this.standing = now;
		this.#shown ??= { ...now, works: this.listed() ?? now.works };
		this.fresh = Math.max(0, now.works - this.#shown.works);
		this.any = now.works !== this.#shown.works || now.chapters !== this.#shown.chapters;
		if (this.any) this.#pause ??= setTimeout(() => this.#offer(), CALM_MS);
	}

	#offer(): void {
		this.#pause = undefined;
		if (this.any && this.settle()) this.taken();
	}
}
