import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitInto, endsOf, newestWithin, unitsOf } from '#core/running-summary/cut-to-window.ts';
import { callsOf, messageOf, resultOf } from './messages.ts';

const USER = messageOf();
const ASSISTANT = messageOf({ role: 'assistant' });

test('a portion has whole groups of tools, and counts all their messages', () => {
  const messages = [USER, callsOf('a'), resultOf('a'), ASSISTANT];
  expect(unitsOf(messages, [1, 2, 4, 8])).toEqual([
    { at: [0], tokens: 1 },
    { at: [1, 2], tokens: 6 },
    { at: [3], tokens: 8 },
  ]);
  expect(unitsOf([], [])).toEqual([]);
});

test.each<[string, number, readonly number[]]>([
  ['all of them where all fit', 10, [0, 1, 2, 3]],
  ['as many as fit, from a message of the user on', 9, [2, 3]],
  ['as many as just fit', 7, [2, 3]],
  ['none where no message of the user fits', 6, []],
  ['none where not even the newest fits', 3, []],
])('of a list that is too long the newest messages are sent: %s', (_, limit, expected) => {
  const messages = [USER, ASSISTANT, USER, ASSISTANT];
  expect(newestWithin(messages, [1, 2, 3, 4], limit)).toEqual(expected);
});

describe('a text that is cut in chunks', () => {
  test.each<[string, string, string]>([
    ['a paragraph rather than a line', '\n\n', 'b\nbb'],
    ['a line rather than a sentence', 'b\n', 'b. b'],
    ['a sentence rather than a word', '. ', 'b bb'],
    ['a word rather than anywhere', 'b ', 'bbbb'],
  ])('is cut near the end of a chunk, after %s', (_, border, rest) => {
    const first = `${'a'.repeat(14)}${border}`;
    expect(splitInto(`${first}${rest}${'c'.repeat(20)}`, 2)[0]).toBe(first);
  });

  test.each<[string, string, number, readonly string[]]>([
    ['stays whole where one chunk is asked for', 'One two.', 1, ['One two.']],
    ['is cut anywhere where it has no words', 'abcdefgh', 2, ['abcd', 'efgh']],
    ['is not cut at a border far from the end of a chunk', 'a bcdefghi', 2, ['a bcd', 'efghi']],
    ['has no chunk without a character', 'ab', 9, ['a', 'b']],
    ['may be empty', '', 3, ['']],
  ])('%s', (_, text, count, expected) => {
    expect(splitInto(text, count)).toEqual(expected);
  });

  test('is the same when joined, in chunks of at most their share, with whole characters', () => {
    const part = fc.constantFrom('word', ' ', '. ', '\n', '\n\n', '🌱', '。', 'x'.repeat(30));
    const text = fc.array(part, { maxLength: 60 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (whole, count) => {
        const chunks = splitInto(whole, count);
        expect(chunks.join('')).toBe(whole);
        const most = Math.max(1, Math.ceil(whole.length / count));
        for (const chunk of chunks) {
          // A character of two units may need one unit more.
          expect(chunk.length).toBeLessThanOrEqual(most + 1);
          expect(chunk.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});

test('a text may end after a sentence, a line or a word', () => {
  const text = 'No 1.5 is. Is it?\nYes';
  const ended = (ends: readonly number[]) => ends.map((end) => text.slice(0, end));
  const { sentences, words } = endsOf(text);
  expect(ended(sentences)).toEqual(['No 1.5 is.', 'No 1.5 is. Is it?']);
  expect(ended(words)).toEqual([
    'No',
    'No 1.5',
    'No 1.5 is.',
    'No 1.5 is. Is',
    'No 1.5 is. Is it?',
    text,
  ]);
  expect(endsOf('在。见').sentences).toEqual([2]);
});
