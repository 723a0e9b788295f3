import { describe, expect, it } from 'vitest';
import { actOf, swiped, tapped, type Direction } from './keys';

const directions: Direction[] = ['ltr', 'rtl', 'vertical'];

describe('keys', () => {
	it.each([
		['ltr', 'next', 'previous'],
		['rtl', 'previous', 'next'],
		['vertical', 'next', 'previous']
	] as const)('arrows turn the way a %s title reads', (direction, right, left) => {
		expect(actOf('ArrowRight', 'single', direction)).toBe(right);
		expect(actOf('ArrowLeft', 'single', direction)).toBe(left);
	});
	it.each(directions)('j and k go on and back in every mode, also %s', (direction) => {
		for (const mode of ['single', 'continuous'] as const)
			expect([actOf('j', mode, direction), actOf('k', mode, direction)]).toEqual(['next', 'previous']);
	});
	it.each([
		['ltr', 'down', 'up'],
		['rtl', 'up', 'down'],
		['vertical', 'down', 'up']
	] as const)('arrows scroll a %s strip by a screen, and never turn pages (E2E-4)', (direction, right, left) => {
		expect(actOf('ArrowRight', 'continuous', direction)).toBe(right);
		expect(actOf('ArrowLeft', 'continuous', direction)).toBe(left);
	});
	it('scrolls a strip by a screen with Space and the page keys', () => {
		expect([' ', 'PageDown', 'PageUp'].map((key) => actOf(key, 'continuous', 'rtl'))).toEqual(['down', 'down', 'up']);
		for (const mode of ['single', 'continuous'] as const) expect(actOf(' ', mode, 'ltr', true)).toBe('up');
	});
	it('leaves the rest that scrolls to the browser in continuous mode', () => {
		for (const key of ['ArrowUp', 'ArrowDown', 'Home', 'End']) expect(actOf(key, 'continuous', 'ltr')).toBeNull();
	});
	it('knows chapters, mode, fit, controls, help and the way back in both modes', () => {
		for (const mode of ['single', 'continuous'] as const)
			expect(['n', 'p', 'm', 'f', 'c', '?', 'Escape'].map((key) => actOf(key, mode, 'rtl'))).toEqual([
				'nextChapter',
				'previousChapter',
				'mode',
				'fit',
				'controls',
				'help',
				'back'
			]);
	});
	it('ignores the rest', () => {
		expect(actOf('x', 'single', 'ltr')).toBeNull();
	});
});

describe('taps', () => {
	it.each([
		[10, 'ltr', 'previous'],
		[290, 'ltr', 'next'],
		[10, 'rtl', 'next'],
		[290, 'rtl', 'previous'],
		[150, 'ltr', null],
		[150, 'rtl', null]
	] as const)('at %i of 300 on a %s title: %s', (x, direction, act) => {
		expect(tapped(x, 300, direction)).toBe(act);
	});
});

describe('swipes', () => {
	it('bring what lies on the other side', () => {
		expect(swiped(-80, 5, 'ltr')).toBe('next');
		expect(swiped(-80, 5, 'rtl')).toBe('previous');
		expect(swiped(80, 5, 'rtl')).toBe('next');
	});
	it('are not taps and not scrolling', () => {
		expect(swiped(-20, 0, 'ltr')).toBeNull();
		expect(swiped(-80, 70, 'ltr')).toBeNull();
	});
});
