import { describe, expect, it } from 'vitest';
import { ago, bytes, soon } from './format';

describe('bytes', () => {
	it.each([
		[0, '0 B'],
		[999, '999 B'],
		[1000, '1.0 KB'],
		[1_250_000, '1.3 MB'],
		[34_000_000_000, '34 GB']
	])('%i reads %s', (count, text) => expect(bytes(count)).toBe(text));
});

describe('moments', () => {
	const now = Date.parse('2026-01-10T12:00:00Z');
	it.each([
		['2026-01-10T12:00:30Z', 'in 30 seconds'],
		['2026-01-10T11:55:00Z', '5 minutes ago'],
		['2026-01-10T15:00:00Z', 'in 3 hours'],
		['2026-01-09T12:00:00Z', 'yesterday'],
		['2025-01-10T12:00:00Z', 'last year']
	])('%s is %s', (moment, text) => expect(ago(moment, now)).toBe(text));
	it('says of what is due that it comes now', () => {
		expect(soon('2026-01-10T11:59:58Z', now)).toBe('now');
		expect(soon('2026-01-10T12:05:00Z', now)).toBe('in 5 minutes');
	});
});
