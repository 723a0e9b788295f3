import { describe, expect, it } from 'vitest';
import { ApiError } from '#lib/api/client';
import { signInWords, words } from '#lib/errors';
import { en } from '#lib/messages/en';

describe('errors in words', () => {
	it('says that the server does not answer', () => {
		expect(words(new ApiError(0, 'offline', ''))).toBe(en.errors.offline);
	});
	it('says how long to wait', () => {
		expect(words(new ApiError(429, 'rate_limited', '', {}, 3))).toContain('3 seconds');
	});
	it('shows what the server explains', () => {
		expect(words(new ApiError(422, 'validation_failed', 'The profile has no key “lsit”.'))).toContain('lsit');
	});
	it('hides what happened inside', () => {
		expect(words(new ApiError(500, 'internal', 'Traceback'))).toBe(en.errors.unknown);
		expect(words(new TypeError('x is undefined'))).toBe(en.errors.unknown);
	});
	it('takes 401 at sign-in for a wrong password', () => {
		expect(signInWords(new ApiError(401, 'unauthenticated', 'x'))).toBe(en.errors.credentials);
	});
});
