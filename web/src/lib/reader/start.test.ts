import { describe, expect, it } from 'vitest';
import type { Place } from './progress';
import { startingPoint } from './start';

const chapters = [
	{ id: 'a', page_count: 3, state: 'ready' },
	{ id: 'b', page_count: 0, state: 'failed' },
	{ id: 'c', page_count: 5, state: 'ready' },
	{ id: 'd', page_count: 0, state: 'absent' }
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
	it('begins with the first of all while none is here: it is fetched when it is opened', () => {
		expect(startingPoint(chapters.slice(3), places())).toMatchObject({ chapter: { id: 'd' }, page: 1, why: 'start' });
	});
	it('goes back to the page that was open last', () => {
		expect(startingPoint(chapters, places(['a', 2, 1]))).toMatchObject({ chapter: { id: 'a' }, page: 2, why: 'resume' });
	});
	it('goes on with the next chapter after the end of one, past those that failed', () => {
		expect(startingPoint(chapters, places(['a', 3, 1]))).toMatchObject({ chapter: { id: 'c' }, page: 1, why: 'resume' });
		expect(startingPoint(chapters, places(['a', 3, 1], ['c', 5, 2]))).toMatchObject({ chapter: { id: 'd' }, why: 'resume' });
	});
	it('goes on with the first chapter that was left out after the end of the newest', () => {
		const here = chapters.slice(0, 3);
		expect(startingPoint(here, places(['c', 5, 1]))).toMatchObject({ chapter: { id: 'a' }, page: 1, why: 'resume' });
		expect(startingPoint(here, places(['a', 2, 1], ['c', 5, 2]))).toMatchObject({ chapter: { id: 'a' }, page: 2, why: 'resume' });
	});
	it('starts over when everything was read', () => {
		const here = chapters.slice(0, 3);
		expect(startingPoint(here, places(['a', 3, 1], ['c', 5, 2]))).toMatchObject({ chapter: { id: 'a' }, why: 'again' });
	});
	it('goes on in the chapter that was open last, whichever was read further', () => {
		expect(startingPoint(chapters, places(['a', 2, 5], ['c', 4, 2]))).toMatchObject({ chapter: { id: 'a' }, page: 2 });
	});
	it('is nowhere where there are no chapters', () => {
		expect(startingPoint([], places())).toBeNull();
	});
});
