import { describe, expect, it } from 'vitest';
import tokens from './tokens.css?raw';

const pairs = new Map([...tokens.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name, ...both]) => [name, both]));

function luminance(hex: string): number {
	const [r, g, b] = [1, 3, 5].map((at) => {
		const value = parseInt(hex.slice(at, at + 2), 16) / 255;
		return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
	}) as [number, number, number];
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
	const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
	return (light + 0.05) / (dark + 0.05);
}

const TEXT = 4.5;
const SHAPE = 3;

describe.each([
	['light', 0],
	['dark', 1]
])('WCAG 2.2 AA, %s', (_, side) => {
	const colour = (name: string) => pairs.get(name)?.[side] ?? expect.fail(`no token --${name}`);
	it.each([
		...['paper', 'surface', 'raised'].flatMap((ground) =>
			['ink', 'ink-soft', 'accent', 'good', 'bad'].map((text) => [text, ground, TEXT] as const)
		),
		['accent-ink', 'accent', TEXT] as const,
		['bad', 'bad-soft', TEXT] as const,
		['ink', 'accent-soft', TEXT] as const,
		['accent', 'accent-soft', TEXT] as const,
		...['paper', 'surface', 'raised'].flatMap((ground) => ['edge', 'focus'].map((line) => [line, ground, SHAPE] as const))
	])('%s on %s', (front, ground, least) => {
		expect(contrast(colour(front), colour(ground))).toBeGreaterThanOrEqual(least);
	});
});
