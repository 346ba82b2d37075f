/** Changes that no rule can apply are kept beside what they are about, and only there. */
import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'dana' };
const DAYS = ['2026-09-01T10:00:00Z', '2026-10-01T10:00:00Z'];

/** Sends each text as a message of its day; returns the contents of the memories, sorted. */
async function kept(...texts: readonly string[]): Promise<readonly string[]> {
  const tenant = newTenant();
  const { varve } = library();
  for (const [place, content] of texts.entries()) {
    const messages = [{ role: 'user' as const, content, at: DAYS[place] ?? '' }];
    await varve.memory.addMessages({ tenant, identifiers, messages });
  }
  const { memories } = await varve.memory.list({ tenant, identifiers });
  return memories.map(({ content }) => content).toSorted();
}

describe('a change', () => {
  test.each([
    ['I get 450 a month from my parents.', 'My parents upped it to 500 a month.'],
    ['Wir heiraten mit 300 Gästen in Jena.', 'Die Gästeliste in Jena wurde auf 220 gekürzt.'],
    ['tengo dos empleados, Yesid y Marta', 'Yesid renunció'],
  ])('of what a memory is about is kept beside it: %s ← %s', async (fact, change) => {
    expect(await kept(fact, change)).toEqual([fact, change].toSorted());
  });

  test('before a question is kept without the question', async () => {
    const fact = 'I take 40 mg of atorvastatin for cholesterol.';
    const change = 'The doctor doubled my atorvastatin to 80 mg';
    expect(await kept(fact, `${change}, any side effects?`)).toContain(change);
  });

  test.each([
    'They shortened the film to 90 minutes.',
    'They cancelled the concert.',
    'Still 450 a month.',
  ])('of nothing known becomes no memory: %s', async (change) => {
    const fact = 'I get 450 a month from my parents.';
    expect(await kept(fact, change)).toEqual([fact]);
  });
});
