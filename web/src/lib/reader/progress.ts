/** Where somebody is in a chapter, and how two such places become one. */
export interface Place {
	chapter_id: string;
	page: number;
	furthest_page: number;
	client_time: string;
}

/** The later place says the page, the larger furthest page stays: the rule of the server, for what it has not seen yet. */
export function merged<T extends Place>(held: Place | undefined, told: T): T {
	if (!held) return told;
	const later = Date.parse(told.client_time) >= Date.parse(held.client_time) ? told : { ...told, ...held };
	return { ...later, furthest_page: Math.max(held.furthest_page, told.furthest_page) };
}

export function place(chapterId: string, page: number, now: Date): Place {
	return { chapter_id: chapterId, page, furthest_page: page, client_time: now.toISOString() };
}

/** What there is to see of a chapter: a text without pages is one leaf. */
export function leaves(chapter: { page_count: number; state: string }): number {
	return chapter.state === 'ready' ? Math.max(1, chapter.page_count) : chapter.page_count;
}

export function isRead(held: Place | undefined, pageCount: number): boolean {
	return held !== undefined && pageCount > 0 && held.furthest_page >= pageCount;
}
