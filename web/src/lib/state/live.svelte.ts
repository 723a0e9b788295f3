/** A stream of events that comes back by itself, and is closed while nobody looks (a browser has few connections). */
import { events } from '#lib/api';
import { connection } from './connection.svelte';

/** A short gap (a restart) is not worth a word. */
const PATIENCE_MS = 4000;
const RETRY_MS = 2000;

export class Live {
	#stream: EventSource | undefined;
	#late: ReturnType<typeof setTimeout> | undefined;
	#retry: ReturnType<typeof setTimeout> | undefined;
	readonly #visible = () => (document.hidden ? this.#close() : this.#open());

	/** `on`: what to do with the data of each event, by its name. The first event of each name is how things stand. */
	constructor(
		readonly topics: string,
		readonly on: Record<string, (data: unknown) => void>
	) {
		document.addEventListener('visibilitychange', this.#visible);
		this.#open();
	}

	stop(): void {
		document.removeEventListener('visibilitychange', this.#visible);
		this.#close();
	}

	#open(): void {
		if (this.#stream || document.hidden) return;
		const stream = events(this.topics);
		this.#stream = stream;
		stream.onopen = () => this.#up();
		stream.onerror = () => {
			this.#late ??= setTimeout(() => connection.lost(), PATIENCE_MS);
			// An answer that is no stream ends it for good; a broken one is taken up again by the browser.
			if (stream.readyState === EventSource.CLOSED) {
				this.#stream = undefined;
				this.#retry = setTimeout(() => this.#open(), RETRY_MS);
			}
		};
		for (const [name, handler] of Object.entries(this.on)) {
			stream.addEventListener(name, (event) => {
				this.#up();
				handler(JSON.parse((event as MessageEvent<string>).data));
			});
		}
	}

	#up(): void {
		clearTimeout(this.#late);
		this.#late = undefined;
		connection.found();
	}

	#close(): void {
		clearTimeout(this.#late);
		clearTimeout(this.#retry);
		this.#late = undefined;
		this.#stream?.close();
		this.#stream = undefined;
	}
}
