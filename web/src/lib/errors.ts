/** Errors in words for people. */
import { ApiError } from '#lib/api/client';
import { en } from '#lib/messages/en';

export function words(error: unknown): string {
	if (!(error instanceof ApiError)) return en.errors.unknown;
	if (error.status === 0) return en.errors.offline;
	if (error.status === 401) return en.errors.unauthenticated;
	if (error.status === 403) return error.message || en.errors.forbidden;
	if (error.status === 404) return en.errors.notFound;
	if (error.status === 429) return en.errors.rateLimited(Math.max(1, error.retryAfter));
	if (error.status === 503) return error.message || en.errors.offline;
	if (error.status >= 500) return en.errors.unknown;
	return error.message || en.errors.unknown;
}

/** Words for a refused sign-in, where 401 means the password and not the session. */
export function signInWords(error: unknown): string {
	return error instanceof ApiError && error.status === 401 ? en.errors.credentials : words(error);
}
