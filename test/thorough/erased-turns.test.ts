/** An erasure of one turn leaves none of its words in the files, and the rest of its session. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { STORE_FILE } from '#cli/choose-store.ts';
import { openVarve, type Varve } from '#cli/open-varve.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { tracesIn } from '#test/conformance/erasure-harness.ts';
import { OPENING, temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { failureOf, newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';

const TENANT = 'acme';
const SESSION = { tenant: TENANT, sessionId: 'call-7' };
const IDENTIFIERS = { userId: 'ann' };
const SUBJECT = { kind: 'user', id: 'ann' } as const;
/** Made up, and in no other text. */
const SECRET = 'quorvexil';
const AT = Date.parse('2026-10-05T09:00:00Z');
const KEPT = 'My favorite tea is Assam.';
const TURN = { kind: 'Turn', sessionId: SESSION.sessionId, id: 'm1' } as const;

async function opened() {
  const temporary = await temporaryFolder();
  const varve = await openVarve({ dataDir: temporary.folder });
  return {
    varve,
    traces: (word = SECRET) => tracesIn(temporary.folder, word),
    async [Symbol.asyncDispose]() {
      await varve.close();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

/** A secret in the first turn of one session; another session has a turn of the same id. */
async function told(varve: Varve, content: string): Promise<void> {
  const others = { ...SESSION, sessionId: 'call-8' };
  const said = [
    { ...SESSION, turns: [content, KEPT] },
    { ...others, turns: ['We decided to use Postgres for the orders.'] },
  ];
  for (const { turns, ...session } of said) {
    await varve.conversation.append({
      ...{ ...session, identifiers: IDENTIFIERS },
      turns: turns.map((text, at) => ({
        ...{ id: `m${String(at + 1)}`, role: 'user', content: text, at: AT + at },
      })),
    });
    await varve.conversation.flush(session);
  }
  await varve.refresh({ tenant: TENANT });
  await varve.dream.run({ tenant: TENANT, subject: SUBJECT });
}

async function expectRest(varve: Varve): Promise<void> {
  const { messages } = await varve.conversation.messages(SESSION);
  expect(messages).toMatchObject([{ id: 'm2', content: KEPT }]);
  const other = await varve.conversation.messages({ ...SESSION, sessionId: 'call-8' });
  expect(other.messages).toMatchObject([{ id: 'm1' }]);
  const { memories } = await varve.memory.list({ tenant: TENANT, identifiers: IDENTIFIERS });
  const contents = memories.map(({ content }) => content).join('\n');
  expect(contents).toContain('Assam');
  expect(contents).toContain('Postgres');
  const core = await varve.document.get({ tenant: TENANT, subject: SUBJECT, path: 'MEMORY.md' });
  expect(core?.text).toContain('Assam');
  expect(core?.text).toContain('Postgres');
  const query = 'Which tea do I like?';
  const identifiers = { ...IDENTIFIERS, sessionId: SESSION.sessionId };
  const { text } = await varve.context.assemble({ tenant: TENANT, identifiers, query });
  expect(text).toContain('Assam');
}

describe('after a flush, a refresh and a dream, the erasure of a turn', () => {
  test.each([
    { of: 'a deleted turn', isDeleted: true },
    { of: 'a turn', isDeleted: false },
  ])('leaves no words of $of in the bytes of the database', async ({ isDeleted }) => {
    await using held = await opened();
    const { varve, traces } = held;
    await told(varve, `I live in ${SECRET}. My favorite password is ${SECRET}.`);
    if (isDeleted) await varve.conversation.delete({ ...SESSION, turnIds: ['m1'] });
    expect(await traces()).not.toEqual([]);
    const asked = { tenant: TENANT, target: TURN };
    const preview = await varve.memory.erase({ ...asked, dryRun: true });
    expect(await traces()).not.toEqual([]);
    const { state, erased, receipt } = await varve.memory.erase(asked);
    expect({ state, erased }).toEqual({ state: 'Done', erased: preview.erased });
    expect(await traces()).toEqual([]);
    expect(receipt).toMatchObject({ of: { kind: 'Turn' } });
    expect(erased).toContainEqual({ kind: 'Turn', count: 1 });
    await expectRest(varve);
    await varve.refresh({ tenant: TENANT });
    await varve.dream.run({ tenant: TENANT, subject: SUBJECT });
    expect(await traces()).toEqual([]);
    await expectRest(varve);
  });

  test('takes all parts of a long turn', async () => {
    await using held = await opened();
    const { varve, traces } = held;
    const long = `I live in ${SECRET}. ${'The harbor was calm today. '.repeat(1_300)}`;
    await told(varve, `${long}My favorite password is ${SECRET}.`);
    const { erased } = await varve.memory.erase({ tenant: TENANT, target: TURN });
    expect(erased).toContainEqual({ kind: 'Turn', count: 2 });
    expect(await traces()).toEqual([]);
    expect(await traces('harbor')).toEqual([]);
    await expectRest(varve);
  });
});

describe('the erasure of a turn', () => {
  const library = sharedLibrary();

  test.each([
    { sessionId: 'none', id: 'm1' },
    { sessionId: 'call-7', id: 'm9' },
    { sessionId: 'call-7', id: 'erased/1' },
  ])('finds nothing for $id in $sessionId', async (named) => {
    const tenant = newTenant();
    const { varve } = library();
    const session = { ...SESSION, tenant };
    const turns = ['m1', 'm2'].map((id) => ({
      id,
      role: 'user' as const,
      content: `${id} knits.`,
    }));
    await varve.conversation.append({ ...session, identifiers: IDENTIFIERS, turns });
    await varve.memory.erase({ tenant, target: TURN });
    const target = { kind: 'Turn', ...named } as const;
    const nothing = { erased: [], receipt: null };
    const preview = await varve.memory.erase({ tenant, target, dryRun: true });
    expect(preview).toEqual({ ...nothing, state: 'Preview' });
    expect(await varve.memory.erase({ tenant, target })).toEqual({ ...nothing, state: 'Nothing' });
    expect((await varve.conversation.messages(session)).messages).toHaveLength(1);
  });

  test.each([
    { kind: 'Turn', id: 'm1' },
    { kind: 'Turn', sessionId: '', id: 'm1' },
    { kind: 'Turn', sessionId: 'call-7' },
    { kind: 'Session', sessionId: 'call-7', id: 'm1' },
  ])('needs a session and an id: %j is refused', async (target) => {
    const asked = { tenant: newTenant(), target } as never;
    expect(await failureOf(library().varve.memory.erase(asked))).toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});

test('a turn that only a memory names is a target to erase again after a restore', async () => {
  await using temporary = await temporaryFolder();
  const file = path.join(temporary.folder, STORE_FILE);
  {
    await using varve = await openVarve({ dataDir: temporary.folder });
    await varve.memory.addMessages({
      ...{ tenant: TENANT, identifiers: { ...IDENTIFIERS, sessionId: 'call-9' } },
      messages: [{ id: 'm9', role: 'user', content: KEPT, at: AT }],
    });
  }
  await using store = await openSqliteStore({ file, ...OPENING });
  const targets = await Array.fromAsync(store.erasures.candidates(TENANT, 'Turn'));
  expect(targets).toContainEqual({ kind: 'Turn', sessionId: 'call-9', id: 'm9' });
});
