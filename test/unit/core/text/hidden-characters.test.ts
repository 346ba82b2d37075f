import { describe, expect, test } from 'vitest';
import { withoutHiddenCharacters, withoutFormatCharacters } from '#core/text/hidden-characters.ts';

describe('withoutHiddenCharacters', () => {
  test.each([
    ['an override', 'a\u202Eb\u202Cc', 'abc'],
    ['an isolate', 'a\u2066b\u2069c', 'abc'],
    ['characters without width', 'ig\u200Bno\u2060re\uFEFF', 'ignore'],
    ['commands of a terminal', 'a\u001B[31mb\u009B0m\u0007', 'a[31mb0m'],
    ['NUL and DEL', 'a\u0000b\u007F', 'ab'],
    ['letters of invisible tags', 'tea\u{E0001}\u{E0068}\u{E0069}\u{E007F}', 'tea'],
    ['the tags of a flag that has no end', '🏴\u{E0067}\u{E0062}x', '🏴x'],
    ['a hundred thousand tags', '\u{E0041}'.repeat(100_000), ''],
    ['the other half of a line break', 'milk\r\nbread', 'milk\nbread'],
    ['breaks that are no lines here', 'milk\rbread\u000Btea\u0085salt', 'milk bread tea salt'],
  ])('takes out %s', (_what, text, expected) => {
    expect(withoutHiddenCharacters(text)).toBe(expected);
  });

  test.each([
    ['lines and tabs', 'a\n\tb'],
    ['a family of emoji', 'the 👨‍👩‍👧 family'],
    ['the flag of Wales', '🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F} flag'],
    ['Persian', 'می‌خواهم'],
    ['Hebrew with a mark of direction', 'שלום\u200F!'],
    ['Hindi', 'क्‍ष'],
    ['Chinese', '我住在上海。'],
    ['German and Spanish', 'Grüße, ¿qué tal?'],
  ])('keeps %s', (_what, text) => {
    expect(withoutHiddenCharacters(text)).toBe(text);
  });
});

test.each([
  ['a zero-width space', 'Da\u200bna', 'Dana'],
  ['a turned direction', '\u202eDana\u202c pays', 'Dana pays'],
  ['NUL and escape', 'Dana\u0000\u001b pays', 'Dana  pays'],
  ['a text hidden in tags', 'Dana\u{e0070}\u{e0061}\u{e0079}', 'Dana'],
  ['line breaks and tabs, which stay', 'Dana\n\tpays', 'Dana\n\tpays'],
  ['the joiners of emoji, which stay', '👩\u200d🔬', '👩\u200d🔬'],
])('%s in a text of a model', (_, text, expected) => {
  expect(withoutFormatCharacters(text)).toBe(expected);
});
