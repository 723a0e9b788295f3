/** The local shelf: places that only this browser knows, of guests for good and of others until the server has them. */
import type { MangaCard } from '#lib/api';
import { merged, type Place } from './progress';

export interface LocalPlace extends Place {
	manga_id: string;
	chapter: { number: number | null; title: string | null; page_count: number };
	/** Whose place it is; null: a guest's, which belongs to whoever signs in next. */
	owner: string | null;
}

/** `kind` is absent in what a browser has kept from before there were creators. */
export type ShelfCard = Pick<MangaCard, 'id' | 'title' | 'cover'> & Partial<Pick<MangaCard, 'kind'>>;

export interface LocalShelf {
	places: LocalPlace[];
	cards: Record<string, ShelfCard>;
}

/** More chapters than anybody reads before signing in; the oldest are let go. */
export const MOST_PLACES = 3000;

export const EMPTY: LocalShelf = { places: [], cards: {} };

/** The shelf with a place added or moved on; newest first. */
export function noted(shelf: LocalShelf, told: LocalPlace, card: ShelfCard): LocalShelf {
	const same = (place: LocalPlace) => place.chapter_id === told.chapter_id && place.owner === told.owner;
	const places = [merged(shelf.places.find(same), told), ...shelf.places.filter((place) => !same(place))]
		.sort(newestFirst)
		.slice(0, MOST_PLACES);
	return pruned({ places, cards: { ...shelf.cards, [card.id]: card } });
}

/** The shelf without the places that the server now has; one that moved on meanwhile stays. */
export function without(shelf: LocalShelf, sent: LocalPlace[]): LocalShelf {
	const gone = new Map(sent.map((place) => [place.chapter_id, place.client_time]));
	return pruned({ ...shelf, places: shelf.places.filter((place) => gone.get(place.chapter_id) !== place.client_time) });
}

/** The newest place of each title. */
export function latest<T extends { manga_id: string; client_time: string }>(places: T[], most: number): T[] {
	const seen = new Set<string>();
	return [...places]
		.sort(newestFirst)
		.filter((place) => !seen.has(place.manga_id) && seen.add(place.manga_id))
		.slice(0, most);
}

/** Moments are written with `Z` here and with an offset there, so their texts do not sort. */
function newestFirst(a: { client_time: string }, b: { client_time: string }): number {
	return Date.parse(b.client_time) - Date.parse(a.client_time);
}

function pruned(shelf: LocalShelf): LocalShelf {
	const used = new Set(shelf.places.map((place) => place.manga_id));
	return { ...shelf, cards: Object.fromEntries(Object.entries(shelf.cards).filter(([id]) => used.has(id))) };
}
