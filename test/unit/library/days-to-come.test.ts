/** A memory whose day is to come ends nothing before it, and holds from then on. */
import { describe, expect, test } from 'vitest';
import type { Varve } from '#cli/open-varve.ts';
import { connected, textOf } from '#test/unit/mcp/connected.ts';
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

const RENTS = [
  ['English', 'What is the rent?', 'The rent is 800.', 'The rent is 900.'],
  ['German', 'Wie hoch ist die Miete?', 'Die Miete beträgt 800.', 'Die Miete beträgt 900.'],
  ['Spanish', '¿Cuánto es el alquiler?', 'El alquiler es de 800.', 'El alquiler es de 900.'],
  ['Chinese', '房租是多少？', '房租是800元。', '房租是900元。'],
  ['in words that no rule compares', 'Which plan?', 'The plan is basic.', 'Plan: everything.'],
  ['the same words', 'Who is on call?', 'Ann is on call.', 'On call is Ann.'],
] as const;

const KEYED: Readonly<Record<string, (varve: Varve, said: Keyed) => Promise<unknown>>> = {
  'memory.add': (varve, said) => varve.memory.add({ ...said, layer: 'user', identifiers }),
  'memory.bulkAdd': (varve, { tenant, ...said }) =>
    varve.memory.bulkAdd({ tenant, memories: [{ ...said, layer: 'user', identifiers }] }),
};

interface Keyed extends Partial<Said> {
  readonly tenant: string;
  readonly key: string;
  readonly content: string;
}

describe.each(Object.keys(KEYED))('%s with a key and a day to come', (way) => {
  const add = async (tenant: string, content: string, at?: string) =>
    KEYED[way]?.(library().varve, {
      tenant,
      key: 'k',
      content,
      ...(at === undefined ? {} : { at }),
    });

  test.each(RENTS)('%s: the old value holds until then', async (_how, query, old, next) => {
    const tenant = newTenant();
    await add(tenant, old, LAST);
    await add(tenant, next, NEXT);
    const lines = await related(tenant, query);
    expect(lines).toContain(`- user: ${old} (${day(LAST)})`);
    expect(lines).toContain(`- user: ${next} (from ${day(NEXT)})`);
    const { hits } = await library().varve.memory.search({ tenant, identifiers, query });
    expect(hits.filter((hit) => hit.outdated || hit.outdatedInPart)).toEqual([]);
    expect(hits.map(({ text }) => text)).toContain(old);
  });

  test.each(RENTS)('%s: on the day, the new one alone', async (_how, query, old, next) => {
    const tenant = newTenant();
    await add(tenant, old, LAST);
    await add(tenant, next, NEXT);
    expect(await related(tenant, query, NEXT)).toEqual([`- user: ${next} (${day(NEXT)})`]);
    const asked = { tenant, identifiers, query, at: NEXT, threshold: 0 };
    const { hits } = await library().varve.memory.search(asked);
    expect(hits.map(({ text }) => text)).toEqual([next]);
  });

  test('a summary says the old value, and is due on the day', async () => {
    const tenant = newTenant();
    await add(tenant, 'The rent is 800.');
    await add(tenant, 'The rent is 900.', NEXT);
    const { varve, store } = library();
    await varve.refresh({ tenant, kind: 'Stale' });
    const shown = await varve.summary.get({ tenant, layer: 'user', identifiers });
    expect([shown?.text.includes('800'), shown?.text.includes('900')]).toEqual([true, false]);
    const scope = await store.scopes.get({ tenant, layer: 'user', scopeId: 'ann' });
    expect(scope.nextExpiryAt).toBe(Date.parse(NEXT));
  });
});

describe('a value to come', () => {
  async function planned() {
    const tenant = newTenant();
    const { memory, trace } = library().varve;
    const said = { tenant, layer: 'user', identifiers, key: 'rent' } as const;
    const { memory: old } = await memory.add({ ...said, content: 'The rent is 800.', at: LAST });
    const { memory: next } = await memory.add({ ...said, content: 'The rent is 900.', at: NEXT });
    const get = async (id: string) => memory.get({ tenant, id });
    return { tenant, memory, trace, old, next, get };
  }

  test('is in the history of both, and why says what will be', async () => {
    const { tenant, memory, trace, old, next } = await planned();
    const changesOf = async (id: string) =>
      (await memory.history({ tenant, id })).changes.map(({ action }) => action);
    expect(await changesOf(old.id)).toEqual(['Superseded', 'Added']);
    expect(await changesOf(next.id)).toEqual(['Added']);
    const why = { state: 'Current', supersededBy: next.id };
    expect(await trace.why({ tenant, ref: old.id, identifiers })).toMatchObject(why);
    await using server = await connected(library().varve, { tenant, identifiers, isOpen: false });
    const told = textOf(await server.call('why', { ref: old.id }));
    expect(told).toContain(`It will be replaced by ${next.id}.`);
  });

  test('forgotten before its day: the old one has an open end', async () => {
    const { tenant, memory, old, next, get } = await planned();
    expect(await get(old.id)).toMatchObject({ validTo: Date.parse(NEXT), supersededBy: next.id });
    await memory.delete({ tenant, id: next.id });
    expect(await get(old.id)).toMatchObject({ validTo: null, supersededBy: null, state: 'active' });
  });

  test('erased: the old one has an open end', async () => {
    const { tenant, memory, old, next, get } = await planned();
    await memory.erase({ tenant, target: { kind: 'Memory', id: next.id } });
    expect(await get(old.id)).toMatchObject({ validTo: null, supersededBy: null, state: 'active' });
  });

  test('updated by its id: stays to come', async () => {
    const { tenant, memory, old, next, get } = await planned();
    await memory.update({ tenant, id: next.id, content: 'The rent is 950.' });
    expect(await get(next.id)).toMatchObject({ validFrom: Date.parse(NEXT) });
    expect(await get(old.id)).toMatchObject({ supersededBy: next.id });
  });

  test('from messages dated on that day: ends what it contradicts then', async () => {
    const tenant = newTenant();
    const { memory } = library().varve;
    const say = async (content: string, at: string) =>
      memory.addMessages({ tenant, identifiers, messages: [{ role: 'user', content, at }] });
    const { results: first } = await say('I live in Bristol.', LAST);
    const { results } = await say('I moved from Bristol to Bath.', NEXT);
    expect(results).toMatchObject([{ event: 'SUPERSEDE', supersedes: [first[0]?.id] }]);
    expect(await memory.get({ tenant, id: first[0]?.id ?? '' })).toMatchObject({
      state: 'active',
      validTo: Date.parse(NEXT),
      supersededBy: results[0]?.id,
    });
  });
});
