import { sources } from '#lib/api';
import { needed } from '#lib/load';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params }) => ({ source: await needed(sources.get(params.id)) });
