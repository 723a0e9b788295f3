/**
 * Where the reader is in each chapter. Every place is kept in this browser first and handed to the server when somebody
 * is signed in, so that a lost connection or a closed tab loses nothing; a guest's stay here until they sign in.
 */
import { progress, type MangaCard, type Progress } from '#lib/api';
import { merged, place, type Place } from '#lib/reader/progress';
import { EMPTY, latest, noted, without, type LocalPlace, type LocalShelf, type ShelfCard } from '#lib/reader/shelf';
import { session } from './session.svelte';
import { read, write } from './stored';

const KEY = 'orihon.places';
/** The place that moves, apart from the others: a turn of a page writes a few bytes, however much was read. */
const MOVING = 'orihon.place';
const SHELF_LENGTH = 20;
const PER_REQUEST = 100;

export type ShelfEntry = Pick<Progress, 'chapter_id' | 'manga_id' | 'page' | 'client_time' | 'chapter'> & { manga: ShelfCard };

interface Moving {
	place: LocalPlace;
	card: ShelfCard;
}

function shelf(): LocalShelf {
	const moving = read<Moving | null>(MOVING, null);
	const rest = read<LocalShelf>(KEY, EMPTY);
	return moving ? noted(rest, moving.place, moving.card) : rest;
}
/** Lay the moving place beside the others. */
function settle(whole: LocalShelf): void {
	write(KEY, whole);
	write(MOVING, null);
}
const mine = () => shelf().places.filter(({ owner }) => owner === (session.user?.id ?? null));

function held(local: LocalShelf): ShelfEntry[] {
	const entries = mine().map((entry) => ({ ...entry, manga: local.cards[entry.manga_id] }));
	return entries.filter((entry): entry is typeof entry & { manga: ShelfCard } => entry.manga !== undefined);
}

export const places = {
	/** The places in a title's chapters, by chapter. */
	async of(mangaId: string): Promise<Map<string, Place>> {
		await session.ready();
		const known: Place[] = session.user ? await progress.of(mangaId) : [];
		const found = new Map(known.map((entry) => [entry.chapter_id, entry]));
		for (const entry of mine().filter((entry) => entry.manga_id === mangaId))
			found.set(entry.chapter_id, merged(found.get(entry.chapter_id), entry));
		return found;
	},

	/** What was read last, one chapter per title. */
	async latest(): Promise<ShelfEntry[]> {
		await session.ready();
		const known = session.user ? await progress.latest(SHELF_LENGTH) : [];
		return latest([...known.filter((entry): entry is typeof entry & ShelfEntry => entry.manga !== null), ...held(shelf())], SHELF_LENGTH);
	},

	/** Note that a page is on screen. */
	note(manga: MangaCard, chapter: LocalPlace['chapter'] & { id: string }, page: number): void {
		const { number, title, page_count } = chapter;
		const owner = session.user?.id ?? null;
		const told = { ...place(chapter.id, page, new Date()), manga_id: manga.id, chapter: { number, title, page_count }, owner };
		const before = read<Moving | null>(MOVING, null)?.place;
		const same = before?.chapter_id === told.chapter_id && before.owner === owner;
		if (before && !same) settle(shelf());
		const { id, kind, title: name, cover } = manga;
		write(MOVING, { place: merged(same ? before : undefined, told), card: { id, kind, title: name, cover } });
	},

	/** Give the server what it has not seen. `leaving`: the page is being left, so the request must outlive it. */
	async handOver(leaving = false): Promise<void> {
		const me = session.user?.id;
		if (!me) return;
		const waiting = shelf().places.filter(({ owner }) => owner === null || owner === me);
		for (let first = 0; first < waiting.length; first += PER_REQUEST) {
			const sent = waiting.slice(first, first + PER_REQUEST);
			const items = sent.map(({ chapter_id, page, furthest_page, client_time }) => ({ chapter_id, page, furthest_page, client_time }));
			await progress.put(items, leaving);
			settle(without(shelf(), sent));
		}
	}
};
