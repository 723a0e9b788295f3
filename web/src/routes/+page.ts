import { queryOf } from '#lib/catalogue/query';
import { titlesOf } from '#lib/catalogue/titles.svelte';
import type { PageLoad } from './$types';

/** On the first view the list is all but here: drawing the page once, with it, is sooner than drawing it twice. */
const PATIENCE_MS = 250;
let first = true;

export const load: PageLoad = async ({ url }) => {
	if (!first) return;
	first = false;
	const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
	await Promise.race([titlesOf(queryOf(url.searchParams)).begin(), late]);
};
