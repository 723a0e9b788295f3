/** What a card of the shelf offers: the page that was left, or what comes after a chapter that is finished. */
import type { ChapterLink } from '#lib/api';
import { en } from '#lib/messages/en';
import type { ShelfEntry } from '#lib/state/places';

export interface Onward {
	href: string;
	text: string;
	/** How much of the chapter was read, from 0 to 1; null: it has not been begun. */
	part: number | null;
}

export function finished({ page, chapter, manga }: ShelfEntry): boolean {
	// A post without pages is a text: whoever opened it has seen it.
	return chapter.page_count > 0 ? page >= chapter.page_count : manga.kind === 'feed';
}

/** `next`: the chapter after it; null: there is none; undefined: that is not known. */
export function onward(entry: ShelfEntry, next: ChapterLink | null | undefined): Onward {
	const { manga_id, chapter_id, page, chapter } = entry;
	const names = en.work[entry.manga.kind ?? 'manga'];
	if (finished(entry) && next) {
		const text = en.catalogue.next(names.name(next.number, next.title));
		return { href: `/read/${manga_id}/${next.id}?page=1`, text, part: null };
	}
	if (finished(entry) && next === null) return { href: `/title/${manga_id}`, text: en.catalogue.upToDate, part: 1 };
	const text = names.name(chapter.number, chapter.title);
	return { href: `/read/${manga_id}/${chapter_id}?page=${page}`, text, part: chapter.page_count > 0 ? page / chapter.page_count : 0 };
}
