import { describe, expect, it } from 'vitest';
import { EMPTY, latest, MOST_PLACES, noted, without, type LocalPlace } from './shelf';

const at = (chapter: string, page: number, minute: number, owner: string | null = null): LocalPlace => ({
	chapter_id: chapter,
	manga_id: chapter[0] as string,
	page,
	furthest_page: page,
	client_time: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
	chapter: { number: 1, title: null, page_count: 20 },
	owner
});
const card = (id: string) => ({ id, title: id, cover: null });

describe('the local shelf', () => {
	it('moves a place on and never takes the furthest page back', () => {
		const shelf = noted(noted(EMPTY, at('a1', 9, 1), card('a')), at('a1', 2, 2), card('a'));
		expect(shelf.places).toEqual([{ ...at('a1', 2, 2), furthest_page: 9 }]);
	});
	it('keeps a guest’s place apart from that of somebody signed in', () => {
		expect(noted(noted(EMPTY, at('a1', 9, 1), card('a')), at('a1', 2, 2, 'me'), card('a')).places).toHaveLength(2);
	});
	it('lets the oldest go, and their cards with them', () => {
		let shelf = noted(EMPTY, at('z1', 1, 0), card('z'));
		shelf = { ...shelf, places: [...Array.from({ length: MOST_PLACES - 1 }, (_, n) => at(`a${n}`, 1, n + 1)), ...shelf.places] };
		shelf = noted(shelf, at('b1', 1, MOST_PLACES + 1), card('b'));
		expect(shelf.places).toHaveLength(MOST_PLACES);
		expect(Object.keys(shelf.cards)).not.toContain('z');
	});
	it('drops what was sent, but not what moved on while it was on its way', () => {
		const [sent, other] = [at('a1', 3, 1), at('a2', 1, 2)];
		const shelf = noted(noted(noted(EMPTY, sent, card('a')), other, card('a')), at('a1', 4, 3), card('a'));
		expect(without(shelf, [sent, other]).places.map((place) => [place.chapter_id, place.page])).toEqual([['a1', 4]]);
	});
	it('names each title once, the newest first', () => {
		expect(latest([at('a1', 1, 1), at('b1', 1, 2), at('a2', 1, 3)], 5).map((place) => place.chapter_id)).toEqual(['a2', 'b1']);
		expect(latest([at('a1', 1, 1), at('b1', 1, 2)], 1)).toHaveLength(1);
	});
});
