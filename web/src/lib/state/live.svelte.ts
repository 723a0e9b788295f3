/** A stream of events that reconnects by itself; `connected` tells whether it is up. */
import { events } from '$lib/api';

const PATIENCE_MS = 4000;

export class Live {
	connected = $state(true);
	#source: EventSource;
	#late: ReturnType<typeof setTimeout> | undefined;

	constructor(topics: string, on: Record<string, (data: unknown) => void>) {
		this.#source = events(topics);
		this.#source.onopen = () => this.#up();
		// A short gap (a restart) is not worth a word.
		this.#source.onerror = () => {
			this.#late ??= setTimeout(() => (this.connected = false), PATIENCE_MS);
		};
		for (const [name, handler] of Object.entries(on)) {
			this.#source.addEventListener(name, (event) => {
				this.#up();
				handler(JSON.parse((event as MessageEvent<string>).data));
			});
		}
	}

	#up(): void {
		clearTimeout(this.#late);
		this.#late = undefined;
		this.connected = true;
	}

	close(): void {
		clearTimeout(this.#late);
		this.#source.close();
	}
}
