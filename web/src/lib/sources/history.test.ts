import type { Walk } from '#lib/api';
import { describe, expect, it } from 'vitest';
import { runs } from './history';

let minute = 60;
const walk = (told: Partial<Walk> = {}): Walk => {
	minute -= 1;
	const ended = `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`;
	return { id: ended, mode: 'tick', outcome: 'caught_up', chunk: 1, error: null, started_at: ended, ended_at: ended, counts: {}, ...told } as Walk;
};
const words = ({ counts }: Walk) => (counts['new'] ? `${counts['new']} new` : '');
const times = (walks: Walk[]) => runs(walks, words).map((run) => run.times);

describe('what a source did', () => {
	it('tells once what it found again and again, with the latest and the earliest', () => {
		const walks = [walk(), walk(), walk()];
		expect(runs(walks, words)).toEqual([{ walk: walks[0], found: '', times: 3, since: walks[2]?.ended_at }]);
	});
	it('tells what brought something by itself', () => {
		expect(times([walk(), walk(), walk({ counts: { new: 2 } }), walk(), walk()])).toEqual([2, 1, 2]);
	});
	it.each([{ mode: 'recovery' }, { outcome: 'failed' }, { error: 'It did not answer.' }] as Partial<Walk>[])('parts %o', (other) => {
		expect(times([walk(), walk(other), walk()])).toEqual([1, 1, 1]);
	});
	it('joins no parts of one walk, nor what still runs', () => {
		const parts = [walk({ chunk: 2, outcome: 'end_of_list' }), walk({ outcome: 'continued' }), walk({ outcome: 'continued' })];
		expect(times(parts)).toEqual([1, 1, 1]);
		expect(times([walk({ outcome: null, ended_at: null }), walk({ outcome: null, ended_at: null })])).toEqual([1, 1]);
	});
	it('tells nothing of nothing', () => {
		expect(runs([], words)).toEqual([]);
	});
});
