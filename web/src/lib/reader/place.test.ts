import { describe, expect, it } from 'vitest';
import { offTo, spotAt } from './place';

const heights = [100, 300, 50, 200];
const boxes = (scale = 1, scrolled = 0) =>
	heights.map((height, index) => {
		const top = heights.slice(0, index).reduce((sum, one) => sum + one, 0) * scale - scrolled;
		return { top, bottom: top + height * scale };
	});
const at = (line: number, scale = 1, scrolled = 0) => spotAt(line, heights.length, (index) => boxes(scale, scrolled)[index]!);

describe('a place in a strip', () => {
	it.each([
		[0, 0, 0],
		[99, 0, 0.99],
		[100, 1, 0],
		[250, 1, 0.5],
		[420, 2, 0.4],
		[649, 3, 0.995],
		[9999, 3, 1],
		[-50, 0, 0]
	])('under the line at %i is box %i, %f into it', (line, box, into) => {
		expect(at(line)).toEqual({ box, into });
	});
	it('is the same place at another width', () => {
		const spot = at(250);
		const wide = boxes(2)[spot.box]!;
		expect(offTo(spot, 250, wide)).toBe(250);
		expect(at(250, 2, 250)).toEqual(spot);
	});
	it('measures few boxes of many', () => {
		let measured = 0;
		spotAt(123_456, 2000, (index) => {
			measured += 1;
			return { top: index * 100, bottom: index * 100 + 100 };
		});
		expect(measured).toBeLessThan(15);
	});
});
