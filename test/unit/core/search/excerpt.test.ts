/** The part of a long text that answers a question. */
import { describe, expect, test } from 'vitest';
import { excerptOf, excerptSizeIn } from '#core/search/excerpt.ts';

const analyzer = { terms: (text: string) => text.toLowerCase().match(/[a-z]{4,}/gu) ?? [] };
const SIZE = { aim: 60, whole: 120 };

const PARTS = [
  'The house is old and the roof of it is new, says Ann.',
  'The garden of the house has a pond with nine red carps.',
  'The cellar of the house holds wine and a broken boat.',
];
const TEXT = PARTS.join('\n\n');

describe('an excerpt', () => {
  test.each([
    ['What is said of the roof?', `${PARTS[0] ?? ''} …`],
    ['How many carps are there?', `… ${PARTS[1] ?? ''} …`],
    ['Where is the boat?', `… ${PARTS[2] ?? ''}`],
    ['Has the house nine carps?', `… ${PARTS[1] ?? ''} …`],
    ['Is the wine under the roof?', `${PARTS[0] ?? ''} …`],
    ['Quo vadis?', `${PARTS[0] ?? ''} …`],
  ])('is the part with most of the words of: %s', (query, expected) => {
    expect(excerptOf(TEXT, query, analyzer, SIZE)).toBe(expected);
  });

  test('weighs a rare word above a common one', () => {
    const parts = ['The grey house.', 'That grey house.', 'My grey house.', 'Your blue boat.'];
    const size = { aim: 20, whole: 40 };
    const text = parts.map((part) => part.padEnd(18, '!')).join('\n\n');
    expect(excerptOf(text, 'that grey house, or a boat?', analyzer, size)).toContain('That grey');
    expect(excerptOf(text, 'grey boat', analyzer, size)).toContain('boat');
  });

  test.each([
    [TEXT.length, null],
    [TEXT.length + 1, null],
    [TEXT.length - 1, `… ${PARTS[2] ?? ''}`],
  ])('is made only of a text longer than %i characters', (whole, expected) => {
    expect(excerptOf(TEXT, 'boat', analyzer, { aim: 60, whole })).toBe(expected);
  });

  test('keeps a code block whole', () => {
    const code = '```\nboat = 1\n\nhouse = 2\n```';
    const text = `${'Words about nothing. '.repeat(4)}\n\n${code}\n\n${'More. '.repeat(20)}`;
    expect(excerptOf(text, 'boat house', analyzer, { aim: 40, whole: 80 })).toContain(code);
  });

  test('has up to 1,500 characters without a token limit', () => {
    const text = 'The house is old. '.repeat(400);
    expect(excerptOf(text.slice(0, 3_000), 'house', analyzer)).toBeNull();
    const length = excerptOf(text.slice(0, 3_001), 'house', analyzer)?.length ?? 0;
    expect(length).toBeGreaterThan(1_400);
    expect(length).toBeLessThan(1_510);
  });
});

describe('the size of an excerpt', () => {
  const memory = { content: 'x'.repeat(40_000), tokenCount: 10_000 };
  test.each([
    [10_000, memory, { aim: 1_500, whole: 3_000 }],
    [1_000, memory, { aim: 800, whole: 1_600 }],
    [400, memory, { aim: 320, whole: 640 }],
    [100, memory, { aim: 160, whole: 160 }],
    [1_000, { content: 'x'.repeat(1_000), tokenCount: 1_000 }, { aim: 200, whole: 400 }],
    [1_000, { content: 'x'.repeat(10), tokenCount: 0 }, { aim: 1_500, whole: 3_000 }],
    [10, { content: '漢'.repeat(100), tokenCount: 200 }, { aim: 20, whole: 20 }],
  ])('is a fifth of a context of %i tokens, but not less than a sentence', (tokens, of, size) => {
    expect(excerptSizeIn(tokens, of)).toEqual(size);
  });
});
