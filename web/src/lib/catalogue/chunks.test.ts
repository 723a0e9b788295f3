import { describe, expect, it } from 'vitest';
import { CHUNK, chunksOf, lengthOf, tooFar } from './chunks';

describe('chunks of a range', () => {
	it('cover it and no more', () => {
		expect(chunksOf(0, CHUNK)).toEqual([0]);
		expect(chunksOf(CHUNK - 1, CHUNK + 1)).toEqual([0, 1]);
		expect(chunksOf(90_000, 90_040)).toEqual([1500]);
		expect(chunksOf(5, 5)).toEqual([]);
	});
});

describe('memory', () => {
	it('keeps what is near and lets go what is far', () => {
		expect(tooFar(1500, 90_000, 90_040)).toBe(false);
		expect(tooFar(1500 - 16, 90_000, 90_040)).toBe(true);
		expect(tooFar(0, 0, 0)).toBe(false);
	});
});

describe('length', () => {
	const full = { length: CHUNK };
	it('is what the server counts', () => {
		expect(lengthOf(100_000, [], null)).toBe(100_000);
	});
	it('is one chunk more than was seen where nobody counts, until the end was seen', () => {
		expect(lengthOf(null, [[0, full], [1, full]], null)).toBe(CHUNK * 3);
		expect(lengthOf(null, [[0, full], [1, { length: 7 }]], 1)).toBe(CHUNK + 7);
	});
});
