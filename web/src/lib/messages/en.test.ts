import { describe, expect, it } from 'vitest';
import { en } from './en';

describe('the name of a chapter', () => {
	it.each([
		[1, null, 'Chapter 1'],
		[10.5, 'The Quiet Bell', 'Chapter 10.5: The Quiet Bell'],
		[10.5, 'Chapter 10.5: The Quiet Bell', 'Chapter 10.5: The Quiet Bell'],
		[12, '第12話', '第12話'],
		[1, '100 Days', 'Chapter 1: 100 Days'],
		[null, 'A notice', 'A notice'],
		[null, null, 'Extra']
	])('%s, %s: %s', (number, title, name) => {
		expect(en.work.manga.name(number, title)).toBe(name);
	});
});

describe('the name of a post', () => {
	it.each([
		['Sketches', 'Sketches'],
		[null, 'Untitled post']
	])('%s: %s', (title, name) => expect(en.work.feed.name(null, title)).toBe(name));
});

describe('when a source is looked at again', () => {
	it('is never said to be again now', () => {
		expect(en.sources.next('now')).toBe('Looks again in a moment');
		expect(en.sources.next('in 5 minutes')).toBe('Looks again in 5 minutes');
	});
});

describe('what a walk found', () => {
	it('is told in titles and chapters of a catalogue, in posts and files of a feed', () => {
		const counts = { discovered: 3, new: 1, chapters_new: 2, media_new: 5, media_dead: 1, media_failed: 0 };
		expect(en.sources.found(counts)).toBe('3 titles looked at · 1 new · 2 new chapters · 1 given up before');
		expect(en.sources.found(counts, true)).toBe('3 posts looked at · 1 new · 5 files brought · 1 given up before');
	});
});
