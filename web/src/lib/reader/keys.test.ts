import { describe, expect, it } from 'vitest';
import { actOf, around, swiped, tapped } from './keys';

describe('keys', () => {
	it('turn pages the way the title reads', () => {
		expect(actOf('ArrowRight', 'single', 'ltr')).toBe('next');
		expect(actOf('ArrowRight', 'single', 'rtl')).toBe('previous');
		expect(actOf('ArrowLeft', 'single', 'rtl')).toBe('next');
	});
	it('j and k do not depend on the direction (E2E-2)', () => {
		expect(actOf('j', 'single', 'rtl')).toBe('next');
		expect(actOf('k', 'single', 'ltr')).toBe('previous');
	});
	it('arrows do not turn pages in continuous mode (E2E-4)', () => {
		for (const key of ['ArrowRight', 'ArrowLeft', ' ', 'Home', 'j']) expect(actOf(key, 'continuous', 'ltr')).toBeNull();
	});
	it('chapters and settings work in both modes', () => {
		for (const mode of ['single', 'continuous'] as const) {
			expect([actOf('n', mode, 'ltr'), actOf('m', mode, 'ltr'), actOf('Escape', mode, 'rtl')]).toEqual([
				'nextChapter',
				'mode',
				'back'
			]);
		}
	});
	it('leaves other keys alone', () => {
		expect(actOf('Tab', 'single', 'ltr')).toBeNull();
	});
});

describe('taps and swipes', () => {
	it('the outer thirds turn, the middle shows the controls', () => {
		expect([tapped(10, 300, 'ltr'), tapped(150, 300, 'ltr'), tapped(290, 300, 'ltr')]).toEqual(['previous', null, 'next']);
		expect([tapped(10, 300, 'rtl'), tapped(290, 300, 'rtl')]).toEqual(['next', 'previous']);
	});
	it('a swipe is long and flat', () => {
		expect(swiped(-80, 10, 'ltr')).toBe('next');
		expect(swiped(-80, 10, 'rtl')).toBe('previous');
		expect(swiped(-80, 70, 'ltr')).toBeNull();
		expect(swiped(-20, 0, 'ltr')).toBeNull();
	});
});

describe('pages held ready', () => {
	it('three ahead and one behind, within the chapter', () => {
		expect(around(5, 10)).toEqual([5, 6, 7, 8, 4]);
		expect(around(1, 2)).toEqual([1, 2]);
		expect(around(10, 10)).toEqual([10, 9]);
	});
});
