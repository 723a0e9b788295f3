/** What a source is doing, and what its form says: pure, so that it can be tested. */
import type { NewSource, Preset, Preview, Source, SourceEdit } from '#lib/api';

export type State = 'walking' | 'waiting' | 'paused' | 'failing' | 'fresh';

const FAILED = ['failed', 'breaker'];

export function stateOf(source: Source): State {
	if (source.paused) return 'paused';
	if (source.live) return 'walking';
	if (!source.last_walk) return 'fresh';
	return source.last_error || FAILED.includes(source.last_walk.outcome ?? '') ? 'failing' : 'waiting';
}

/** Whether titles may still come by themselves: something is being looked at, or will be. */
export function promising(sources: readonly Source[]): boolean {
	return sources.some((source) => ['walking', 'waiting', 'fresh'].includes(stateOf(source)));
}

/** Instead of a preset: a profile of one's own. */
export const OWN = '@own';

/** What the form holds; `profile` is a preset's name, `OWN` for the text in `toml`, or empty: not chosen yet. */
export interface Form {
	url: string;
	name: string;
	profile: string;
	toml: string;
	content: Source['content'];
	megabytes: string;
	interval: number;
}

const MEGABYTE = 1_000_000;

export function formOf(source?: Source): Form {
	const settings = (source?.settings ?? {}) as { profile?: unknown; profile_toml?: unknown };
	return {
		url: source?.url ?? '',
		name: source?.name ?? '',
		profile: typeof settings.profile === 'string' ? settings.profile : source ? OWN : '',
		toml: typeof settings.profile_toml === 'string' ? settings.profile_toml : '',
		content: source?.content ?? 'wanted',
		megabytes: source?.byte_budget ? String(Math.max(1, Math.round(source.byte_budget / MEGABYTE))) : '',
		interval: source?.interval_seconds ?? 3600
	};
}

export function settingsOf(form: Form): NewSource['settings'] {
	const settings: Record<string, string> = form.profile === OWN ? { profile_toml: form.toml } : { profile: form.profile };
	return settings as NewSource['settings'];
}

function budgetOf(form: Form): number | null {
	const megabytes = Number(form.megabytes);
	return form.megabytes.trim() && megabytes > 0 ? Math.round(megabytes * MEGABYTE) : null;
}

export function newSource(form: Form): NewSource {
	return {
		adapter: 'html',
		url: form.url.trim(),
		...(form.name.trim() && { name: form.name.trim() }),
		settings: settingsOf(form),
		content: form.content,
		byte_budget: budgetOf(form),
		interval_seconds: form.interval
	} as NewSource;
}

export function changeOf(form: Form): SourceEdit {
	return {
		...(form.name.trim() && { name: form.name.trim() }),
		settings: settingsOf(form),
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
	return seen.listing?.count ? null : 'unreadable';
}

/** Kinds of failure of the way to the site; all others are about what it answered. */
const NETWORK = new Set([
	...['Unreachable', 'TimedOut', 'HttpStatus', 'Denied', 'Gone', 'RateLimited'],
	...['CutShort', 'Malformed', 'TooLarge', 'EmptyBody']
]);
