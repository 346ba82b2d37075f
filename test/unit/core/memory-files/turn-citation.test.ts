/** How a line of a file cites a turn. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { citationOf, citedTurn } from '#core/memory-files/turn-citation.ts';

test('a cited turn is found again, whatever the names of the session and the turn', () => {
  const name = fc.string({ minLength: 1, unit: 'grapheme' });
  fc.assert(
    fc.property(name, name, (sessionId, id) => {
      expect(citedTurn(citationOf({ sessionId, id }))).toEqual({ sessionId, id });
    }),
  );
});

test.each([
  'ann',
  'turns:a/b',
  'turn:a',
  'turn:/b',
  'turn:a/',
  'turn:a/b/c',
  'turn:%/b',
  'turn:a/%',
])('%s does not cite a turn', (source) => {
  expect(citedTurn(source)).toBeNull();
});
