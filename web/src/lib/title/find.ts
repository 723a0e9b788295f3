/** Finding a chapter among thousands, by its number or by words of its title. */
interface Named {
	number: number | null;
	title: string | null;
}

/** A number finds the chapters that begin with it, `12` also 120 and 12.5; anything else is looked for in titles. */
export function found<C extends Named>(chapters: C[], sought: string): C[] {
	const text = folded(sought.trim());
	if (text === '') return chapters;
	if (/^\d+(\.\d*)?$/.test(text)) return chapters.filter(({ number }) => number !== null && String(number).startsWith(text));
	return chapters.filter(({ title }) => title !== null && folded(title).includes(text));
}

/** Without case and accents. */
function folded(text: string): string {
	return text.normalize('NFKD').replace(/\p{M}/gu, '').toLocaleLowerCase();
}
