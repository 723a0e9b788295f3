import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ReaderSettings } from './settings.svelte';

beforeEach(() => {
	const kept = new Map<string, string>();
	vi.stubGlobal('localStorage', {
		getItem: (key: string) => kept.get(key) ?? null,
		setItem: (key: string, value: string) => kept.set(key, value)
	});
});

describe('how a title is opened', () => {
	it('follows the title: pages, or one strip where it is drawn as one', () => {
		expect(new ReaderSettings('a', 'rtl')).toMatchObject({ mode: 'single', direction: 'rtl', gap: 8, fit: 'page' });
		expect(new ReaderSettings('b', 'vertical')).toMatchObject({ mode: 'continuous', gap: 0 });
	});
	it('remembers a mode for this title and for the next ones', () => {
		new ReaderSettings('a', 'ltr').mode = 'continuous';
		expect(new ReaderSettings('b', 'rtl').mode).toBe('continuous');
	});
	it('does not take a strip’s mode for all', () => {
		new ReaderSettings('strip', 'vertical').mode = 'single';
		new ReaderSettings('a', 'ltr').mode = 'continuous';
		expect(new ReaderSettings('strip', 'vertical').mode).toBe('single');
		new ReaderSettings('other', 'vertical').mode = 'continuous';
		new ReaderSettings('a', 'ltr').mode = 'single';
		expect(new ReaderSettings('other', 'vertical').mode).toBe('continuous');
	});
	it('keeps a direction for one title alone, until it is reset', () => {
		const settings = new ReaderSettings('a', 'ltr');
		settings.direction = 'rtl';
		expect(new ReaderSettings('a', 'ltr').direction).toBe('rtl');
		expect(new ReaderSettings('b', 'ltr').direction).toBe('ltr');
		settings.reset();
		expect(new ReaderSettings('a', 'ltr')).toMatchObject({ direction: 'ltr', overridden: false });
	});
	it('honours a mode and a gap that were set elsewhere', () => {
		localStorage.setItem('orihon.reader', '{"mode":"continuous","gap":24}');
		expect(new ReaderSettings('a', 'ltr')).toMatchObject({ mode: 'continuous', gap: 24 });
	});
	it('offers a strip the fits that mean something there', () => {
		const settings = new ReaderSettings('a', 'ltr');
		expect(settings.fits).toContain('page');
		settings.mode = 'continuous';
		expect(settings.fits).toEqual(['width', 'height', 'original']);
		expect(settings.fit).toBe('height');
		for (const fit of ['original', 'width', 'height']) {
			settings.nextFit();
			expect(settings.fit).toBe(fit);
		}
	});
	it('survives what it cannot read', () => {
		localStorage.setItem('orihon.reader', '{');
		expect(new ReaderSettings('a', 'ltr').mode).toBe('single');
	});
});
