import { describe, expect, it } from 'vitest';
import { isRead, merged, type Place } from './progress';

const at = (page: number, furthest: number, minute: number): Place => ({
	chapter_id: 'c',
	page,
	furthest_page: furthest,
	client_time: `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`
});

describe('merging two places', () => {
	it('takes the later page and the larger furthest page', () => {
		expect(merged(at(9, 9, 1), at(2, 2, 5))).toEqual(at(2, 9, 5));
	});
	it('does not let an older place win', () => {
		expect(merged(at(2, 2, 5), at(9, 9, 1))).toEqual(at(2, 9, 5));
	});
	it('takes the first place as it is', () => {
		expect(merged(undefined, at(3, 3, 0))).toEqual(at(3, 3, 0));
	});
	it('gives the same whichever comes first', () => {
		expect(merged(at(1, 4, 2), at(7, 7, 1))).toEqual(merged(at(7, 7, 1), at(1, 4, 2)));
	});
});

describe('a chapter is read', () => {
	it('when its last page was seen, wherever the reader is now', () => {
		expect(isRead(at(1, 12, 0), 12)).toBe(true);
		expect(isRead(at(11, 11, 0), 12)).toBe(false);
		expect(isRead(undefined, 12)).toBe(false);
		expect(isRead(at(1, 1, 0), 0)).toBe(false);
	});
});
