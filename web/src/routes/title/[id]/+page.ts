import { chapters, mangas } from '$lib/api';
import { bookmarks } from '$lib/state/bookmarks.svelte';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params, depends }) => {
	depends('title:chapters');
	const [manga, list, places] = await Promise.all([
		mangas.get(params.id),
		chapters.all(params.id),
		bookmarks.of(params.id)
	]);
	return { manga, chapters: list, places };
};
