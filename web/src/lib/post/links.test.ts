import { describe, expect, it } from 'vitest';
import { parts } from './links';

const addresses = (text: string) => parts(text).flatMap(({ href }) => href ?? []);

describe('addresses in a text', () => {
	it.each([
		['See https://a.example/x.', ['https://a.example/x']],
		['(https://a.example/b_(c)) and http://d.example', ['https://a.example/b_(c)', 'http://d.example']],
		['“https://a.example/”, she said', ['https://a.example/']],
		['HTTPS://A.EXAMPLE/?q=1&r=2', ['HTTPS://A.EXAMPLE/?q=1&r=2']],
		['no address, https://', []],
		['javascript:alert(1) data:text/html,x file:///etc ftp://a.example', []]
	])('%s', (text, found) => expect(addresses(text)).toEqual(found));

	it('lose nothing of it', () => {
		const text = '<b>Hi</b>\nhttps://a.example/<script>alert(1)</script>. https://';
		expect(parts(text).map((part) => part.text).join('')).toBe(text);
		expect(addresses(text)).toEqual(['https://a.example/']);
	});
	it('are none in an empty text', () => expect(parts('')).toEqual([]));
});
