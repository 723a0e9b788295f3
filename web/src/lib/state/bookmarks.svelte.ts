/**
 * Where the reader is in each chapter: kept by the server for people who signed in, in this browser for guests, whose
 * places are handed over when they sign in.
 */
import { progress, type MangaCard, type Progress } from '$lib/api';
import { merged, place, type Place } from '$lib/reader/progress';
import { session } from './session.svelte';

const KEY = 'orihon.places';
const MOST = 500;

interface GuestPlace extends Place {
	manga_id: string;
	manga: Pick<MangaCard, 'id' | 'title' | 'cover'> & Partial<MangaCard>;
	chapter: { number: number | null; title: string | null; page_count: number };
}

function stored(): GuestPlace[] {
	try {
		const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
		return Array.isArray(value) ? (value as GuestPlace[]) : [];
	} catch {
		return [];
	}
}

function keep(places: GuestPlace[]): void {
	const newest = [...places].sort((a, b) => b.client_time.localeCompare(a.client_time)).slice(0, MOST);
	localStorage.setItem(KEY, JSON.stringify(newest));
}

export type Shelf = Pick<Progress, 'chapter_id' | 'manga_id' | 'page' | 'chapter'> & {
	manga: Pick<MangaCard, 'id' | 'title' | 'cover'>;
};

export const bookmarks = {
	/** The places in a title's chapters, by chapter. */
	async of(mangaId: string): Promise<Map<string, Place>> {
		const places: Place[] = session.user
			? await progress.of(mangaId)
			: stored().filter((entry) => entry.manga_id === mangaId);
		return new Map(places.map((entry) => [entry.chapter_id, entry]));
	},

	/** What was read last, one chapter per title. */
	async latest(): Promise<Shelf[]> {
		if (session.user) return (await progress.latest()).filter((entry) => entry.manga) as Shelf[];
		const seen = new Set<string>();
		return stored()
			.filter((entry) => !seen.has(entry.manga_id) && seen.add(entry.manga_id))
			.slice(0, 12);
	},

	/** Note that a page is on screen. `last`: the reader is being left. */
	async note(manga: MangaCard, chapter: GuestPlace['chapter'] & { id: string }, page: number, last = false) {
		const told = place(chapter.id, page, new Date());
		if (session.user) {
			await progress.put([told], last);
			return;
		}
		const places = stored();
		const held = places.find((entry) => entry.chapter_id === chapter.id);
		const { number, title, page_count } = chapter;
		const entry: GuestPlace = {
			...merged(held, told),
			manga_id: manga.id,
			manga: { id: manga.id, title: manga.title, cover: manga.cover },
			chapter: { number, title, page_count }
		};
		keep([entry, ...places.filter((other) => other.chapter_id !== chapter.id)]);
	},

	/** Give a guest's places to the server; they stay here until it has them. */
	async handOver(): Promise<void> {
		const places = stored();
		if (places.length === 0) return;
		await progress.put(
			places.map(({ chapter_id, page, furthest_page, client_time }) => ({
				chapter_id,
				page,
				furthest_page,
				client_time
			}))
		);
		localStorage.removeItem(KEY);
	}
};
