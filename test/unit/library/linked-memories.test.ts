/** Memories name those that introduce whom they are about. */
import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'dana' };

async function told(...contents: readonly string[]) {
  const tenant = newTenant();
  const { memory } = library().varve;
  const messages = contents.map((content) => ({ role: 'user' as const, content }));
  const { results } = await memory.addMessages({ tenant, identifiers, messages });
  const ids = results.map(({ id }) => id ?? '');
  const linksOf = async (id = '') => (await memory.get({ tenant, id }))?.mentions;
  return { tenant, ids, linksOf };
}

describe('a memory from a conversation', () => {
  test('names the memory that introduces a person, in get and in list', async () => {
    const { tenant, ids, linksOf } = await told(
      'My manager is Priya.',
      'I must send the report to Priya by Friday.',
    );
    expect(await linksOf(ids[1])).toEqual([ids[0]]);
    const { memories } = await library().varve.memory.list({ tenant, identifiers });
    expect(memories.map(({ mentions }) => mentions)).toEqual([[ids[0]], undefined]);
  });

  test('does not name one that it ends', async () => {
    const { ids, linksOf } = await told('My manager is Priya.', 'My manager is Priya Shah now.');
    expect(await linksOf(ids[1])).toBeUndefined();
  });

  test('names it no longer once it is deleted or erased', async () => {
    for (const remove of [
      async (tenant: string, id: string) => library().varve.memory.delete({ tenant, id }),
      async (tenant: string, id: string) =>
        library().varve.memory.erase({ tenant, target: { kind: 'Memory', id } }),
    ]) {
      const { tenant, ids, linksOf } = await told('My manager is Priya.', 'I must call Priya.');
      expect(await linksOf(ids[1])).toEqual([ids[0]]);
      await remove(tenant, ids[0] ?? '');
      expect(await linksOf(ids[1])).toBeUndefined();
    }
  });
});
