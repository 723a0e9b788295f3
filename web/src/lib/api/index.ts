/** What the interface asks of the server. No component knows an address. */
import type { Query } from '#lib/catalogue/query';
import { body, client } from './client';
import type { components } from './schema';

type Schemas = components['schemas'];
export type User = Schemas['User'];
export type MangaCard = Schemas['MangaCard'];
export type MangaDetail = Schemas['MangaDetail'];
export type Image = Schemas['Image'];
export type Chapter = Schemas['Chapter'];
export type ChapterDetail = Schemas['ChapterDetail'];
export type ChapterLink = Schemas['ChapterLink'];
export type Page = Schemas['Page'];
export type Progress = Schemas['Progress'];
export type ProgressItem = Schemas['ProgressItem'];
export type Source = Schemas['SourceView'];
export type RemovedSource = Schemas['Removed'];
export type NewSource = Schemas['NewSource'];
export type SourceEdit = Schemas['SourceEdit'];
export type Preview = Schemas['Preview'];
export type Preset = Schemas['Preset'];
export type AdapterView = Schemas['AdapterView'];
export type Setting = Schemas['Setting'];
export type Walk = Schemas['WalkRow'];
export type GivenUp = Schemas['GivenUp'];
export type Attachment = Schemas['Attachment'];
export type Lane = Schemas['LaneCount'];
export type Job = Schemas['JobRow'];

const API = '/api/v1';

export const auth = {
	me: () => body(client.GET(`${API}/auth/me`)).then((answer) => answer.user),
	signIn: (username: string, password: string) =>
		body(client.POST(`${API}/auth/login`, { body: { username, password } })).then((answer) => answer.user),
	signOut: () => body(client.POST(`${API}/auth/logout`))
};

export const mangas = {
	/** Titles by cursor (`after`) or by `offset`. A search is sorted by how well it fits. */
	list: (query: Query, part: { limit: number; after?: string; offset?: number }, signal: AbortSignal) =>
		body(client.GET(`${API}/mangas`, { params: { query: { ...asked(query), ...part } }, signal })),
	get: (id: string) => body(client.GET(`${API}/mangas/{work_id}`, { params: { path: { work_id: id } } })),
	want: (id: string) => body(client.PUT(`${API}/mangas/{work_id}/wanted`, { params: { path: { work_id: id } } })),
	unwant: (id: string) => body(client.DELETE(`${API}/mangas/{work_id}/wanted`, { params: { path: { work_id: id } } }))
};

export const chapters = {
	/** Every chapter of a title, oldest first. */
	async all(mangaId: string): Promise<Chapter[]> {
		const found: Chapter[] = [];
		for (;;) {
			const answer = await body(
				client.GET(`${API}/mangas/{work_id}/chapters`, {
					params: { path: { work_id: mangaId }, query: { limit: 1000, offset: found.length } }
				})
			);
			found.push(...answer.items);
			if (answer.items.length < 1000) return found;
		}
	},
	get: (mangaId: string, id: string) =>
		body(
			client.GET(`${API}/mangas/{work_id}/chapters/{chapter_id}`, {
				params: { path: { work_id: mangaId, chapter_id: id } }
			})
		),
	pages: (mangaId: string, id: string) =>
		body(
			client.GET(`${API}/mangas/{work_id}/chapters/{chapter_id}/pages`, {
				params: { path: { work_id: mangaId, chapter_id: id } }
			})
		).then((answer) => answer.pages),
	fetch: (mangaId: string, id: string) =>
		body(
			client.POST(`${API}/mangas/{work_id}/chapters/{chapter_id}/fetch`, {
				params: { path: { work_id: mangaId, chapter_id: id } }
			})
		)
};

export const progress = {
	of: (mangaId: string) =>
		body(client.GET(`${API}/me/progress`, { params: { query: { manga_id: mangaId, limit: 1000 } } })).then(
			(answer) => answer.items
		),
	latest: (limit: number) =>
		body(client.GET(`${API}/me/progress`, { params: { query: { latest: true, limit } } })).then(
			(answer) => answer.items
		),
	/** `last`: the page is being left, so the request must outlive it. */
	put: (items: ProgressItem[], last = false) =>
		body(client.PUT(`${API}/me/progress`, { body: { items }, keepalive: last })).then((answer) => answer.items)
};

/** Walks in one request. */
export const WALKS = 20;

export const sources = {
	list: () => body(client.GET(`${API}/sources`)).then((answer) => answer.items),
	adapters: () => body(client.GET(`${API}/sources/adapters`)).then((answer) => answer.items),
	get: (id: string) => body(client.GET(`${API}/sources/{source_id}`, { params: { path: { source_id: id } } })),
	/** What it did, the latest first. */
	walks: (id: string, offset: number) =>
		body(
			client.GET(`${API}/sources/{source_id}/walks`, {
				params: { path: { source_id: id }, query: { limit: WALKS, offset } }
			})
		).then((answer) => answer.items),
	/** Files that are asked for no more, the latest first. */
	failures: (id: string, offset: number) =>
		body(
			client.GET(`${API}/sources/{source_id}/failures`, {
				params: { path: { source_id: id }, query: { limit: WALKS, offset } }
			})
		).then((answer) => answer.items),
	check: (adapter: string, url: string, settings: Record<string, unknown>) =>
		body(client.POST(`${API}/sources/check`, { body: { adapter, url, settings: settings as never } })),
	add: (source: NewSource) => body(client.POST(`${API}/sources`, { body: source })),
	edit: (id: string, change: SourceEdit) =>
		body(client.PATCH(`${API}/sources/{source_id}`, { params: { path: { source_id: id } }, body: change })),
	remove: (id: string) => body(client.DELETE(`${API}/sources/{source_id}`, { params: { path: { source_id: id } } })),
	/** Those that are followed no more and still remembered, the latest first. */
	removed: () => body(client.GET(`${API}/sources/removed`)).then((answer) => answer.items),
	forget: (id: string) => body(client.DELETE(`${API}/sources/removed/{source_id}`, { params: { path: { source_id: id } } })),
	/** Without a mode: look for news. */
	run: (id: string, mode?: 'backfill' | 'recovery') =>
		body(client.POST(`${API}/sources/{source_id}/run`, { params: { path: { source_id: id }, query: { mode: mode ?? null } } }))
};

export const jobs = {
	counts: () => body(client.GET(`${API}/jobs/counts`)).then((answer) => answer.lanes),
	dead: () =>
		body(client.GET(`${API}/jobs`, { params: { query: { state: 'dead', limit: 50 } } })).then((answer) => answer.items),
	requeue: (id?: string) =>
		body(
			client.POST(`${API}/jobs/requeue`, {
				body: { scope: id ? 'job' : 'all', kind: null, id: id ?? null, confirm: !id }
			})
		).then((answer) => answer.requeued)
};

/** A stream of what moves; `topics` as the server names them. */
export const events = (topics: string): EventSource => new EventSource(`${API}/events?topics=${topics}`);

/** Widths that the server makes; others are rounded up to one of them. */
export const THUMBNAIL_WIDTHS = [160, 320, 480, 640, 960] as const;

/** Address of an image at most `width` CSS pixels wide. */
export const thumbnail = (image: Image, width: (typeof THUMBNAIL_WIDTHS)[number]): string => `${image.url}?w=${width}`;

function asked({ kind, search, status, sort, order }: Query) {
	return { ...(kind !== 'manga' && { kind }), ...(search ? { search } : { sort, order }), ...(status && { status }) };
}
