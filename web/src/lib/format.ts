/** Figures and moments for people. */
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

export function bytes(count: number): string {
	let value = count;
	let unit = 0;
	while (value >= 1000 && unit < UNITS.length - 1) {
		value /= 1000;
		unit += 1;
	}
	return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
	['second', 60],
	['minute', 60],
	['hour', 24],
	['day', 30],
	['month', 12],
	['year', Infinity]
];

/** "in 5 minutes", "3 days ago". */
export function ago(moment: string, now: number = Date.now()): string {
	let value = (Date.parse(moment) - now) / 1000;
	for (const [unit, size] of STEPS) {
		if (Math.abs(value) < size) return relative.format(Math.round(value), unit);
		value /= size;
	}
	return '';
}

/** The same for what is still to come: when its moment has passed, it comes at any moment. */
export function soon(moment: string, now: number = Date.now()): string {
	return ago(Date.parse(moment) > now ? moment : new Date(now).toISOString(), now);
}

const days = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });

/** "3 Mar 2026", in the order of the language. */
export function day(moment: string): string {
	return days.format(new Date(moment));
}
