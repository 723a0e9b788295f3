import { describe, expect, it } from 'vitest';
import { pageless, wordy } from './post';

const chapter = { published_at: '2026-01-01T00:00:00Z', state: 'ready', body: null, tags: [], attachments: [] } as const;
const open = (over: object = {}, pages = 0) => ({ chapter: { ...chapter, tags: [], attachments: [], ...over }, pages: Array(pages).fill(0) });

describe('a post', () => {
	it.each([
		['of text', open({ body: 'Hi' }), true, true],
		['of a file', open({ attachments: [{ name: 'a.zip', size: 1, url: null, error: null }] }), true, true],
		['of nothing but its name', open(), true, false],
		['of images and text', open({ body: 'Hi' }, 2), false, true],
		['whose images have not come yet', open({ body: 'Hi', state: 'absent' }), false, true]
	])('%s', (_, opened, noPages, words) => expect([pageless(opened), wordy(opened)]).toEqual([noPages, words]));

	it('is no chapter that has no pages', () => {
		expect(pageless(open({ published_at: null }))).toBe(false);
	});
});
