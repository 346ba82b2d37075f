import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  splitInto,
  endsOf,
  newestWithin,
  groupToolMessages,
} from '#core/running-summary/cut-to-window.ts';
import { callsOf, messageOf, resultOf } from './messages.ts';

const USER = messageOf();
const ASSISTANT = messageOf({ role: 'assistant' });

test('a unit keeps a tool call and its results together, and counts all its tokens', () => {
  const messages = [USER, callsOf('a'), resultOf('a'), ASSISTANT];
  expect(groupToolMessages(messages, [1, 2, 4, 8])).toEqual([
    { at: [0], tokens: 1 },
    { at: [1, 2], tokens: 6 },
    { at: [3], tokens: 8 },
  ]);
  expect(groupToolMessages([], [])).toEqual([]);
});

test.each<[string, number, readonly number[]]>([
  ['all messages if all fit', 10, [0, 1, 2, 3]],
  ['as many as fit, starting with a user message', 9, [2, 3]],
  ['as many as just fit', 7, [2, 3]],
  ['none if no user message fits', 6, []],
  ['none if not even the newest fits', 3, []],
])('the newest messages of a long list are sent: %s', (_, limit, expected) => {
  const messages = [USER, ASSISTANT, USER, ASSISTANT];
  expect(newestWithin(messages, [1, 2, 3, 4], limit)).toEqual(expected);
});

describe('a text that is split into chunks', () => {
  test.each<[string, string, string]>([
    ['a paragraph rather than a line', '\n\n', 'b\nbb'],
    ['a line rather than a sentence', 'b\n', 'b. b'],
    ['a sentence rather than a word', '. ', 'b bb'],
    ['a word rather than anywhere', 'b ', 'bbbb'],
    ['a sentence rather than an abbreviation', '. ', 'Dr. B '],
    ['a sentence rather than within a URL', '. ', 'b?c=d'],
    ['a word rather than within a password', 'b ', 'b!2d'],
    ['a full-width stop, which needs no space', '。', '好a?b'],
  ])('is split near the end of a chunk, after %s', (_, border, rest) => {
    const first = `${'a'.repeat(14)}${border}`;
    expect(splitInto(`${first}${rest}${'c'.repeat(20)}`, 2)[0]).toBe(first);
  });

  test.each<[string, string, number, readonly string[]]>([
    ['stays whole if one chunk is requested', 'One two.', 1, ['One two.']],
    ['is split anywhere if it has no words', 'abcdefgh', 2, ['abcd', 'efgh']],
    ['is not split at a border far from the end of a chunk', 'a bcdefghi', 2, ['a bcd', 'efghi']],
    ['has no empty chunks', 'ab', 9, ['a', 'b']],
    ['may be empty', '', 3, ['']],
  ])('%s', (_, text, count, expected) => {
    expect(splitInto(text, count)).toEqual(expected);
  });

  test('is unchanged when joined, with whole characters in chunks of at most their share', () => {
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

test('endsOf finds the ends of sentences, lines and words', () => {
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
  expect(endsOf('Only Dr. Lima is in. Go.').sentences).toEqual([20, 24]);
});
