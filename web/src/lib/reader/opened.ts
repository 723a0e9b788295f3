/** Chapters with their pages, kept for a moment, so that going on and back costs nothing. */
import { chapters, type ChapterDetail, type Page } from '#lib/api';

export interface Opened {
	chapter: ChapterDetail;
	/** Empty while the chapter has not been fetched. */
	pages: Page[];
}

const MOST = 8;
const kept = new Map<string, Promise<Opened>>();

async function ask(mangaId: string, chapterId: string): Promise<Opened> {
	const [chapter, pages] = await Promise.all([chapters.get(mangaId, chapterId), chapters.pages(mangaId, chapterId)]);
	return { chapter, pages };
}

/** `fresh`: ask the server again. */
export function open(mangaId: string, chapterId: string, fresh = false): Promise<Opened> {
	const known = kept.get(chapterId);
	if (known && !fresh) return known;
	const asked = ask(mangaId, chapterId);
	kept.delete(chapterId);
	kept.set(chapterId, asked);
	for (const oldest of [...kept.keys()].slice(0, -MOST)) kept.delete(oldest);
	const forget = () => kept.get(chapterId) === asked && kept.delete(chapterId);
	// What is not here yet, and what failed, is asked for again.
	asked.then(({ pages }) => pages.length === 0 && forget(), forget);
	return asked;
}
