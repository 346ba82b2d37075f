import { describe, expect, test } from 'vitest';
import { dreamPolicy } from '#test/conformance/dream-samples.ts';
import { DAY_MS } from '#test/conformance/samples.ts';
import { failureOf, newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();

const DANA = { kind: 'user', id: 'dana' } as const;
const LAUNCH = 'The new checkout launches on December 1, 2026.';
const OWNER = 'Piotr owns the fallback of the new checkout.';

const HAND_WRITTEN = [
  '# Team',
  '<!-- by hand -->',
  '* Bob leads search',
  '  * since 2024',
  '1. Clone it',
  '2) Build it',
  '```sh',
  'npm ci',
  '```',
  '| Name | Role |',
  '|---|---|',
  '| Ann | lead |',
  '',
  '### Rules',
  '* Nobody deploys on Fridays <!-- keep -->',
].join('\r\n');

const NIGHTLY = dreamPolicy({ agents: [], cron: '30 3 * * *', approval: 'Required' });

async function twoDays(tenant: string): Promise<void> {
  const { daily } = library().varve;
  const at = Date.now() - DAY_MS;
  await daily.append({ tenant, subject: DANA, at, heading: 'Trimmed Context', text: LAUNCH });
  await daily.append({ tenant, subject: DANA, heading: 'Trimmed Context', text: OWNER });
}

/** Says something in a session of Dana's, and dreams of it. */
function dreamOfEach(tenant: string): (sessionId: string, content: string) => Promise<void> {
  const { conversation, dream } = library().varve;
  return async (sessionId, content) => {
    const turns = [{ id: 't0', role: 'user' as const, content }];
    await conversation.append({ tenant, identifiers: { userId: 'dana' }, sessionId, turns });
    await conversation.flush({ tenant, sessionId });
    await dream.run({ tenant, subject: DANA });
  };
}

describe('dreams of the library', () => {
  test('a context has no line of MEMORY.md beside its turn, though the line has no "oh"', async () => {
    const tenant = newTenant();
    const { document, context } = library().varve;
    const said = 'oh and btw I cant eat gluten, celiac. sucks but ok';
    await dreamOfEach(tenant)('s1', said);
    const memory = await document.get({ tenant, subject: DANA });
    expect(memory?.text).toContain('and btw I cant eat gluten');
    expect(memory?.text).not.toContain('oh and btw');
    const identifiers = { userId: 'dana', sessionId: 's2' };
    const { text } = await context.assemble({ tenant, identifiers, query: 'What can I eat?' });
    expect(text.match(/gluten/gu)).toHaveLength(1);
  });

  test('DREAM-01: a dream reads the last daily files and writes MEMORY.md with sources', async () => {
    const tenant = newTenant();
    await twoDays(tenant);
    const { dream, document, daily } = library().varve;
    const of = { tenant, subject: DANA };
    const { dreamId, state } = await dream.run({ ...of, lookbackDays: 2 });
    expect(state).toBe('Started');
    const { last } = await dream.status(of);
    expect(last).toMatchObject({ dreamId, outcome: 'Dreamed' });
    const file = await document.get(of);
    expect(file).toMatchObject({ version: 1, author: 'dream', dreamId });
    expect(file?.lines.map(({ text }) => text)).toEqual(expect.arrayContaining([LAUNCH, OWNER]));
    const { paths } = await document.list(of);
    const read = await Promise.all(
      paths
        .filter((path) => /^memory\/\d/u.test(path))
        .map(async (path) => (await document.get({ ...of, path }))?.lines ?? []),
    );
    const known = new Set(read.flat().map(({ blockId }) => blockId));
    for (const { sources } of file?.lines ?? []) {
      expect(sources.length).toBeGreaterThan(0);
      expect(sources.every((id) => known.has(id))).toBe(true);
    }
    expect(await daily.get(of)).not.toBeNull();
    const shown = await dream.get({ tenant, id: dreamId ?? '' });
    expect(shown).toMatchObject({ state: 'Applied', baseVersion: 0, schedule: null });
    expect(paths.filter((path) => path.startsWith('memory/dreams/'))).toHaveLength(1);
  });

  test('a dream keeps what a person wrote around the lines of MEMORY.md byte for byte', async () => {
    const tenant = newTenant();
    await twoDays(tenant);
    const { context, dream, document } = library().varve;
    const of = { tenant, subject: DANA };
    const { version } = await document.edit({ ...of, text: HAND_WRITTEN, expectedVersion: 0 });
    expect((await document.get(of))?.text).toBe(HAND_WRITTEN);
    expect(
      await document.edit({ ...of, text: HAND_WRITTEN, expectedVersion: version }),
    ).toMatchObject({ version });
    await dream.run({ ...of, lookbackDays: 2 });
    const file = await document.get(of);
    expect(file).toMatchObject({ author: 'dream' });
    expect(file?.text).toContain(LAUNCH);
    const rows = new Set([`- ${LAUNCH}`, `- ${OWNER}`, `* ${LAUNCH}`, `* ${OWNER}`]);
    const left = file?.text.split('\r\n').filter((row) => !rows.has(row)) ?? [];
    expect(left.filter(Boolean)).toEqual(HAND_WRITTEN.split('\r\n').filter(Boolean));
    const query = 'When may nobody deploy?';
    const shown = await context.assemble({ tenant, identifiers: { userId: 'dana' }, query });
    expect(shown.text).toContain('Nobody deploys on Fridays');
    expect(shown.text).not.toContain('keep');
    await document.restore({ ...of, version });
    expect((await document.get(of))?.text).toBe(HAND_WRITTEN);
  });

  test('the diary does not count a private line as kept', async () => {
    const tenant = newTenant();
    const { daily, document, dream } = library().varve;
    const of = { tenant, subject: DANA };
    await daily.append({ ...of, text: `${LAUNCH}\nWrite to dana@shop.example about it.` });
    await dream.run(of);
    const { paths } = await document.list(of);
    const path = paths.find((each) => each.includes('dreams')) ?? '';
    const diary = (await document.get({ ...of, path }))?.text;
    expect(diary).toContain('1 of 2 lines that were read came to MEMORY.md.');
    expect(diary).not.toContain('dana@shop.example');
  });

  test('a replaced value appears in no answer beside the new one', async () => {
    const tenant = newTenant();
    const { context, daily, dream, memory } = library().varve;
    const of = { tenant, subject: DANA };
    for (const seconds of [30, 45]) {
      const row = `Bob planted tulips in row ${String(seconds)}.`;
      const text = `The timeout is ${String(seconds)} seconds.\n${row}`;
      await daily.append({ ...of, text });
      await dream.run(of);
    }
    const asked = { tenant, identifiers: { userId: 'dana' }, query: 'What is the timeout?' };
    const { hits } = await memory.search({ ...asked, threshold: 0 });
    const found = hits.map(({ text }) => text);
    expect(found).toContain('The timeout is 45 seconds.');
    expect(found).not.toContain('The timeout is 30 seconds.');
    const { text } = await context.assemble(asked);
    expect(text).toContain('45 seconds');
    expect(text).not.toContain('30 seconds');
    expect((await daily.get(of))?.text).toContain('30 seconds');
    const tulips = { ...asked, query: 'Where did Bob plant tulips?', threshold: 0 };
    const rows = (await memory.search(tulips)).hits.map((hit) => hit.text);
    expect(rows).toEqual(expect.arrayContaining(['Bob planted tulips in row 30.']));
  });

  test('what a person deletes from a session is in no dream and no diary', async () => {
    const tenant = newTenant();
    const { conversation, dream, document } = library().varve;
    const of = { tenant, subject: DANA };
    const identifiers = { userId: 'dana' };
    const said = ['My cat is called Zebulonia.', 'I work as a nurse.', 'Zebulonia eats tuna.'];
    const turns = said.map((content, n) => ({
      id: `t${String(n)}`,
      role: 'user' as const,
      content,
    }));
    await conversation.append({ tenant, identifiers, sessionId: 'mon', turns });
    await conversation.flush({ tenant, sessionId: 'mon' });
    const { dreamId } = await dream.run(of);
    const { paths } = await document.list(of);
    const answers = async () =>
      JSON.stringify([
        await dream.get({ tenant, id: dreamId ?? '' }),
        ...(await Promise.all(paths.map((path) => document.get({ ...of, path })))),
      ]);
    expect(await answers()).toContain('Zebulonia');
    await conversation.delete({ tenant, sessionId: 'mon', turnIds: ['t0', 't2'] });
    expect(await answers()).not.toContain('Zebulonia');
    expect(await answers()).toContain('nurse');
  });

  test('deleting a correction restores the line that it archived, also after an edit', async () => {
    const tenant = newTenant();
    const { conversation, document } = library().varve;
    const of = { tenant, subject: DANA };
    const says = dreamOfEach(tenant);
    const textsNow = async () => (await document.get(of))?.lines.map(({ text }) => text);
    await says('mon', 'My rent is 900 euros.');
    await says('tue', 'My rent is 1,150 euros.');
    await says('wed', 'My rent is 1,210 euros.');
    expect(await textsNow()).toEqual(['My rent is 1,210 euros.']);
    await conversation.delete({ tenant, sessionId: 'wed', turnIds: ['t0'] });
    expect(await textsNow()).toEqual(['My rent is 1,150 euros.']);
    expect((await document.get(of))?.outdatedLines).toBe(1);
    const { text = '', version = 0 } = (await document.get(of)) ?? {};
    const door = { text: `${text}- The door is green.\n`, expectedVersion: version };
    await document.edit({ ...of, ...door });
    expect(await textsNow()).toEqual(['My rent is 1,150 euros.', 'The door is green.']);
    await conversation.delete({ tenant, sessionId: 'tue', turnIds: ['t0'] });
    expect(await textsNow()).toEqual(['My rent is 900 euros.', 'The door is green.']);
    await conversation.delete({ tenant, sessionId: 'mon', turnIds: ['t0'] });
    expect(await textsNow()).toEqual(['The door is green.']);
  });

  test('a dream after a correction is deleted writes the archived line again', async () => {
    const tenant = newTenant();
    const { conversation, document } = library().varve;
    const of = { tenant, subject: DANA };
    const says = dreamOfEach(tenant);
    await says('mon', 'My rent is 900 euros.');
    await says('tue', 'My rent is 1,150 euros.');
    await conversation.delete({ tenant, sessionId: 'tue', turnIds: ['t0'] });
    await says('wed', 'I am allergic to peanuts.');
    const { version = 0, lines = [] } = (await document.get(of)) ?? {};
    const texts = ['My rent is 900 euros.', 'I am allergic to peanuts.'];
    expect(lines.map(({ text }) => text).toSorted()).toEqual(texts.toSorted());
    for (let each = version; each > 0; each -= 1) {
      expect((await document.get({ ...of, version: each }))?.text).not.toContain('1,150');
    }
  });

  test('the same content is not dreamed twice', async () => {
    const tenant = newTenant();
    await twoDays(tenant);
    const { dream, document } = library().varve;
    const of = { tenant, subject: DANA };
    await dream.run({ ...of, lookbackDays: 2 });
    await dream.run({ ...of, lookbackDays: 2 });
    expect((await dream.status(of)).last?.outcome).toBe('NothingNew');
    expect((await document.versions(of)).versions).toHaveLength(1);
  });

  test('if a DeepDream requires approval, the proposal is applied after a person approves it', async () => {
    const tenant = newTenant();
    await library().declare(tenant, () => ({ dreams: [NIGHTLY] }));
    await twoDays(tenant);
    const { dream, document } = library().varve;
    const of = { tenant, subject: DANA };
    await dream.run({ ...of, lookbackDays: 2 });
    expect(await document.get(of)).toBeNull();
    const [waiting] = (await dream.list({ tenant, state: 'Waiting' })).dreams;
    expect(waiting).toMatchObject({ subject: DANA, findings: ['ApprovalRequired'] });
    const approved = await dream.approve({ tenant, id: waiting?.id ?? '', reason: 'right' });
    expect(approved).toMatchObject({ state: 'Applied', decision: { reason: 'right' } });
    const file = await document.get(of);
    expect(file?.lines).toHaveLength(waiting?.added ?? 0);
    expect((await dream.list({ tenant, state: 'Waiting' })).dreams).toEqual([]);
  });

  test('after an edit outdates a proposal, the next dream proposes it again on top', async () => {
    const tenant = newTenant();
    await library().declare(tenant, () => ({ dreams: [NIGHTLY] }));
    await twoDays(tenant);
    const { dream, document } = library().varve;
    const of = { tenant, subject: DANA };
    await dream.run({ ...of, lookbackDays: 2 });
    const [waiting] = (await dream.list({ tenant, state: 'Waiting' })).dreams;
    const text = '- Dana plays the cello.';
    await document.edit({ ...of, text, expectedVersion: 0 });
    const late = dream.approve({ tenant, id: waiting?.id ?? '' });
    expect(await failureOf(late)).toMatchObject({ code: 'CONFLICT' });
    await dream.run({ ...of, lookbackDays: 2 });
    const [again] = (await dream.list({ tenant, state: 'Waiting' })).dreams;
    expect(again).toMatchObject({ baseVersion: 1 });
    await dream.approve({ tenant, id: again?.id ?? '' });
    const texts = (await document.get(of))?.lines.map((line) => line.text);
    expect(texts).toEqual(expect.arrayContaining(['Dana plays the cello.', LAUNCH, OWNER]));
  });

  test('no dream restores what a person deleted or rolled back', async () => {
    const tenant = newTenant();
    await twoDays(tenant);
    const { daily, dream, document } = library().varve;
    const of = { tenant, subject: DANA };
    await dream.run({ ...of, lookbackDays: 2 });
    await document.edit({ ...of, text: `- ${OWNER}`, expectedVersion: 1 });
    await daily.append({ ...of, text: `${LAUNCH}\nThe budget of the checkout is 40,000 euros.` });
    await dream.run({ ...of, lookbackDays: 2 });
    const text = (await document.get(of))?.text;
    expect(text).toContain(OWNER);
    expect(text).toContain('40,000 euros');
    expect(text).not.toContain(LAUNCH);
    const rolledBack = await document.restore({ ...of, version: 1 });
    expect(rolledBack.version).toBe(4);
    expect((await document.get(of))?.text).toContain(LAUNCH);
    expect((await document.get(of))?.text).not.toContain('40,000');
    await daily.append({ ...of, text: 'The budget of the checkout is 40,000 euros.' });
    await dream.run({ ...of, lookbackDays: 2 });
    expect((await document.get(of))?.text).not.toContain('40,000');
  });
});

describe('a context after a dream', () => {
  test.each([
    ['Dana drives a Fiat.', 'Dana sold the Fiat.', 'Which car does Dana drive?'],
    ['Dana lives in Porto.', 'Dana moved to Braga.', 'Where does Dana live?'],
    ['Dana wohnt in Kiel.', 'Dana ist nach Bremen gezogen.', 'Wo wohnt Dana?'],
    ['Dana vive en Lugo.', 'Dana se mudó a Vigo.', '¿Dónde vive Dana?'],
  ])(
    'shows a line that a person restored as current, whatever older notes say: %s %s',
    async (restored, noted, query) => {
      const tenant = newTenant();
      const { daily, document, context, dream } = library().varve;
      const of = { tenant, subject: DANA };
      await document.edit({ ...of, text: `- ${restored}\n- Dana sings.`, expectedVersion: 0 });
      await daily.append({ ...of, text: noted });
      await dream.run({ ...of, lookbackDays: 2 });
      const asked = { tenant, identifiers: { userId: 'dana' }, query };
      expect((await context.assemble(asked)).text).toContain(noted.slice(0, -1));
      const edited = { ...of, text: '- Dana sings.', expectedVersion: 2 };
      await document.edit(edited);
      await document.restore({ ...of, version: 1 });
      const { text } = await context.assemble(asked);
      expect(text).toContain(`MEMORY.md: ${restored}`);
      expect(text).not.toContain(`${restored} (earlier)`);
      const { lines = [] } = (await document.get(of)) ?? {};
      expect(lines.map((line) => line.text)).toEqual([restored, 'Dana sings.']);
    },
  );

  test.each([
    ['My new boss is Tom.', 'Great, Tom is your boss now.', 'Who is my boss?'],
    [
      'The meeting was moved from 10 to 11:30.',
      'Noted, it is now at 11:30.',
      'When is the meeting?',
    ],
    ['Mein neuer Chef ist Tom.', 'Alles klar, Tom ist jetzt dein Chef.', 'Wer ist mein Chef?'],
    ['La reunión se movió a las 11:30.', 'Vale, ahora es a las 11:30.', '¿Cuándo es la reunión?'],
  ])(
    'shows "%s" once and as current, though an assistant repeated it',
    async (said, noted, query) => {
      const tenant = newTenant();
      const { conversation, dream, context } = library().varve;
      const identifiers = { userId: DANA.id };
      const at = Date.now() - 2 * DAY_MS;
      const turns = [
        { role: 'user', content: said, at },
        { role: 'assistant', content: noted, at: at + 1 },
      ] as const;
      await conversation.append({ tenant, identifiers, sessionId: 's', turns: [...turns] });
      await conversation.end({ tenant, sessionId: 's' });
      await library().varve.refresh({ tenant });
      await dream.run({ tenant, subject: DANA, lookbackDays: 4 });
      const { text } = await context.assemble({ tenant, identifiers, query, maxTokens: 600 });
      expect(text.split(said)).toHaveLength(2);
      expect(text).not.toContain('(earlier)');
    },
  );
});
