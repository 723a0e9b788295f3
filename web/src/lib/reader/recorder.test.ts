import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChapterDetail, MangaDetail } from '#lib/api';
import { HAND_OVER_MS, Recorder } from './recorder';

const chapter = { id: 'c1', page_count: 20 } as ChapterDetail;

function kept() {
	const told: string[] = [];
	return {
		told,
		note: (_: unknown, __: unknown, page: number) => void told.push(`page ${page}`),
		handOver: (leaving = false) => {
			told.push(leaving ? 'last word' : 'handed over');
			return Promise.resolve();
		}
	};
}

describe('the recorder', () => {
	beforeEach(() => void vi.useFakeTimers());
	afterEach(() => void vi.useRealTimers());

	it('notes every turn at once, and hands over although turning goes on', () => {
		const keeper = kept();
		const recorder = new Recorder({} as MangaDetail, keeper);
		for (let page = 1; page <= 10; page += 1) {
			recorder.at(chapter, page);
			expect(keeper.told.at(-1)).toBe(`page ${page}`);
			vi.advanceTimersByTime(HAND_OVER_MS / 4);
		}
		expect(keeper.told.filter((what) => what === 'handed over')).toHaveLength(2);
	});
	it('hands over the page that was last, after turning has ended', () => {
		const keeper = kept();
		const recorder = new Recorder({} as MangaDetail, keeper);
		recorder.at(chapter, 1);
		recorder.at(chapter, 2);
		vi.advanceTimersByTime(HAND_OVER_MS);
		expect(keeper.told).toEqual(['page 1', 'page 2', 'handed over']);
	});
	it('does not wait when the reader is left', () => {
		const keeper = kept();
		const recorder = new Recorder({} as MangaDetail, keeper);
		recorder.at(chapter, 3);
		recorder.leave();
		vi.advanceTimersByTime(10 * HAND_OVER_MS);
		expect(keeper.told).toEqual(['page 3', 'last word']);
	});
});
