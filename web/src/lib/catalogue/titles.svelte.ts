/**
 * The titles of one query, chunk by chunk: those that follow a loaded chunk by its cursor, others, after a jump, by
 * their offset. Kept while a title is open, so that coming back is instant.
 */
import { mangas, type MangaCard } from '#lib/api';
import { read, write } from '#lib/state/stored';
import { CHUNK, chunksOf, lengthOf, tooFar } from './chunks';
import { addressOf, same, type Query } from './query';

const KEY = 'orihon.catalogue';
const AT_ONCE = 2;

export class Titles {
	#chunks = $state.raw(new Map<number, readonly MangaCard[]>());
	#stale = new Set<number>();
	#cursors = new Map<number, string>();
	#loading = new Set<number>();
	#wanted = { first: 0, end: 0 };
	#last = $state<number | null>(null);
	#request = new AbortController();
	total = $state<number | null>(null);
	/** The first answer is here. */
	known = $state(false);
	failure = $state<unknown>(null);
	/** Width of the grid when it was last seen, so that it has its height before it is measured again. */
	width = 0;

	constructor(readonly query: Query) {
		const before = read<{ address: string; total: number } | null>(KEY, null, () => sessionStorage);
		// After a reload the page gets its height at once, and with it its place.
		if (before?.address === addressOf(query)) this.total = before.total;
	}

	/** Not derived: a derived value dies with the page that made it, and this list outlives the page. */
	get length(): number {
		return lengthOf(this.total, this.#chunks, this.#last);
	}

	at(index: number): MangaCard | undefined {
		return this.#chunks.get(Math.floor(index / CHUNK))?.[index % CHUNK];
	}

	/** Have these titles; what is far from them may go. */
	want(first: number, end: number): void {
		this.#wanted = { first, end };
		void this.#next();
	}

	/** Have the first titles; resolves when they are here, or are not to be had. */
	begin(): Promise<void> {
		this.#wanted = { first: 0, end: 1 };
		return this.#next();
	}

	/** Ask again for everything that is on screen; what stands there stays until the answer is here. */
	refresh(): void {
		this.#cursors.clear();
		this.#last = null;
		this.#stale = new Set(this.#chunks.keys());
		this.failure = null;
		void this.#next();
	}

	stop(): void {
		this.#request.abort();
		this.#request = new AbortController();
		this.#loading.clear();
	}

	async #next(): Promise<void> {
		if (this.#loading.size >= AT_ONCE || this.failure) return;
		const missing = (chunk: number) => (!this.#chunks.has(chunk) || this.#stale.has(chunk)) && !this.#loading.has(chunk);
		const chunk = chunksOf(this.#wanted.first, Math.max(this.#wanted.end, 1)).find(missing);
		if (chunk === undefined) return;
		this.#loading.add(chunk);
		const { signal } = this.#request;
		try {
			await this.#load(chunk, signal);
		} catch (error) {
			if (signal.aborted) return;
			this.failure = error;
		} finally {
			if (!signal.aborted) this.#loading.delete(chunk);
		}
		await this.#next();
	}

	async #load(chunk: number, signal: AbortSignal): Promise<void> {
		const after = this.#cursors.get(chunk);
		const answer = await mangas.list(this.query, { limit: CHUNK, ...(after ? { after } : { offset: chunk * CHUNK }) }, signal);
		if (signal.aborted) return;
		const kept = [...this.#chunks].filter(([index]) => !tooFar(index, this.#wanted.first, this.#wanted.end));
		this.#chunks = new Map([...kept, [chunk, answer.items]]);
		this.#stale.delete(chunk);
		if (answer.page.next) this.#cursors.set(chunk + 1, answer.page.next);
		else if (answer.items.length < CHUNK) this.#last = chunk;
		this.total = answer.page.total ?? null;
		this.known = true;
		write(KEY, { address: addressOf(this.query), total: this.total }, () => sessionStorage);
	}
}

let held: Titles | null = null;

/** The titles of a query: those that were shown last, if it was the same query. */
export function titlesOf(query: Query): Titles {
	if (held && same(held.query, query)) return held;
	held?.stop();
	held = new Titles(query);
	return held;
}
