/** What a source is doing, and what its form says: pure, so that it can be tested. */
import type { NewSource, Source, SourceEdit } from '#lib/api';

export type State = 'walking' | 'waiting' | 'paused' | 'failing' | 'fresh';

const FAILED = ['failed', 'breaker'];

export function stateOf(source: Source): State {
	if (source.paused) return 'paused';
	if (source.live) return 'walking';
	if (!source.last_walk) return 'fresh';
	return source.last_error || FAILED.includes(source.last_walk.outcome ?? '') ? 'failing' : 'waiting';
}

/** What the form holds; `profile` is a preset's name, or empty for the text in `toml`. */
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
		profile: typeof settings.profile === 'string' ? settings.profile : '',
		toml: typeof settings.profile_toml === 'string' ? settings.profile_toml : '',
		content: source?.content ?? 'wanted',
		megabytes: source?.byte_budget ? String(Math.max(1, Math.round(source.byte_budget / MEGABYTE))) : '',
		interval: source?.interval_seconds ?? 3600
	};
}

export function settingsOf(form: Form): NewSource['settings'] {
	const settings: Record<string, string> = form.profile ? { profile: form.profile } : { profile_toml: form.toml };
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
