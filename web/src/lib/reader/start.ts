/** Where reading a title begins or goes on. */
import { isRead, type Place } from './progress';

interface Readable {
	id: string;
	page_count: number;
}

export interface Start<C> {
	chapter: C;
	page: number;
	why: 'start' | 'resume' | 'again';
}

/**
 * `chapters` oldest first. The chapter that was open last, or the one after it when it was read to its end; the first
 * one when nothing or everything was read. Null: there is nothing to read yet.
 */
export function startingPoint<C extends Readable>(chapters: C[], places: Map<string, Place>): Start<C> | null {
	const here = chapters.filter((chapter) => chapter.page_count > 0);
	const first = here[0];
	if (!first) return null;
	let last: { index: number; place: Place } | null = null;
	for (const [index, chapter] of here.entries()) {
		const place = places.get(chapter.id);
		if (place && (!last || place.client_time > last.place.client_time)) last = { index, place };
	}
	if (!last) return { chapter: first, page: 1, why: 'start' };
	const open = here[last.index] as C;
	const atEnd = isRead(last.place, open.page_count) && last.place.page >= open.page_count;
	if (!atEnd) return { chapter: open, page: Math.min(last.place.page, open.page_count), why: 'resume' };
	const next = here[last.index + 1];
	return next ? { chapter: next, page: places.get(next.id)?.page ?? 1, why: 'resume' } : { chapter: first, page: 1, why: 'again' };
}
