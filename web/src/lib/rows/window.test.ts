import { describe, expect, it } from 'vitest';
import { columnsFor, neighbour, onScale, TALLEST, visibleRows } from './window';

describe('rows on screen', () => {
	it('keeps spare rows on both sides', () => {
		expect(visibleRows(800, 800, 100, 500, 2)).toEqual({ first: 6, end: 18 });
	});
	it('starts at the top, also when the list begins below the fold', () => {
		expect(visibleRows(-200, 800, 100, 500, 2)).toEqual({ first: 0, end: 8 });
	});
	it('never goes beyond the end', () => {
		expect(visibleRows(1e9, 800, 100, 500, 3)).toEqual({ first: 500, end: 500 });
	});
	it('is empty before anything was measured', () => {
		expect(visibleRows(0, 800, 0, 500, 3)).toEqual({ first: 0, end: 0 });
	});
	it('shows the same number of rows however many there are', () => {
		expect(visibleRows(5000, 900, 250, 100_000, 3)).toEqual(visibleRows(5000, 900, 250, 100, 3));
	});
});

describe('a list taller than a browser can lay out', () => {
	const height = 90_000_000;
	const viewport = 900;
	const at = (top: number, before = { top: 0, shift: 0 }) => onScale(top, height, viewport, before);
	const row = ({ top, shift }: { top: number; shift: number }) => top + shift;

	it('is left alone while it fits', () => {
		expect(onScale(5000, TALLEST, viewport, { top: 0, shift: 7 })).toEqual({ top: 5000, shift: 0 });
	});
	it('can be scrolled from its first pixel to its last', () => {
		expect(row(at(0))).toBe(0);
		expect(row(at(TALLEST - viewport))).toBeCloseTo(height - viewport, 3);
	});
	it('moves one to one under the wheel, from wherever a jump has led', () => {
		const jumped = at(TALLEST / 2);
		expect(row(at(TALLEST / 2 + 100, jumped))).toBeCloseTo(row(jumped) + 100, 3);
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
