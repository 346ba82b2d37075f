/** Lines in which a speaker hands on what another wrote. */
import { expect, test } from 'vitest';
import { isQuotedLine, quotedLine, withFewQuotes } from '#core/text/quoted-line.ts';

test.each([
  ['Every pump is checked.', 'user: “Every pump is checked.”'],
  ['“Every pump” is checked.', 'user: “Every pump” is checked.'],
])('what is quoted has its marks once: %s', (said, expected) => {
  expect(quotedLine('user', said)).toBe(expected);
});

test.each([
  ['user: “Every pump is checked.”', true],
  ['user: “Every pump\nis checked”.', true],
  ['user: Every pump is checked.', false],
  ['user: “Every pump” is checked.', false],
  ['“Every pump is checked.”', false],
])('whether %s is quoted: %s', (line, expected) => {
  expect(isQuotedLine(line)).toBe(expected);
});

test.each([
  [0, ['user: One.', 'user: Two.']],
  [3, ['user: One.', 'user: Two.']],
  [4, ['user: One.', 'user: “A quoted line.”', 'user: Two.']],
  [7, ['user: One.', 'user: “A quoted line.”', 'user: Two.']],
  [8, ['user: One.', 'user: “A quoted line.”', 'user: Two.', 'user: “Another quoted line.”']],
])('with room for %i tokens of quotes every other line stays', (tokensMax, expected) => {
  const lines = [
    { text: 'user: One.' },
    { text: 'user: “A quoted line.”' },
    { text: 'user: Two.' },
    { text: 'user: “Another quoted line.”' },
  ];
  const few = withFewQuotes(lines, tokensMax, (text) => text.split(' ').length);
  expect(few.map(({ text }) => text)).toEqual(expected);
});
