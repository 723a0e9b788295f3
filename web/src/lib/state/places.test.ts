import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { MangaCard } from '#lib/api';

const kept = new Map<string, string>();
vi.stubGlobal('localStorage', {
	getItem: (key: string) => kept.get(key) ?? null,
	setItem: (key: string, value: string) => void kept.set(key, value)
});
vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}', { status: 401 })));
const { places } = await import('./places');

const manga = { id: 'm1', title: 'Berserk', cover: null } as MangaCard;
const chapter = (id: string) => ({ id, number: 1, title: null, page_count: 20 });

describe('the place of a guest', () => {
	beforeEach(() => kept.clear());

	it('is in the browser at every turn, in few bytes', async () => {
		for (const page of [1, 2, 3]) {
			places.note(manga, chapter('c1'), page);
			expect((await places.of('m1')).get('c1')).toMatchObject({ page, furthest_page: page });
		}
		expect(kept.has('orihon.places')).toBe(false);
	});
	it('of every chapter stays when another one is opened', async () => {
		places.note(manga, chapter('c1'), 7);
		places.note(manga, chapter('c1'), 5);
		places.note(manga, chapter('c2'), 2);
		const found = await places.of('m1');
		expect(found.get('c1')).toMatchObject({ page: 5, furthest_page: 7 });
		expect(found.get('c2')).toMatchObject({ page: 2 });
		expect((await places.latest()).map((entry) => entry.chapter_id)).toEqual(['c2']);
	});
});
