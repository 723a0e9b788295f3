/** What a source did, told without saying the same over and over. */
import type { Walk } from '#lib/api';

export interface Run {
	/** The latest of them. */
	walk: Walk;
	/** What it found, in words. */
	found: string;
	times: number;
	/** When the earliest of them ended. */
	since: string;
}

/** `walks` the latest first. Those that follow each other and would be told in the same words are one run. */
export function runs(walks: readonly Walk[], words: (walk: Walk) => string): Run[] {
	const told: Run[] = [];
	for (const walk of walks) {
		const found = words(walk);
		const since = walk.ended_at ?? walk.started_at;
		const last = told.at(-1);
		if (last && last.found === found && alike(last.walk, walk)) {
			last.times += 1;
			last.since = since;
		} else told.push({ walk, found, times: 1, since });
	}
	return told;
}

/** One that runs, and a part of a longer one, stand alone. */
function alike(a: Walk, b: Walk): boolean {
	const whole = a.chunk === 1 && b.chunk === 1 && a.outcome !== null && a.outcome !== 'continued';
	return whole && a.mode === b.mode && a.outcome === b.outcome && a.error === b.error;
}
