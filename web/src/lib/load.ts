import { error } from '@sveltejs/kit';
import { ApiError } from '#lib/api/client';
import { words } from '#lib/errors';

/** What a page needs before it can be shown; an error of the server becomes the error page, in words. */
export async function needed<T>(answer: Promise<T>): Promise<T> {
	try {
		return await answer;
	} catch (cause) {
		if (cause instanceof ApiError) error(cause.status >= 400 ? cause.status : 503, words(cause));
		throw cause;
	}
}
