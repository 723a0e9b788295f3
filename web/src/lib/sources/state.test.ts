import { describe, expect, it } from 'vitest';
import type { Source } from '#lib/api';
import { changeOf, formOf, newSource, settingsOf, stateOf } from './state';

const source = (over: Partial<Source>): Source =>
	({ paused: false, live: null, last_walk: null, last_error: null, settings: {}, content: 'all', ...over }) as Source;
const walk = (outcome: string | null) => ({ outcome }) as Source['last_walk'];

describe('what a source is doing', () => {
	it.each([
		[source({ paused: true, last_error: 'x' }), 'paused'],
		[source({ live: { phase: 'walking' } as Source['live'] }), 'walking'],
		[source({}), 'fresh'],
		[source({ last_walk: walk('caught_up') }), 'waiting'],
		[source({ last_walk: walk('failed') }), 'failing'],
		[source({ last_walk: walk('breaker') }), 'failing'],
		[source({ last_walk: walk('continued'), last_error: 'asked to wait' }), 'failing']
	])('%#: %s', (given, state) => expect(stateOf(given)).toBe(state));
});

describe('the form', () => {
	it('gives back what a source says', () => {
		const form = formOf(
			source({ url: 'https://a.example/', name: 'A', settings: { profile: 'sample' } as never, byte_budget: 5_000_000 })
		);
		expect(form).toMatchObject({ url: 'https://a.example/', name: 'A', profile: 'sample', megabytes: '5' });
		expect(changeOf(form)).toMatchObject({ byte_budget: 5_000_000, settings: { profile: 'sample' } });
	});
	it('an empty budget is no limit, an empty name is left to the server', () => {
		const made = newSource({ ...formOf(), url: ' https://a.example/ ', profile: 'sample' });
		expect(made).toMatchObject({ url: 'https://a.example/', byte_budget: null });
		expect('name' in made).toBe(false);
	});
	it('own text is sent as TOML', () => {
		expect(settingsOf({ ...formOf(), toml: 'x = 1' })).toEqual({ profile_toml: 'x = 1' });
	});
});
