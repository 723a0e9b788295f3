import { describe, expect, it } from 'vitest';
import { found } from './find';

const chapters = [
	{ number: 1, title: 'Été' },
	{ number: 12, title: null },
	{ number: 12.5, title: 'The Bell' },
	{ number: 120, title: null },
	{ number: null, title: 'Notice 12' }
];

describe('finding a chapter', () => {
	it.each([
		['', 5],
		['12', 3],
		['12.', 1],
		['12.5', 1],
		['ete', 1],
		['BELL', 1],
		['notice', 1],
		['x', 0]
	])('“%s” finds %i', (sought, count) => {
		expect(found(chapters, sought)).toHaveLength(count);
	});
});
