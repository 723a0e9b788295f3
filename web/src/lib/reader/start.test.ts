import { describe, expect, it } from 'vitest';
import type { Place } from './progress';
import { startingPoint } from './start';

const chapters = [
	{ id: 'a', page_count: 3 },
	{ id: 'b', page_count: 0 },
	{ id: 'c', page_count: 5 }
];
const places = (...entries: [string, number, number][]): Map<string, Place> =>
	new Map(
		entries.map(([id, page, minute]) => [
			id,
			{ chapter_id: id, page, furthest_page: page, client_time: `2026-01-01T00:0${minute}:00Z` }
		])
	);

describe('where reading goes on', () => {
	it('begins with the first chapter that is here', () => {
		expect(startingPoint(chapters.slice(1), places())).toMatchObject({ chapter: { id: 'c' }, page: 1, why: 'start' });
	});
	it('goes back to the page that was open last', () => {
		expect(startingPoint(chapters, places(['a', 2, 1]))).toMatchObject({ chapter: { id: 'a' }, page: 2, why: 'resume' });
	});
	it('goes on with the next chapter that is here after the end of one', () => {
		expect(startingPoint(chapters, places(['a', 3, 1]))).toMatchObject({ chapter: { id: 'c' }, page: 1, why: 'resume' });
	});
	it('starts over when everything was read', () => {
		expect(startingPoint(chapters, places(['a', 3, 1], ['c', 5, 2]))).toMatchObject({ chapter: { id: 'a' }, why: 'again' });
	});
	it('is nowhere while nothing is here', () => {
		expect(startingPoint([{ id: 'b', page_count: 0 }], places())).toBeNull();
	});
});
