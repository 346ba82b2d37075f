/** The record of a session after turns that are sent again, late, deleted, or from the future. */
import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const MARA = { userId: 'mara' };
const HOUR = 3_600_000;

function sessionOf(sessionId: string) {
  const session = { tenant: newTenant(), sessionId };
  const { conversation } = library().varve;
  const turn = (id: string, at?: number | string) => {
    return { id, role: 'user' as const, content: `This is turn ${id}.`, ...(at ? { at } : {}) };
  };
  return {
    session,
    append: (...turns: ReturnType<typeof turn>[]) =>
      conversation.append({ ...session, identifiers: MARA, turns }),
    list: async () =>
      (await conversation.list({ tenant: session.tenant, identifiers: MARA })).sessions,
    turn,
  };
}

describe('turns that are sent again', () => {
  test.each(['with their time', 'without one'])(
    'do not reopen an ended session when sent %s',
    async (how) => {
      const { session, append, list, turn } = sessionOf('talk');
      const at = how === 'without one' ? undefined : Date.now() - HOUR;
      await append(turn('a', at));
      await library().varve.conversation.end(session);
      const before = await list();
      expect(before[0]?.endedAt).toBeTypeOf('number');
      expect(await append(turn('a', at))).toMatchObject({ appended: 0 });
      expect(await list()).toEqual(before);
      await append(turn('b', at));
      expect((await list())[0]?.endedAt).not.toBe(before[0]?.endedAt);
    },
  );

  test('set the user and the tags of their session', async () => {
    const { session, turn } = sessionOf('talk');
    const { conversation } = library().varve;
    await conversation.append({ ...session, turns: [turn('a')] });
    const again = { ...session, identifiers: MARA, tags: ['work'], turns: [turn('a')] };
    await conversation.append(again);
    const { sessions } = await conversation.list({ tenant: session.tenant, identifiers: MARA });
    expect(sessions).toMatchObject([{ sessionId: 'talk', tags: ['work'] }]);
  });
});

test('a deleted session is not listed until a later turn', async () => {
  const { session, append, list, turn } = sessionOf('talk');
  await append(turn('a'));
  await library().varve.conversation.delete(session);
  expect(await list()).toEqual([]);
  await append(turn('a'));
  expect(await list()).toEqual([]);
  await append(turn('b'));
  expect(await list()).toMatchObject([{ sessionId: 'talk' }]);
});

test('a list is full no matter how many sessions were deleted', async () => {
  const tenant = newTenant();
  const { conversation } = library().varve;
  for (let n = 0; n < 8; n += 1) {
    const turns = [{ role: 'user' as const, content: 'Hello.', at: Date.now() - n * HOUR }];
    const session = { tenant, sessionId: `s${String(n)}` };
    await conversation.append({ ...session, identifiers: MARA, turns });
    if (n < 5) await conversation.delete(session);
  }
  const { sessions } = await conversation.list({ tenant, identifiers: MARA, limit: 2 });
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual(['s5', 's6']);
});

test('messages are paged backward from the end', async () => {
  const { session, append, turn } = sessionOf('talk');
  await append(...['a', 'b', 'c', 'd', 'e'].map((id) => turn(id)));
  const { conversation } = library().varve;
  const ids: string[] = [];
  let before: number | null = Number.MAX_SAFE_INTEGER;
  for (let pages = 0; before !== null && pages < 5; pages += 1) {
    const page = await conversation.messages({ ...session, before, limit: 2 });
    ids.unshift(...page.messages.map(({ id }) => id));
    before = page.nextBefore;
  }
  expect(ids).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a turn in the far future is refused, and nothing of its call is stored', async () => {
  const { append, list, turn } = sessionOf('talk');
  await expect(append(turn('a'), turn('b', '2100-01-01T00:00:00Z'))).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    details: { issues: [{ path: 'turns.1.at' }] },
  });
  expect(await list()).toEqual([]);
  const messages = [{ role: 'user' as const, content: 'I live in Ghent.', at: Date.now() * 2 }];
  const asked = { tenant: newTenant(), identifiers: MARA, messages };
  await expect(library().varve.memory.addMessages(asked)).rejects.toMatchObject({
    details: { issues: [{ path: 'messages.0.at' }] },
  });
});
