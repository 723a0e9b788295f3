/** The title being read: the chapters that are open side by side, and the place in them. */
import type { MangaDetail } from '#lib/api';
import { pageless, wordy } from '#lib/post/post';
import { open, type Opened } from './opened';
import type { ReaderSettings } from './settings.svelte';
import { turn, type Standing } from './turn';

/** So near to the end of a chapter, the next one is opened behind it. */
const NEAR = 4;

export class Book {
	/** Neighbouring chapters in reading order. */
	strip = $state.raw<Opened[]>([]);
	/** The chapter being read, as an index into `strip`. */
	index = $state(0);
	page = $state(1);
	/** The leaf behind the last page: the end of the chapter. */
	ended = $state(false);
	/** A chapter is being opened that somebody waits for. */
	busy = $state(false);
	failure = $state<unknown>(null);
	/** Counts the moves that were asked for, by keys, taps or the slider, and not made by scrolling. */
	moves = $state(0);
	#joining = new Map<string, Promise<boolean>>();

	readonly here = $derived(this.strip[this.index] as Opened);
	readonly count = $derived(this.here.pages.length);

	constructor(
		readonly manga: MangaDetail,
		first: Opened,
		page: number,
		readonly settings: ReaderSettings
	) {
		this.strip = [first];
		this.page = page;
	}

	get address(): string {
		return `/read/${this.manga.id}/${this.here.chapter.id}?page=${this.page}`;
	}

	turn(step: 1 | -1): void {
		const to = turn(step, this.#standing);
		if (to.to === 'page') this.go(to.page);
		else if (to.to === 'end') this.#move(() => (this.ended = true));
		else if (to.to === 'next') void this.enter(1);
		else if (to.to === 'previous') void this.enter(-1, 'last');
	}

	go(page: number, index = this.index): void {
		this.#move(() => {
			this.index = index;
			this.page = Math.min(Math.max(1, page), Math.max(1, this.count));
			this.ended = false;
		});
	}

	/** Into the next or the previous chapter; where there is none, the end of this one. */
	async enter(step: 1 | -1, page: 'first' | 'last' = 'first'): Promise<void> {
		if (!this.#neighbour(step)) {
			if (step === 1) this.#move(() => (this.ended = true));
			return;
		}
		const from = this.here;
		if (!this.strip[this.index + step] && !(await this.#awaited(step))) return;
		if (this.here !== from) return;
		const there = this.strip[this.index + step];
		if (there) this.go(page === 'last' ? Math.max(1, there.pages.length) : 1, this.index + step);
		this.#trim();
	}

	/** Scrolling has come to this page, or to the end behind it. */
	seen(index: number, page: number, ended = false): void {
		this.index = index;
		this.page = page;
		this.ended = ended;
	}

	/** Have the neighbours ready before they are asked for. */
	prepare(): void {
		const near = (this.count > 0 || pageless(this.here)) && (this.ended || this.page > this.count - NEAR);
		if (near && this.here.chapter.next?.state === 'ready') void this.#join(1).catch(() => undefined);
		// A chapter above the strip would push down what is being read.
		const first = this.page <= 2 && this.settings.mode === 'single';
		if (first && this.here.chapter.previous?.state === 'ready') void this.#join(-1).catch(() => undefined);
	}

	/** Another address was opened than the one this book has moved to. */
	visit(opened: Opened, page: number): void {
		if (opened.chapter.id === this.here.chapter.id) return;
		this.strip = [opened];
		this.go(page, 0);
	}

	/** Ask again for a chapter: it may have been fetched, or have a next one by now. */
	async renew(before: Opened = this.here): Promise<void> {
		const now = await open(this.manga.id, before.chapter.id, true);
		this.strip = this.strip.map((opened) => (opened.chapter.id === now.chapter.id ? now : opened));
		if (before.pages.length === 0 && now.pages.length > 0 && this.here === now) this.go(1);
	}

	/** The strip begins with this chapter. */
	beginHere(): void {
		this.strip = this.strip.slice(this.index);
		this.index = 0;
	}

	get #standing(): Standing {
		const { next, previous } = this.here.chapter;
		// A chapter that is not here yet is shown as such from the end of this one.
		const ready = next !== null && (this.ended || next.state === 'ready');
		const { page, count, ended } = this;
		// What a post says stands behind its pages, and would be passed by.
		const pause = this.settings.pause || wordy(this.here);
		return { page, count, ended: ended || count === 0, pause, next: ready, previous: previous !== null };
	}

	#neighbour(step: 1 | -1) {
		return step === 1 ? this.here.chapter.next : this.here.chapter.previous;
	}

	#move(change: () => void): void {
		change();
		this.failure = null;
		this.moves += 1;
	}

	async #awaited(step: 1 | -1): Promise<boolean> {
		this.busy = true;
		this.failure = null;
		try {
			return await this.#join(step);
		} catch (error) {
			this.failure = error;
			return false;
		} finally {
			this.busy = false;
		}
	}

	/** Open a neighbour and lay it beside this chapter, once however often it is asked for. */
	#join(step: 1 | -1): Promise<boolean> {
		const link = this.#neighbour(step);
		if (!link || this.strip[this.index + step]) return Promise.resolve(false);
		const under = this.#joining.get(link.id);
		if (under) return under;
		const joined = this.#lay(link.id, this.here, step).finally(() => this.#joining.delete(link.id));
		this.#joining.set(link.id, joined);
		return joined;
	}

	async #lay(id: string, beside: Opened, step: 1 | -1): Promise<boolean> {
		const opened = await open(this.manga.id, id);
		const at = this.strip.findIndex(({ chapter }) => chapter.id === beside.chapter.id);
		if (at === -1 || this.strip[at + step]) return false;
		if (step === 1) this.strip = [...this.strip, opened];
		else {
			this.strip = [opened, ...this.strip];
			this.index += 1;
		}
		return true;
	}

	/** Single pages need no more than both neighbours. */
	#trim(): void {
		if (this.settings.mode !== 'single') return;
		const from = Math.max(0, this.index - 1);
		this.strip = this.strip.slice(from, this.index + 2);
		this.index -= from;
	}
}
