/** The titles of one query as far as they were loaded; kept while a title is open, so that coming back is instant. */
import { mangas, type MangaCard, type Query } from '$lib/api';

export class Titles {
	items = $state.raw<MangaCard[]>([]);
	total = $state<number | null>(null);
	busy = $state(false);
	failure = $state<unknown>(null);
	ended = $state(false);
	/** Where the page was scrolled to when it was left. */
	scroll = 0;
	#after: string | null = null;
	#request = new AbortController();

	constructor(readonly query: Query) {}

	async more(): Promise<void> {
		if (this.busy || this.ended) return;
		this.busy = true;
		this.failure = null;
		const { signal } = this.#request;
		try {
			const answer = await mangas.list(this.query, this.#after, signal);
			if (signal.aborted) return;
			const known = new Set(this.items.map((card) => card.id));
			this.items = [...this.items, ...answer.items.filter((card) => !known.has(card.id))];
			this.total = answer.page.total ?? this.total;
			this.#after = answer.page.next ?? null;
			this.ended = this.#after === null;
		} catch (error) {
			if (!signal.aborted) this.failure = error;
		} finally {
			this.busy = false;
		}
	}

	/** Take the first page anew: what is there already stays in place, what is new comes first. */
	async refresh(): Promise<void> {
		try {
			const answer = await mangas.list(this.query, null, this.#request.signal);
			const fresh = new Set(answer.items.map((card) => card.id));
			this.items = [...answer.items, ...this.items.filter((card) => !fresh.has(card.id))];
			this.total = answer.page.total ?? this.total;
			if (this.#after === null && !this.ended) {
				this.#after = answer.page.next ?? null;
				this.ended = this.#after === null;
			} else if (this.ended && answer.page.next) {
				this.total = Math.max(this.total ?? 0, this.items.length);
			}
		} catch {
			// A refresh is a courtesy; the stream says so when the server is away.
		}
	}

	stop(): void {
		this.#request.abort();
		this.#request = new AbortController();
		this.busy = false;
	}
}

let held: Titles | null = null;

/** The titles of a query: those that were shown last, if it was the same query. */
export function titlesOf(query: Query): Titles {
	if (held && JSON.stringify(held.query) === JSON.stringify(query)) return held;
	held?.stop();
	held = new Titles(query);
	return held;
}
