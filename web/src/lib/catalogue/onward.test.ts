import { describe, expect, it } from 'vitest';
import type { ChapterLink } from '#lib/api';
import type { ShelfEntry } from '#lib/state/places';
import { finished, onward } from './onward';

const at = (page: number) =>
	({ manga_id: 'm', chapter_id: 'c5', page, chapter: { number: 5, title: null, page_count: 20 }, manga: {} }) as ShelfEntry;
const next = { id: 'c6', number: 6, title: null } as ChapterLink;

describe('a card of the shelf', () => {
	it('leads to the page that was left', () => {
		expect(onward(at(7), undefined)).toEqual({ href: '/read/m/c5?page=7', text: 'Chapter 5', part: 0.35 });
	});
	it('offers the next chapter where one was finished', () => {
		expect(onward(at(20), next)).toEqual({ href: '/read/m/c6?page=1', text: 'Next: Chapter 6', part: null });
	});
	it('leads to the title where the newest chapter was finished', () => {
		expect(onward(at(20), null)).toMatchObject({ href: '/title/m', text: 'Read to the newest' });
	});
	it('offers what it knows until it knows what comes next', () => {
		expect(onward(at(20), undefined).href).toBe('/read/m/c5?page=20');
	});
	it('is not finished while its chapter has no pages', () => {
		expect(finished({ ...at(0), chapter: { number: 1, title: null, page_count: 0 } })).toBe(false);
	});
	it('is finished when a post that is only text was opened', () => {
		const text = { ...at(1), chapter: { number: null, title: 'News', page_count: 0 }, manga: { kind: 'feed' } } as ShelfEntry;
		expect(onward(text, { id: 'c6', number: null, title: null } as ChapterLink).text).toBe('Next: Untitled post');
	});
});
