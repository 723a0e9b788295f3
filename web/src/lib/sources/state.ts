/** What a source is doing, and what its form says: pure, so that it can be tested. */
import type { AdapterView, NewSource, Preset, Preview, Setting, Source, SourceEdit } from '#lib/api';

export type State = 'walking' | 'waiting' | 'partial' | 'paused' | 'stalled' | 'failing' | 'fresh';

const FAILED = ['failed', 'breaker'];
/** A walk that is to go on: its part ended, or its worker did. */
const CUT = [null, 'continued', 'stopped', 'interrupted'];

export function stateOf(source: Source): State {
	const outcome = source.last_walk?.outcome;
	// Whoever gets nowhere is paused by the worker; that is another thing than being paused by a person.
	if (source.paused) return outcome === 'stalled' ? 'stalled' : 'paused';
	if (source.live) return 'walking';
	if (outcome === undefined) return 'fresh';
	if (source.last_error || FAILED.includes(outcome ?? '')) return 'failing';
	return CUT.includes(outcome) ? 'partial' : 'waiting';
}

/** Whether titles may still come by themselves: something is being looked at, or will be. */
export function promising(sources: readonly Source[]): boolean {
	return sources.some((source) => ['walking', 'waiting', 'partial', 'fresh'].includes(stateOf(source)));
}

/** Instead of a preset: a profile of one's own. */
export const OWN = '@own';

/**
 * What the form holds; `profile` is a preset's name, `OWN` for the text in `toml`, or empty: not chosen yet. `said` are
 * the settings of any other adapter, by their names, as somebody types them; empty: left out.
 */
export interface Form {
	adapter: string;
	said: Record<string, string>;
	url: string;
	name: string;
	profile: string;
	toml: string;
	content: Source['content'];
	megabytes: string;
	interval: number;
}

const MEGABYTE = 1_000_000;

/** The adapter whose settings are a site profile; what every other one needs is said by itself. */
export const PROFILED = 'html';

export function formOf(source?: Source): Form {
	const settings = (source?.settings ?? {}) as { profile?: unknown; profile_toml?: unknown };
	return {
		adapter: source?.adapter ?? PROFILED,
		said: Object.fromEntries(Object.entries(source?.settings ?? {}).map(([name, value]) => [name, plain(value)])),
		url: source?.url ?? '',
		name: source?.name ?? '',
		profile: typeof settings.profile === 'string' ? settings.profile : source ? OWN : '',
		toml: typeof settings.profile_toml === 'string' ? settings.profile_toml : '',
		content: source?.content ?? 'wanted',
		megabytes: source?.byte_budget ? String(Math.max(1, Math.round(source.byte_budget / MEGABYTE))) : '',
		interval: source?.interval_seconds ?? 3600
	};
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** `known`: the settings that the adapter has. What is empty is left out, and the adapter has its own value. */
export function settingsOf(form: Form, known: readonly Setting[] = []): NewSource['settings'] {
	let settings: Record<string, unknown>;
	if (form.adapter === PROFILED) settings = form.profile === OWN ? { profile_toml: form.toml } : { profile: form.profile };
	else {
		const given = known.filter(({ name }) => form.said[name]?.trim());
		settings = Object.fromEntries(given.map((one) => [one.name, valueOf(one, form.said[one.name] as string)]));
	}
	return settings as NewSource['settings'];
}

/** What is no number is sent as it stands: the server says in words what it should be. */
function valueOf(setting: Setting, said: string): string | number {
	const number = Number(said);
	return isNumber(setting) && Number.isInteger(number) ? number : said.trim();
}

export const isNumber = (setting: Setting): boolean => setting.least !== null || setting.most !== null;

/** What an adapter follows: its first kind, as the server takes it. */
export const kindOf = (adapter: AdapterView | undefined): Source['kind'] => (adapter?.offers[0] ?? 'catalogue') as Source['kind'];

function budgetOf(form: Form): number | null {
	const megabytes = Number(form.megabytes);
	return form.megabytes.trim() && megabytes > 0 ? Math.round(megabytes * MEGABYTE) : null;
}

export function newSource(form: Form, known: readonly Setting[] = []): NewSource {
	return {
		adapter: form.adapter,
		url: form.url.trim(),
		...(form.name.trim() && { name: form.name.trim() }),
		settings: settingsOf(form, known),
		content: form.content,
		byte_budget: budgetOf(form),
		interval_seconds: form.interval
	} as NewSource;
}

export function changeOf(form: Form, known: readonly Setting[] = []): SourceEdit {
	return {
		...(form.name.trim() && { name: form.name.trim() }),
		url: form.url.trim(),
		settings: settingsOf(form, known),
		content: form.content,
		byte_budget: budgetOf(form),
		interval_seconds: form.interval
	} as SourceEdit;
}

/** The preset that is made for the site of an address: for its host, or for one that this is a subdomain of. */
export function presetFor(url: string, presets: readonly Preset[]): Preset | undefined {
	const host = hostOf(url);
	return host ? presets.find(({ hosts }) => hosts.some((name) => host === name || host.endsWith(`.${name}`))) : undefined;
}

/** Empty where it is no address yet. */
export function hostOf(url: string): string {
	return URL.canParse(url.trim()) ? new URL(url.trim()).hostname : '';
}

/** An address as people write it, `comics.example/latest`, made whole; what is whole, or is no name of a site, stays. */
export function wholeAddress(text: string): string {
	const said = text.trim();
	return /^[\w-]+(\.[\w-]+)+([:/?#]|$)/.test(said) ? `https://${said}` : said;
}

const INTERVALS = [600, 3600, 21_600, 86_400, 604_800];

/** Intervals to choose from, in seconds; the one that a source has is one of them, whoever gave it. */
export function intervalsWith(current: number): number[] {
	return [...new Set([...INTERVALS, current])].sort((a, b) => a - b);
}

/** What a check that is no good says: whether the site may not be asked, was not reached, or not understood; null: it is good. */
export function doubt(seen: Preview): 'refused' | 'unreachable' | 'unreadable' | null {
	if (seen.failure?.kind === 'Refused') return 'refused';
	if (seen.failure) return NETWORK.has(seen.failure.kind) ? 'unreachable' : 'unreadable';
	// A creator who has not posted yet may be followed; a site without titles is no site that is understood.
	return seen.posts || seen.listing?.count ? null : 'unreadable';
}

/** Kinds of failure of the way to the site; all others are about what it answered. */
const NETWORK = new Set([
	...['Unreachable', 'TimedOut', 'HttpStatus', 'Denied', 'Gone', 'RateLimited'],
	...['CutShort', 'Malformed', 'TooLarge', 'EmptyBody']
]);
