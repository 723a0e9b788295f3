import type { HandleClientError } from '@sveltejs/kit/hooks';
import { ApiError } from '#lib/api/client';
import { words } from '#lib/errors';
import { en } from '#lib/messages/en';

/** Errors of loading a page, in words; shown by `+error.svelte`. */
export const handleError: HandleClientError = ({ kind, error }) => {
	// Said in words already, by `needed`.
	if (kind === 'app') return {};
	if (kind === 'framework') return { message: error.status === 404 ? en.errors.notFound : en.errors.unknown };
	return { message: error instanceof ApiError ? words(error) : en.errors.unknown };
};
