import { describe, expect, it } from 'vitest';
import { around, pageOf, turn, type Standing } from './turn';

const at = (part: Partial<Standing>): Standing => ({ page: 2, count: 3, ended: false, pause: true, next: true, previous: true, ...part });

describe('turning on', () => {
	it.each([
		['to the next page', {}, { to: 'page', page: 3 }],
		['to the end of the chapter, where somebody wants to stop there', { page: 3 }, { to: 'end' }],
		['from there into the next chapter', { page: 3, ended: true }, { to: 'next' }],
		['straight into the next chapter otherwise', { page: 3, pause: false }, { to: 'next' }],
		['to the end when the next chapter is not here', { page: 3, pause: false, next: false }, { to: 'end' }],
		['nowhere behind the last chapter', { page: 3, ended: true, next: false }, { to: 'nowhere' }]
	] as const)('leads %s', (_, part, to) => {
		expect(turn(1, at(part))).toEqual(to);
	});
});

describe('turning back', () => {
	it.each([
		['to the page before', {}, { to: 'page', page: 1 }],
		['from the end to the last page', { page: 3, ended: true }, { to: 'page', page: 3 }],
		['to the chapter before', { page: 1 }, { to: 'previous' }],
		['nowhere before the first page of all', { page: 1, previous: false }, { to: 'nowhere' }],
		['to the chapter before, from one that is not here', { page: 1, count: 0, ended: true }, { to: 'previous' }]
	] as const)('leads %s', (_, part, to) => {
		expect(turn(-1, at(part))).toEqual(to);
	});
});

describe('the page that an address asks for', () => {
	it.each([
		[null, 1],
		['3', 3],
		['last', 9],
		['99', 9],
		['0', 1],
		['-1', 1],
		['x', 1],
		['1.5', 1]
	])('%s of 9 is %i', (said, page) => {
		expect(pageOf(said, 9)).toBe(page);
	});
	it('is the first of a chapter that is not here', () => {
		expect(pageOf('last', 0)).toBe(1);
	});
});

describe('pages held ready', () => {
	const pages = (sizes: number[], chapter: number, page: number) => around(sizes, chapter, page).map((one) => `${one.chapter}:${one.page}`);
	it('are three ahead and one behind', () => {
		expect(pages([9], 0, 4)).toEqual(['0:4', '0:5', '0:6', '0:7', '0:3']);
	});
	it('reach over both borders of a chapter', () => {
		expect(pages([5, 2, 8], 1, 1)).toEqual(['1:1', '1:2', '2:1', '2:2', '0:5']);
	});
	it('end where there is nothing', () => {
		expect(pages([1], 0, 1)).toEqual(['0:1']);
		expect(pages([2, 0], 0, 2)).toEqual(['0:2', '0:1']);
	});
});
