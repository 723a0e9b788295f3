import type { HandleClientError } from '@sveltejs/kit/hooks';
import { ApiError } from '#lib/api/client';
import { words } from '#lib/errors';
import { en } from '#lib/messages/en';

/** Errors of loading a page, in words; shown by `+error.svelte`. */
export const handleError: HandleClientError = ({ error }) => {
	if (error instanceof ApiError) return { message: words(error) };
	return { message: en.errors.unknown };
};
