import { needed } from '#lib/load';
import { open } from '#lib/reader/opened';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params }) => ({ opened: await needed(open(params.manga, params.chapter)) });
