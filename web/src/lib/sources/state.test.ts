import { describe, expect, it } from 'vitest';
import type { AdapterView, Preset, Preview, Setting, Source } from '#lib/api';
import { en } from '#lib/messages/en';
import { changeOf, doubt, formOf, intervalsWith, kindOf, newSource, OWN, presetFor, promising, settingsOf, stateOf, wholeAddress } from './state';

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
		[source({ last_walk: walk('continued'), last_error: 'asked to wait' }), 'failing'],
		[source({ last_walk: walk('continued') }), 'partial'],
		[source({ last_walk: walk('stopped') }), 'partial'],
		[source({ last_walk: walk(null) }), 'partial'],
		[source({ last_walk: walk('stalled'), paused: true, last_error: 'got nowhere' }), 'stalled'],
		[source({ last_walk: walk('stalled') }), 'waiting']
	])('%#: %s', (given, state) => expect(stateOf(given)).toBe(state));
});

describe('an empty library', () => {
	const failing = source({ last_walk: walk('failed') });
	it.each([
		['is filling while a source was not looked at yet', [failing, source({})], true],
		['is filling while a source is followed', [source({ last_walk: walk('caught_up') })], true],
		['waits for nothing when all sources fail or are paused', [failing, source({ paused: true })], false],
		['waits for nothing without a source', [], false]
	])('%s', (_, sources, fills) => expect(promising(sources)).toBe(fills));
});

describe('an address as people write it', () => {
	it.each([
		['comics.example/latest', 'https://comics.example/latest'],
		[' comics.example:8080 ', 'https://comics.example:8080'],
		['comics.example', 'https://comics.example'],
		['http://comics.example/', 'http://comics.example/'],
		['ftp://comics.example/', 'ftp://comics.example/'],
		['garbage', 'garbage'],
		['', '']
	])('%s: %s', (text, whole) => expect(wholeAddress(text)).toBe(whole));
});

describe('the form', () => {
	it('gives back what a source says', () => {
		const form = formOf(
			source({ url: 'https://a.example/', name: 'A', settings: { profile: 'sample' } as never, byte_budget: 5_000_000 })
		);
		expect(form).toMatchObject({ url: 'https://a.example/', name: 'A', profile: 'sample', megabytes: '5' });
		expect(changeOf(form)).toMatchObject({ byte_budget: 5_000_000, settings: { profile: 'sample' } });
	});
	it('a source whose site has moved is told the new address', () => {
		const moved = { ...formOf(source({ url: 'https://old.example/' })), url: ' https://new.example/ ' };
		expect(changeOf(moved).url).toBe('https://new.example/');
	});
	it('an empty budget is no limit, an empty name is left to the server', () => {
		const made = newSource({ ...formOf(), url: ' https://a.example/ ', profile: 'sample' });
		expect(made).toMatchObject({ url: 'https://a.example/', byte_budget: null });
		expect('name' in made).toBe(false);
	});
	it('own text is sent as TOML', () => {
		expect(settingsOf({ ...formOf(), profile: OWN, toml: 'x = 1' })).toEqual({ profile_toml: 'x = 1' });
	});
});

describe('the settings of an adapter', () => {
	const settings = [
		{ name: 'count', title: 'Posts at a time', about: '', least: 1, most: 50 },
		{ name: 'language', title: 'Language', about: '', least: null, most: null }
	] as Setting[];
	const said = (said: Record<string, string>) => ({ ...formOf(), adapter: 'feed', url: 'https://a.example/', said });

	it.each([
		[{}, {}],
		[{ count: ' ', language: '' }, {}],
		[{ count: '20', language: ' en ' }, { count: 20, language: 'en' }],
		[{ count: 'many' }, { count: 'many' }],
		[{ unknown: 'x' }, {}]
	])('%o: %o', (given, sent) => {
		expect(newSource(said(given), settings)).toMatchObject({ adapter: 'feed', settings: sent });
		expect(settingsOf(said(given), settings)).toEqual(sent);
	});
	it('come back into the form as they are', () => {
		const form = formOf(source({ adapter: 'feed', settings: { count: 5, language: 'en' } as never }));
		expect(form.said).toEqual({ count: '5', language: 'en' });
		expect(changeOf(form, settings).settings).toEqual({ count: 5, language: 'en' });
	});
	it('tell what it follows', () => {
		expect(kindOf({ offers: ['feed'] } as AdapterView)).toBe('feed');
		expect(kindOf(undefined)).toBe('catalogue');
	});
});

describe('the profile of a site', () => {
	const presets = [
		{ name: 'any', hosts: [] as string[] },
		{ name: 'comics', hosts: ['comics.example'] }
	] as unknown as Preset[];

	it.each([
		['https://comics.example/latest', 'comics'],
		['https://www.comics.example/latest', 'comics'],
		['https://notcomics.example/', undefined],
		['https://other.example/', undefined],
		['comics.example', undefined],
		['', undefined]
	])('for %s: %s', (url, name) => expect(presetFor(url, presets)?.name).toBe(name));
});

describe('the intervals on offer', () => {
	it.each([
		[60, 'Every minute'],
		[90, 'Every 90 seconds'],
		[600, 'Every 10 minutes'],
		[3600, 'Every hour'],
		[172_800, 'Every 2 days'],
		[604_800, 'Every week']
	])('hold the one that a source has, %i seconds, in words: %s', (seconds, text) => {
		expect(intervalsWith(seconds)).toContain(seconds);
		expect(en.sources.form.every(seconds)).toBe(text);
	});
	it('stand in order, each once', () => {
		expect(intervalsWith(60)).toEqual([60, 600, 3600, 21_600, 86_400, 604_800]);
		expect(intervalsWith(3600)).toHaveLength(5);
	});
});

describe('a check', () => {
	const listing = { count: 3, dropped: 0, next: null, refs: [] } as unknown as Preview['listing'];
	const failure = (kind: string) => ({ step: 'listing', kind, text: '' }) as Preview['failure'];
	it.each([
		['that finds titles is good', { listing }, null],
		['that reaches nobody', { failure: failure('Unreachable') }, 'unreachable'],
		['that is refused', { failure: failure('Refused') }, 'refused'],
		['that does not find its way on the page', { failure: failure('LayoutChanged') }, 'unreadable'],
		['that finds no title', { listing: { ...listing, count: 0 } }, 'unreadable'],
		['that finds posts is good', { posts: { count: 2 } }, null],
		['that finds a creator without posts is good', { posts: { count: 0 } }, null],
		['that finds no creator', { failure: { ...failure('HttpStatus'), step: 'creator' } }, 'unreachable'],
		['that finds titles but cannot read one', { listing, failure: failure('LayoutChanged') }, 'unreadable']
	])('%s', (_, seen, said) => expect(doubt(seen as Preview)).toBe(said));
});
