import { describe, expect, it } from 'vitest';
import { columnsFor, neighbour, visibleRows } from './window';

describe('rows on screen', () => {
	it('keeps spare rows on both sides', () => {
		expect(visibleRows(1000, 800, 200, 100, 500)).toEqual({ first: 6, end: 18 });
	});
	it('starts at the top', () => {
		expect(visibleRows(0, 800, 200, 100, 500)).toEqual({ first: 0, end: 8 });
	});
	it('never goes beyond the end', () => {
		expect(visibleRows(1e9, 800, 0, 100, 500)).toEqual({ first: 500, end: 500 });
	});
	it('is empty before anything was measured', () => {
		expect(visibleRows(0, 800, 0, 0, 500)).toEqual({ first: 0, end: 0 });
	});
	it('shows the same number of rows however many there are', () => {
		const few = visibleRows(5000, 900, 0, 250, 100);
		const many = visibleRows(5000, 900, 0, 250, 100_000);
		expect(many).toEqual(few);
	});
});

describe('columns', () => {
	it('fit the width, at least two', () => {
		expect([columnsFor(360, 160, 12), columnsFor(330, 160, 12), columnsFor(1440, 160, 12)]).toEqual([2, 2, 8]);
		expect(columnsFor(100, 160, 12)).toBe(2);
	});
});

describe('arrow keys in a grid', () => {
	it.each([
		['ArrowRight', 4, 5],
		['ArrowLeft', 0, 0],
		['ArrowDown', 4, 8],
		['ArrowDown', 9, 9],
		['ArrowUp', 2, 2],
		['Home', 7, 0],
		['End', 0, 9],
		['x', 3, 3]
	])('%s from %i leads to %i', (key, from, to) => {
		expect(neighbour(from, key, 4, 10)).toBe(to);
	});
});
