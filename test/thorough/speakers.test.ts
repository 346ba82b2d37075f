/** Several people speak in the sessions of one user; each speaks only for himself. */
import { describe, expect, test } from 'vitest';
import type { Varve } from '#cli/open-varve.ts';
import { newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';

const library = sharedLibrary();

const AT = Date.parse('2025-11-03T09:00:00Z');
const NUTS = ['I am allergic to nuts.', 'I am not allergic to nuts.', 'Am I allergic to nuts?'];
const HOME = ['I live in Porto.', 'I moved to York last week.', 'Where do I live?'];

type Said = readonly [speaker: string, content: string];

/** Each turn is in a session of its own. */
async function told(varve: Varve, userId: string, said: readonly Said[]): Promise<string> {
  const tenant = newTenant();
  for (const [at, [speaker, content]] of said.entries()) {
    const session = { tenant, sessionId: `s${String(at)}` };
    const turn = { role: 'user' as const, speaker, content, at: AT + at * 60_000 };
    await varve.conversation.append({ ...session, identifiers: { userId }, turns: [turn] });
    await varve.conversation.flush(session);
  }
  await varve.refresh({ tenant });
  return tenant;
}

async function summaryOf(varve: Varve, tenant: string, userId: string): Promise<string> {
  const summary = await varve.summary.get({ tenant, layer: 'user', identifiers: { userId } });
  return summary?.text ?? '';
}

describe("the user's own facts stay when another speaker says otherwise of himself", () => {
  test.for([
    ['ana', 'ben', NUTS],
    ['u1', '@ben', NUTS],
    ['u1', 'ben@x.com', HOME],
    ['u1', '+49 151 9876', HOME],
    ['u1', 'سامي', HOME],
    ['u1', '佐藤', HOME],
    ['u1', 'Risk', HOME],
    ['Ana', 'Ben (Sales)', HOME],
    ['ana', 'ben', ['Meine Chefin ist Eva.', 'Meine Chefin ist Ida.', 'Wer ist meine Chefin?']],
    ['ana', 'luis', ['Vivo en Madrid.', 'Me mudé a Sevilla.', '¿Dónde vivo?']],
    ['李娜', '王伟', ['我住在上海。', '我上周搬到了杭州。', '我住在哪里？']],
  ] as const)('%s, %s', async ([userId, other, [own, others, query]]) => {
    const { varve } = library();
    const said = [
      ['ana', own],
      [other, others],
    ] as const;
    const tenant = await told(varve, userId, said);
    const summary = await summaryOf(varve, tenant, userId);
    expect(summary).toContain(own);
    expect(summary).toContain(others);
    expect(summary.match(/\(as of /gu)?.length ?? 0).toBeLessThan(2);
    const identifiers = { userId };
    const { hits } = await varve.memory.search({ tenant, identifiers, query, threshold: 0 });
    expect(
      hits.filter(({ source, text }) => source === 'memory' && text.includes(own)),
    ).toMatchObject([{ outdated: false }]);
  });
});

test('the same speaker still ends what he said before', async () => {
  const { varve } = library();
  const said = [
    ['ana', 'I live in Porto.'],
    ['ben', 'I live in Leeds.'],
    ['ben', 'I moved to York last week.'],
  ] as const;
  const tenant = await told(varve, 'ana', said);
  const summary = await summaryOf(varve, tenant, 'ana');
  expect(summary).toBe('I live in Porto. “ben”: I moved to York last week. (as of 2025-11-03)');
});

test("a summary shows the owner's words before those of the first other speaker", async () => {
  const { varve } = library();
  const said = [
    ['Ana', 'I am allergic to nuts.'],
    ['Ben', 'I am vegan.'],
    ['Ana', 'I live in Porto.'],
    ['Ben', 'My boss is Ines.'],
  ] as const;
  const tenant = await told(varve, 'ana', said);
  const summary = await summaryOf(varve, tenant, 'ana');
  expect(summary.indexOf('Porto')).toBeLessThan(summary.indexOf('Ben: I am vegan.'));
  const identifiers = { userId: 'ana' };
  const query = 'Where do I live?';
  const asked = { tenant, identifiers, query, layout: 'cacheStable' } as const;
  const { text } = await varve.context.assemble(asked);
  expect(text.indexOf('Porto')).toBeLessThan(text.indexOf('Ben: I am vegan.'));
});

describe('MEMORY.md names the speaker of each line, also if only one of them is in it', () => {
  test.for([
    ['ana', 'ben', '“ben”: I am not allergic to nuts and I live in Leeds.'],
    ['Ana', 'Ben', 'Ben: I am not allergic to nuts and I live in Leeds.'],
  ])('%s, %s', async ([userId = '', other = '', line]) => {
    const { varve } = library();
    const tenant = newTenant();
    const session = { tenant, sessionId: 'call' };
    const said = [
      [userId, 'I am allergic to nuts.'],
      [other, 'I am not allergic to nuts and I live in Leeds.'],
      [userId, 'I live in Porto.'],
      [other, 'I moved to York yesterday.'],
    ].map(([speaker = '', content = '']) => ({ role: 'user' as const, speaker, content }));
    await varve.conversation.append({ ...session, identifiers: { userId }, turns: said });
    await varve.conversation.flush(session);
    const subject = { kind: 'user', id: userId } as const;
    await varve.dream.run({ tenant, subject });
    const file = await varve.document.get({ tenant, subject, path: 'MEMORY.md' });
    expect(file?.text).toContain(`- ${line}`);
  });
});

test('a summary shows the day of a move once', async () => {
  const { varve } = library();
  const tenant = newTenant();
  const identifiers = { userId: 'ana' };
  const added = { tenant, layer: 'user', identifiers } as const;
  await varve.memory.add({ ...added, content: 'I live in Porto.', at: AT });
  const content = 'I moved to York last week. (as of 2025-11-04)';
  await varve.memory.add({ ...added, content, at: AT + 86_400_000 });
  await varve.refresh({ tenant });
  expect(await summaryOf(varve, tenant, 'ana')).toBe(content);
});
