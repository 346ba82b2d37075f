import { expect, test } from 'vitest';
import { heldOf, type Held } from '#cli/commands/export.ts';
import { newTenant, sharedLibrary } from '../unit/library/open-library.ts';

const library = sharedLibrary();

/** More than a page of each. */
const SESSIONS = 105;
const WORD = /canary\w*/gu;

async function exported(tenant: string, userId: string): Promise<readonly Held[]> {
  return Array.fromAsync(heldOf(library().varve, { tenant, userId }));
}

function words(value: unknown): Set<string> {
  return new Set(JSON.stringify(value).match(WORD) ?? []);
}

/** Ann says something wherever somebody can; Bob says one thing beside her. */
async function fill(tenant: string): Promise<void> {
  const { varve } = library();
  const identifiers = { userId: 'ann', projectId: 'home' };
  const about = { tenant, identifiers };
  const say = async (sessionId: string, content: string) => {
    await varve.conversation.append({ ...about, sessionId, turns: [{ role: 'user', content }] });
  };
  await say('s1', 'We decided to use canaryoak for the kitchen.');
  await say('s2', 'My manager is Canaryboss, called canaryboss.');
  await varve.conversation.append({
    ...about,
    sessionId: 's3',
    turns: [
      {
        role: 'assistant',
        content: 'Done.',
        toolCalls: [{ id: 'c1', name: 'book', arguments: { who: 'canaryargument' } }],
      },
    ],
  });
  for (const sessionId of ['s1', 's2']) await varve.conversation.end({ tenant, sessionId });
  const layer = 'user' as const;
  const { memory } = await varve.memory.add({ ...about, layer, content: 'The canaryold code.' });
  await varve.memory.update({ tenant, id: memory.id, content: 'The canarynew code.' });
  const session = { tenant, identifiers: { ...identifiers, sessionId: 's4' } };
  await varve.memory.add({ ...session, layer: 'session', content: 'A canaryash.' });
  const subject = { kind: 'user', id: 'ann' } as const;
  await varve.daily.append({ tenant, subject, text: 'The canarydaily starts on May 4.' });
  await varve.dream.run({ tenant, subject });
  await varve.document.edit({ tenant, subject, text: '- The canaryedit.', expectedVersion: 1 });
  await varve.key.create({
    tenant,
    name: 'canarykey',
    role: 'read',
    identifiers: { userId: 'ann' },
  });
  await varve.conversation.append({
    tenant,
    sessionId: 'bob',
    identifiers: { userId: 'bob' },
    turns: [{ role: 'user', content: 'I saw canarybob.' }],
  });
  await varve.refresh({ tenant });
  for (let n = 0; n < SESSIONS; n += 1) await say(`s${String(n)}`, `I saw canaryturn${String(n)}.`);
}

test('the copy for a person has all that an erasure takes, and nothing of others', async () => {
  const tenant = newTenant();
  await fill(tenant);
  const before = words(library().dump());
  const copy = await exported(tenant, 'ann');
  expect(words(copy)).not.toContain('canarybob');
  expect(new Set(copy.map(({ held }) => held))).toEqual(
    new Set(['ApiKey', 'Change', 'Dream', 'File', 'Memory', 'Session', 'Summary', 'Turn']),
  );
  await library().varve.memory.erase({ tenant, target: { kind: 'User', id: 'ann' } });
  const after = words(library().dump());
  expect(after).toContain('canarybob');
  expect(before.difference(after).difference(words(copy))).toEqual(new Set());
  expect(before.difference(after).size).toBeGreaterThan(SESSIONS);
  expect(await exported(tenant, 'ann')).toEqual([]);
});

test('a program reads all sessions of a user page by page', async () => {
  const tenant = newTenant();
  const { conversation } = library().varve;
  const identifiers = { userId: 'ann' };
  const turns = [{ role: 'user' as const, content: 'Hello there.', at: 1_764_000_000_000 }];
  for (const sessionId of ['a', 'b/c', 'd', 'e', 'f']) {
    await conversation.append({ tenant, sessionId, identifiers, turns });
  }
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await conversation.list({ tenant, identifiers, limit: 2, cursor });
    seen.push(...page.sessions.map(({ sessionId }) => sessionId));
    cursor = page.nextCursor;
  }
  expect(seen).toEqual(['a', 'b/c', 'd', 'e', 'f']);
});
