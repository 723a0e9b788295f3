import { describe, expect, it } from 'vitest';
import { inside } from './inside';

const ORIGIN = 'http://localhost:8080';

describe('the way after signing in', () => {
	it.each(['/', '/title/1', '/read/1/2?page=3', '/?search=%2F%2Fa#top', '/a//b'])('goes to %s', (said) => {
		expect(inside(said, ORIGIN)).toBe(said);
	});

	it.each([
		null,
		'',
		'//evil.example',
		'///evil.example',
		'/\\evil.example',
		'\\\\evil.example',
		'/\t/evil.example',
		'/\n/evil.example',
		'/\r\n/evil.example',
		'\t//evil.example',
		'/\0/evil.example',
		'/\u0085/evil.example',
		'/.//evil.example',
		'/a/..//evil.example',
		'https://evil.example/',
		'javascript:alert(1)',
		'evil.example'
	])('stays for %j', (said) => {
		expect(inside(said, ORIGIN)).toBe('/');
	});
});
