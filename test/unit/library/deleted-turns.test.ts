/** No context has what another process deleted, even if this process has used it before. */
import { expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const userId = 'ann';
const AT = Date.parse('2026-10-05T09:00:00Z');

/** Another holder of the same file has answered with what the first one appended. */
async function opened() {
  const tenant = newTenant();
  const { varve, open } = library();
  const turns = ['The safe combination is 48213.', 'The safe stands in the hall.'];
  const { ids } = await varve.conversation.append({
    ...{ tenant, sessionId: 'told', identifiers: { userId } },
    turns: turns.map((content, at) => ({ role: 'user', content, at: AT + at })),
  });
  const other = await open();
  const context = async () => {
    const identifiers = { userId, sessionId: 'asked' };
    const query = 'What is the safe combination?';
    return (await other.context.assemble({ tenant, identifiers, query })).text;
  };
  const text = await context();
  expect(text).toContain('48213');
  return { tenant, varve, ids, context, [Symbol.asyncDispose]: () => other.close() };
}

test('a process shows no turn that another process deleted, but still the turns beside it', async () => {
  await using told = await opened();
  const { tenant, ids } = told;
  const turnIds = ids.slice(0, 1);
  await told.varve.conversation.delete({ tenant, sessionId: 'told', turnIds });
  const text = await told.context();
  expect(text).toContain('stands in the hall');
  expect(text).not.toContain('48213');
});

test('a process shows no turn that another process erased, but still the turns beside it', async () => {
  await using told = await opened();
  const { tenant, ids } = told;
  const target = { kind: 'Turn', sessionId: 'told', id: ids[0] ?? '' } as const;
  expect(await told.varve.memory.erase({ tenant, target })).toMatchObject({ state: 'Done' });
  const text = await told.context();
  expect(text).toContain('stands in the hall');
  expect(text).not.toContain('48213');
});

test.each([{ kind: 'Session', id: 'told' } as const, { kind: 'User', id: userId } as const])(
  'a process shows nothing that another process erased by %j',
  async (target) => {
    await using told = await opened();
    const { tenant, varve } = told;
    await varve.memory.erase({ tenant, target });
    const text = await told.context();
    expect(text).not.toContain('48213');
    expect(text).not.toContain('stands in the hall');
  },
);

/** A turn that is stored in two parts, the second of which has the words at its end. */
const longWith = (end: string) => `${'The harbor was calm today. '.repeat(1_300)}${end}`;

test.each([
  { has: 'a deleted turn', first: 'The safe combination is 48213.', isDeleted: true },
  { has: 'another short turn', first: 'The safe stands in the hall.', isDeleted: false },
  { has: 'a deleted long turn', first: longWith('It is 48213.'), isDeleted: true },
])('a session that has $has leaves a longer one with its id out whole', async (known) => {
  const tenant = newTenant();
  const { varve } = library();
  const session = { tenant, sessionId: 'told' };
  const append = (content: string) =>
    varve.conversation.append({
      ...session,
      identifiers: { userId },
      turns: [{ id: 'm1', role: 'user', content, at: AT }],
    });
  await append(known.first);
  if (known.isDeleted) await varve.conversation.delete({ ...session, turnIds: ['m1'] });
  const { appended } = await append(longWith('The safe combination is 48213, I repeat.'));
  expect(appended).toBe(0);
  const { messages } = await varve.conversation.messages(session);
  expect(messages.map(({ content }) => content)).toEqual(known.isDeleted ? [] : [known.first]);
});

test('undefined ids of turns are refused: without the field, the whole session would go', async () => {
  const tenant = newTenant();
  const { varve } = library();
  const session = { tenant, sessionId: 'told' };
  const turns = [{ role: 'user' as const, content: 'Ann knits.' }];
  await varve.conversation.append({ ...session, identifiers: { userId }, turns });
  const deletion = varve.conversation.delete({ ...session, turnIds: undefined });
  await expect(deletion).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('turnIds: expected ids of turns, found undefined') as unknown,
  });
  expect((await varve.conversation.messages(session)).messages).toHaveLength(1);
});
