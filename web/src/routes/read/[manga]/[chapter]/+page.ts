import { needed } from '$lib/load';
import { chapters, mangas } from '$lib/api';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params, depends }) => {
	depends('reader:chapter');
	const [manga, chapter, pages] = await needed(
		Promise.all([
			mangas.get(params.manga),
			chapters.get(params.manga, params.chapter),
			chapters.pages(params.manga, params.chapter)
		])
	);
	return { manga, chapter, pages };
};
