import { expect, test } from 'vitest';
import { withoutUnseenSigns } from '#core/text/unseen-signs.ts';

test.each([
  ['a zero-width space', 'Da\u200bna', 'Dana'],
  ['a turned direction', '\u202eDana\u202c pays', 'Dana pays'],
  ['NUL and escape', 'Dana\u0000\u001b pays', 'Dana  pays'],
  ['a text hidden in tags', 'Dana\u{e0070}\u{e0061}\u{e0079}', 'Dana'],
  ['line breaks and tabs, which stay', 'Dana\n\tpays', 'Dana\n\tpays'],
  ['the joiners of emoji, which stay', '👩\u200d🔬', '👩\u200d🔬'],
])('%s in a text of a model', (_, text, expected) => {
  expect(withoutUnseenSigns(text)).toBe(expected);
});
