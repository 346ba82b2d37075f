/** Lines in which a speaker passes on what another wrote. */
import { expect, test } from 'vitest';
import { isQuotedLine, quotedLine, withFewQuotes } from '#core/text/quoted-line.ts';

test.each([
  ['Every pump is checked.', 'user: “Every pump is checked.”'],
  ['“Every pump” is checked.', 'user: “Every pump” is checked.'],
])('quotedLine adds quotation marks only once: %s', (said, expected) => {
  expect(quotedLine('user', said)).toBe(expected);
});

test.each([
  ['user: “Every pump is checked.”', true],
  ['user: “Every pump\nis checked”.', true],
  ['“ben@x.com”: “Every pump is checked.”', true],
  ['“ben@x.com”: Every pump is checked.', false],
  ['user: Every pump is checked.', false],
  ['user: “Every pump” is checked.', false],
  ['“Every pump is checked.”', false],
])('isQuotedLine of %s is %s', (line, expected) => {
  expect(isQuotedLine(line)).toBe(expected);
});

test.each([
  [0, ['user: One.', 'user: Two.']],
  [3, ['user: One.', 'user: Two.']],
  [4, ['user: One.', 'user: “A quoted line.”', 'user: Two.']],
  [7, ['user: One.', 'user: “A quoted line.”', 'user: Two.']],
  [8, ['user: One.', 'user: “A quoted line.”', 'user: Two.', 'user: “Another quoted line.”']],
])('every other line stays with room for %i tokens of quotes', (tokensMax, expected) => {
  const lines = [
    { text: 'user: One.' },
    { text: 'user: “A quoted line.”' },
    { text: 'user: Two.' },
    { text: 'user: “Another quoted line.”' },
  ];
  const few = withFewQuotes(lines, tokensMax, (text) => text.split(' ').length);
  expect(few.map(({ text }) => text)).toEqual(expected);
});
