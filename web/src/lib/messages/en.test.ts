import { describe, expect, it } from 'vitest';
import { en } from './en';

describe('the name of a chapter', () => {
	it.each([
		[1, null, 'Chapter 1'],
		[10.5, 'The Quiet Bell', 'Chapter 10.5: The Quiet Bell'],
		[10.5, 'Chapter 10.5: The Quiet Bell', 'Chapter 10.5: The Quiet Bell'],
		[12, '第12話', '第12話'],
		[1, '100 Days', 'Chapter 1: 100 Days'],
		[null, 'A notice', 'A notice'],
		[null, null, 'Extra']
	])('%s, %s: %s', (number, title, name) => {
		expect(en.chapter.name(number, title)).toBe(name);
	});
});
