/** What somebody elsewhere wrote, as text and the addresses in it: nothing of it is ever taken for markup. */
export interface Part {
	text: string;
	/** Of the web; undefined: text. */
	href?: string;
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"“”«»]+/giu;
/** What ends a sentence is not part of the address before it. */
const TAIL = /[.,;:!?'’…]+$/u;

export function parts(text: string): Part[] {
	const found: Part[] = [];
	let at = 0;
	for (const { 0: said, index } of text.matchAll(ADDRESS)) {
		const address = bare(said);
		if (!URL.canParse(address)) continue;
		if (index > at) found.push({ text: text.slice(at, index) });
		found.push({ text: address, href: address });
		at = index + address.length;
	}
	if (at < text.length) found.push({ text: text.slice(at) });
	return found;
}

/** Without the end of the sentence, and without a bracket that was opened before the address. */
function bare(said: string): string {
	let address = said.replace(TAIL, '');
	while (/[)\]]$/.test(address) && count(address, /[([]/g) < count(address, /[)\]]/g)) address = address.slice(0, -1).replace(TAIL, '');
	return address;
}

const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;
