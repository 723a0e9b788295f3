import type { Handle } from '@sveltejs/kit/hooks';

/** Runs once, at build time, for the first page: the fonts of every first view come with it and not behind the styles. */
export const handle: Handle = ({ event, resolve }) =>
	resolve(event, { preload: ({ type, path }) => type !== 'font' || /(onest|literata)-latin-wght/.test(path) });
