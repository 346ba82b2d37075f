import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forOutput, visible } from '#cli/visible-text.ts';

test.each([
  ['\u001B[31mred', '␛[31mred'],
  ['\u0000\u0007\u007F', '␀␇␡'],
  ['over\rwritten', 'over␍written'],
  ['two\r\nlines\tand\ntabs', 'two\nlines\tand\ntabs'],
  ['\u009B2J', '<U+009B>2J'],
  ['a\u202Eb\u2066c\u200Ed\u061Ce', 'a<U+202E>b<U+2066>c<U+200E>d<U+061C>e'],
  ['\u{E0041}', '<U+E0041>'],
  ['Kiel → Malmö, 東京, مرحبا, \u{1F469}\u200D\u{1F680}', null],
])('of %j a terminal shows every sign', (text, seen) => {
  expect(visible(text)).toBe(seen ?? text);
});

test('nothing that is shown moves the cursor or turns what follows', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 });
  const moving = /[\p{Bidi_Control}\p{Cc}]/u;
  fc.assert(
    fc.property(text, (said) => {
      expect(moving.test(visible(said).replaceAll(/[\n\t]/gu, ''))).toBe(false);
    }),
  );
});

test('a program is given a file as it is, a terminal what it can show', () => {
  const text = '- Ann\u001B[2K\n';
  expect(forOutput(text, {})).toBe(text);
  expect(forOutput(text, { isTTY: false })).toBe(text);
  expect(forOutput(text, { isTTY: true })).toBe('- Ann␛[2K\n');
});
