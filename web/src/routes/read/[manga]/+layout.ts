import { mangas } from '#lib/api';
import { needed } from '#lib/load';
import type { LayoutLoad } from './$types';

export const load: LayoutLoad = async ({ params }) => ({ manga: await needed(mangas.get(params.manga)) });
