import { needed } from '#lib/load';
import { chapters, mangas } from '#lib/api';
import { places as kept } from '#lib/state/places';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params, depends }) => {
	depends('title:chapters');
	const [manga, list, places] = await needed(
		Promise.all([mangas.get(params.id), chapters.all(params.id), kept.of(params.id)])
	);
	return { manga, chapters: list, places };
};
