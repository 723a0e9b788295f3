import { describe, expect, it } from 'vitest';
import { addressOf, queryOf } from './query';

const parsed = (address: string) => queryOf(new URL(address, 'http://x').searchParams);

describe('the query in the address', () => {
	it('says nothing that goes without saying', () => {
		expect(addressOf(queryOf())).toBe('/');
		expect(addressOf({ kind: 'manga', search: '', status: '', sort: 'title', order: 'asc' })).toBe('/?sort=title');
	});
	it.each(['/', '/?q=%E7%81%AF+x', '/?status=ongoing&sort=author&order=desc', '/?order=asc', '/?kind=feed&q=x'])('comes back from %s', (address) => {
		expect(addressOf(parsed(address))).toBe(address);
	});
	it('ignores what it does not know', () => {
		expect(addressOf(parsed('/?sort=size&status=lost&order=up'))).toBe('/');
	});
});
