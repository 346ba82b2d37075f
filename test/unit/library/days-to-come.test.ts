/** A memory whose day is to come ends nothing before it, and holds from then on. */
import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'ann' };
const DAY_MS = 86_400_000;
const daysOn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
const day = (iso: string): string => iso.slice(0, 10);

interface Said {
  readonly content: string;
  readonly at: string;
}

async function told(memories: readonly Said[]): Promise<string> {
  const tenant = newTenant();
  for (const each of memories) {
    await library().varve.memory.add({ tenant, layer: 'user', identifiers, ...each });
  }
  return tenant;
}

async function related(tenant: string, query: string, at?: string): Promise<readonly string[]> {
  const asked = { tenant, identifiers, query, ...(at === undefined ? {} : { at }) };
  const { text } = await library().varve.context.assemble(asked);
  return text.split('\n').filter((line) => line.startsWith('- user'));
}

const [LAST, NEXT] = [daysOn(-50), daysOn(40)];

describe.each([
  ['English', 'Where does Ann live?', 'Ann lives in Bristol.', 'Ann moved to Bath.'],
  ['German', 'Wo wohnt Ann, in Köln oder Bonn?', 'Ann wohnt in Köln.', 'Ann wohnt in Bonn.'],
  ['Spanish', '¿Dónde vive Ann?', 'Ann vive en Lima.', 'Ann vive en Quito.'],
  ['Chinese', 'Ann住在哪里？', 'Ann住在上海。', 'Ann搬到杭州了。'],
  ['amounts', 'What is the budget?', 'The budget is 14,000 euros.', 'The budget is 16,500 euros.'],
])('%s: a context', (_language, query, older, newer) => {
  const memories = [
    { content: older, at: LAST },
    { content: newer, at: NEXT },
  ];

  test('before the day: shows it as coming, and marks nothing', async () => {
    const lines = await related(await told(memories), query);
    expect(lines).toContain(`- user: ${older} (${day(LAST)})`);
    expect(lines).toContain(`- user: ${newer} (from ${day(NEXT)})`);
  });

  test.each([
    ['on the day', NEXT],
    ['later', daysOn(90)],
  ])('%s: it holds', async (_when, at) => {
    const lines = await related(await told(memories), query, at);
    expect(lines).toContain(`- user: ${newer} (${day(NEXT)})`);
    expect(lines).toContain(`- user: ${older} (${day(LAST)}) (earlier)`);
  });

  test('asked for a day in the past: what came later is not in force yet', async () => {
    const past = [
      { content: older, at: daysOn(-300) },
      { content: newer, at: daysOn(-100) },
    ];
    const lines = await related(await told(past), query, daysOn(-200));
    expect(lines).toContain(`- user: ${older} (${day(daysOn(-300))})`);
    expect(lines).toContain(`- user: ${newer} (from ${day(daysOn(-100))})`);
  });
});

describe('a memory whose day is to come', () => {
  const memories = [
    { content: 'Ann lives in Bristol.', at: LAST },
    { content: 'Ann moved to Bath.', at: NEXT },
  ];
  const query = 'Where does Ann live?';

  test.each([
    ['before its day', undefined, []],
    ['from its day on', NEXT, ['Ann lives in Bristol.']],
  ])('in a search, %s', async (_when, at, outdated) => {
    const tenant = await told(memories);
    const asked = { tenant, identifiers, query, threshold: 0, ...(at === undefined ? {} : { at }) };
    const { hits } = await library().varve.memory.search(asked);
    expect(hits).toHaveLength(2);
    expect(hits.filter((hit) => hit.outdated).map(({ text }) => text)).toEqual(outdated);
  });

  test('said later on the same day: holds at once', async () => {
    const at = new Date(new Date().setUTCHours(23, 59, 59, 0)).toISOString();
    const tenant = await told([{ content: 'Ann lives in Bristol.', at: LAST }]);
    await library().varve.memory.add({
      tenant,
      layer: 'user',
      identifiers,
      content: 'Ann moved to Bath.',
      at,
    });
    const lines = await related(tenant, query);
    expect(lines).toContain(`- user: Ann lives in Bristol. (${day(LAST)}) (earlier)`);
  });

  test('does not end what a user says in a turn', async () => {
    const tenant = await told([{ content: 'Ann moved to Bath.', at: NEXT }]);
    const { varve } = library();
    const turns = [{ id: 'a', role: 'user' as const, content: 'I live in Bristol.', at: LAST }];
    await varve.conversation.append({ tenant, sessionId: 's', identifiers, turns });
    const { text } = await varve.context.assemble({ tenant, identifiers, query });
    expect(text).toMatch(/I live in Bristol\.$/mu);
    const later = { tenant, identifiers, query, at: daysOn(90) };
    expect((await varve.context.assemble(later)).text).toMatch(/Bristol\. \(earlier\)$/mu);
  });

  test('does not make what messages say outdated', async () => {
    const tenant = await told([{ content: 'Ann lives in Bath.', at: NEXT }]);
    const { results } = await library().varve.memory.addMessages({
      tenant,
      identifiers,
      messages: [{ role: 'user', content: 'I live in Bristol.' }],
    });
    expect(results).toMatchObject([{ event: 'ADD', text: 'I live in Bristol.' }]);
  });

  test('is in no summary before its day, which is when the summary is due again', async () => {
    const tenant = await told(memories);
    const { varve, store } = library();
    await varve.refresh({ tenant, kind: 'Stale' });
    await varve.memory.add({ tenant, layer: 'user', identifiers, content: 'Ann has a cat.' });
    const planned = { tenant, layer: 'user', identifiers, content: 'Ann has a dog.' } as const;
    await varve.memory.add({ ...planned, at: NEXT });
    const shown = await varve.summary.get({ tenant, layer: 'user', identifiers });
    expect(shown?.text).toContain('Ann lives in Bristol.');
    expect(shown?.text).toContain('Ann has a cat.');
    expect(shown?.text).not.toMatch(/Bath|dog/u);
    expect(await store.scopes.get({ tenant, layer: 'user', scopeId: 'ann' })).toMatchObject({
      nextExpiryAt: Date.parse(NEXT),
    });
  });
});
