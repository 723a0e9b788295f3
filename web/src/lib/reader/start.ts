/** Where reading a title begins or goes on. */
import { isRead, leaves, type Place } from './progress';

interface Readable {
	id: string;
	page_count: number;
	state: string;
}

export interface Start<C> {
	chapter: C;
	page: number;
	why: 'start' | 'resume' | 'again';
}

/**
 * `chapters` oldest first. The chapter that was open last, or the one after it when it was read to its end; after the
 * newest, the first that was left out; the first one when nothing or everything was read. A chapter that is not here yet
 * is fetched when it is opened, so reading begins at the first that is here, and goes on to the next one that did not
 * fail.
 */
export function startingPoint<C extends Readable>(chapters: C[], places: Map<string, Place>): Start<C> | null {
	const first = chapters.find(({ state }) => state === 'ready') ?? chapters[0];
	if (!first) return null;
	const read = (one: C) => isRead(places.get(one.id), leaves(one));
	let last: { index: number; place: Place } | null = null;
	for (const [index, chapter] of chapters.entries()) {
		const place = places.get(chapter.id);
		if (place && (!last || Date.parse(place.client_time) > Date.parse(last.place.client_time))) last = { index, place };
	}
	if (!last) return { chapter: first, page: 1, why: 'start' };
	const open = chapters[last.index] as C;
	const atEnd = isRead(last.place, leaves(open)) && last.place.page >= open.page_count;
	if (!atEnd) return { chapter: open, page: Math.max(1, Math.min(last.place.page, open.page_count || Infinity)), why: 'resume' };
	const after = last.index + 1;
	const offered = (one: C) => one.state !== 'failed';
	const next = chapters.slice(after).find(offered) ?? chapters.find((one) => offered(one) && !read(one));
	if (!next) return { chapter: first, page: 1, why: 'again' };
	return { chapter: next, page: read(next) ? 1 : (places.get(next.id)?.page ?? 1), why: 'resume' };
}
