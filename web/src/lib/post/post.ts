/** What a post is, beside its pages. */
import type { ChapterDetail } from '#lib/api';

interface Opened {
	chapter: Pick<ChapterDetail, 'published_at' | 'state' | 'body' | 'tags' | 'attachments'>;
	pages: readonly unknown[];
}

/** Whether there is more to it than its pages. */
export function wordy({ chapter }: Pick<Opened, 'chapter'>): boolean {
	return Boolean(chapter.body) || chapter.attachments.length > 0 || chapter.tags.length > 0;
}

/** A post that is whole without a page: its text, its files, or no more than its name. */
export function pageless({ chapter, pages }: Opened): boolean {
	return pages.length === 0 && chapter.state === 'ready' && chapter.published_at !== null;
}
