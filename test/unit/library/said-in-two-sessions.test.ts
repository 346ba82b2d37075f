/** What two sessions say stays until both are deleted, in the words of the one that stays. */
import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'ann' };

/** Each text is said in a session of its own, by a turn with the same id. */
async function told(texts: readonly string[]) {
  const tenant = newTenant();
  const { varve } = library();
  for (const [place, content] of texts.entries()) {
    const sessionId = `s${String(place + 1)}`;
    const turns = [{ id: 't1', role: 'user' as const, content, at: Date.UTC(2026, 9, place + 1) }];
    await varve.conversation.append({ tenant, sessionId, identifiers, turns });
    await varve.conversation.end({ tenant, sessionId });
  }
  const list = (latestOnly: boolean) => varve.memory.list({ tenant, identifiers, latestOnly });
  const held = async () =>
    (await list(true)).memories.map(({ content, metadata }) => [content, metadata['session']]);
  return { tenant, varve, list, held };
}

const SAID: readonly (readonly [string, readonly [string, string]])[] = [
  ['the same words', ['I am vegetarian.', 'I am vegetarian.']],
  ['other words', ['I live in Berlin.', 'I live in Berlin, near the zoo.']],
  ['German', ['Ich wohne in Köln.', 'Ich wohne jetzt in Köln.']],
  ['Spanish', ['Vivo en Lima.', 'Ahora vivo en Lima.']],
  ['Chinese', ['我住在大阪。', '我现在住在大阪。']],
];

describe.each(SAID)('a fact that two sessions say in %s', (_, [first, second]) => {
  test.each([
    { deleted: 's1', left: [second, 's2'] },
    { deleted: 's2', left: [first, 's1'] },
  ])('stays in the words of the other one if $deleted is deleted', async ({ deleted, left }) => {
    const { tenant, varve, list, held } = await told([first, second]);
    expect(await held()).toEqual([[first, 's1']]);
    await varve.conversation.delete({ tenant, sessionId: deleted });
    expect(await held()).toEqual([left]);
    expect((await list(false)).memories).toHaveLength(1);
  });

  test('is gone once both are deleted', async () => {
    const { tenant, varve, list } = await told([first, second]);
    await varve.conversation.delete({ tenant, sessionId: 's1' });
    await varve.conversation.delete({ tenant, sessionId: 's2' });
    expect((await list(false)).memories).toEqual([]);
  });
});

test('a fact that two turns of a session say stays if one of them is deleted', async () => {
  const tenant = newTenant();
  const { varve } = library();
  const sessionId = 's1';
  const contents = ['I am vegetarian.', 'I am vegetarian, you know.'];
  const turns = contents.map((content, n) => ({
    id: `t${String(n)}`,
    role: 'user' as const,
    content,
  }));
  await varve.conversation.append({ tenant, sessionId, identifiers, turns });
  await varve.conversation.end({ tenant, sessionId });
  await varve.conversation.delete({ tenant, sessionId, turnIds: ['t0'] });
  const { memories } = await varve.memory.list({ tenant, identifiers });
  expect(memories.map(({ metadata }) => metadata['source'])).toEqual(['t1']);
});

test.each([
  { target: { kind: 'Session', id: 's1' } as const },
  { target: { kind: 'Turn', sessionId: 's1', id: 't1' } as const },
])('an erasure of $target.kind leaves what another session says', async ({ target }) => {
  const { tenant, varve, held } = await told([
    'I live in Berlin.',
    'I live in Berlin, near the zoo.',
  ]);
  await varve.memory.erase({ tenant, target });
  expect(await held()).toEqual([['I live in Berlin, near the zoo.', 's2']]);
});

test.each([
  {
    how: 'deletes',
    remove: (tenant: string, id: string) => library().varve.memory.delete({ tenant, id }),
  },
  {
    how: 'erases',
    remove: (tenant: string, id: string) =>
      library().varve.memory.erase({ tenant, target: { kind: 'Memory', id } }),
  },
])('who $how the memory itself removes it for both sessions', async ({ remove }) => {
  const { tenant, list } = await told(['I live in Berlin.', 'I live in Berlin, near the zoo.']);
  const [memory] = (await list(true)).memories;
  await remove(tenant, memory?.id ?? '');
  expect((await list(false)).memories).toEqual([]);
});

test('a later value ends the fact of both sessions', async () => {
  const { tenant, varve, held } = await told([
    'I live in Berlin.',
    'I live in Berlin, near the zoo.',
    'I live in Oslo now.',
  ]);
  await varve.conversation.delete({ tenant, sessionId: 's1' });
  expect(await held()).toEqual([['I live in Oslo now.', 's3']]);
});
