/** The order of the turns of a session, if the clock that dated them went back. */
import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const FIRST = Date.parse('2026-10-05T09:00:00Z');
const identifiers = { userId: 'ann' };

async function shown(said: readonly (readonly [session: string, content: string, at: number])[]) {
  const { varve } = library();
  const tenant = newTenant();
  for (const [sessionId, content, at] of said) {
    const turns = [{ role: 'user' as const, content, at }];
    await varve.conversation.append({ tenant, identifiers, sessionId, turns });
  }
  const asked = { tenant, identifiers, query: said[0]?.[1] ?? '', at: FIRST + 86_400_000 };
  const { text } = await varve.context.assemble(asked);
  return text.split('\n').filter((line) => /^[\w-]+: /u.test(line));
}

describe('of two turns of one session, the second is the newer one', () => {
  test.each([
    ['My desk is B12.', 'My desk is C4.'],
    ['Mein Schreibtisch ist B12.', 'Mein Schreibtisch ist jetzt C4.'],
    ['Vivo en Madrid.', 'Me mudé a Sevilla.'],
    ['我住在上海。', '我搬到了杭州。'],
  ])('even if the clock went back by an hour between them: %s', async (older, newer) => {
    const lines = await shown([
      ['s', older, FIRST],
      ['s', newer, FIRST - 3_600_000],
    ]);
    expect(lines.toSorted()).toEqual([`user: ${older} (earlier)`, `user: ${newer}`].toSorted());
  });
});

test('of two turns of two sessions, the one with the later time is the newer one', async () => {
  const lines = await shown([
    ['late', 'My desk is C4.', FIRST],
    ['early', 'My desk is B12.', FIRST - 3_600_000],
  ]);
  expect(lines.toSorted()).toEqual(['user: My desk is B12. (earlier)', 'user: My desk is C4.']);
});
