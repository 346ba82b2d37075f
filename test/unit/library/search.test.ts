import { beforeAll, describe, expect, test } from 'vitest';
import type { Layer } from '#core/layer.ts';
import { failureOf, newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const tenant = newTenant();
const identifiers = { userId: 'ann', projectId: 'shop' };

const add = (layer: Layer, content: string, more: object = {}) =>
  library().varve.memory.add({ tenant, layer, identifiers, content, ...more });
const search = (query: string, more: object = {}) =>
  library().varve.memory.search({ tenant, identifiers, query, ...more });
const contents = ({ hits }: Awaited<ReturnType<typeof search>>): readonly string[] =>
  hits.map(({ text }) => text);

const OSLO = 'Ann lives in Oslo with two cats.';
const LAUNCH = 'The garden shop launches on June 1, 2026.';
const CONTRACT = 'Every launch of a shop needs a signed contract.';

beforeAll(async () => {
  await add('user', OSLO, { tags: ['home'], metadata: { sure: 3, at: '2026-11-03' } });
  await add('project', LAUNCH, { tags: ['plan'], metadata: { sure: 5 } });
  await add('company', CONTRACT, { tags: ['law'] });
});

describe('memory.search', () => {
  test('MEM-04: searches all open layers, by precedence and then by score', async () => {
    const answer = await search('When does the shop launch?');
    expect(contents(answer)).toEqual([LAUNCH, CONTRACT]);
    expect(answer).toMatchObject({
      searchedLayers: ['user', 'project', 'team', 'org', 'company'],
      skippedLayers: ['agent', 'session'],
      degraded: false,
    });
    for (const { score } of answer.hits) expect(score).toBeGreaterThanOrEqual(0.7);
  });

  test('marks a memory that another one updates as outdated', async () => {
    const of = { tenant: newTenant(), identifiers, layer: 'project' } as const;
    const { add: addOne, search: find } = library().varve.memory;
    await addOne({ ...of, content: 'The timeout is 30 seconds.', at: '2026-10-01T00:00:00Z' });
    await addOne({ ...of, content: 'The timeout is 45 seconds.', at: '2026-11-01T00:00:00Z' });
    const query = { tenant: of.tenant, identifiers, query: 'What is the timeout?', threshold: 0 };
    const { hits } = await find(query);
    expect(new Map(hits.map(({ text, outdated }) => [text, outdated]))).toEqual(
      new Map([
        ['The timeout is 30 seconds.', true],
        ['The timeout is 45 seconds.', false],
      ]),
    );
  });

  test('names once what replaces a hit and was added twice', async () => {
    const of = { tenant: newTenant(), identifiers };
    const { memory, context } = library().varve;
    for (const content of ['I live in Porto.', 'I live in Braga now.', 'I live in Braga now.']) {
      await memory.add({ ...of, layer: 'user', content });
    }
    const query = 'Where do I live?';
    const { hits } = await memory.search({ ...of, query });
    expect(hits.map(({ text }) => text)).toEqual(['I live in Braga now.', 'I live in Porto.']);
    const { text } = await context.assemble({ ...of, query });
    expect(text.match(/I live in Braga now/gu)).toHaveLength(1);
  });

  test('names once what replaces a hit without a word of the question', async () => {
    const of = { tenant: newTenant(), identifiers };
    const { add: addOne, search: find } = library().varve.memory;
    const newer = 'Sold the Honda Civic and bought a Tesla.';
    for (const content of ['Drives a car, a Honda Civic.', newer, newer]) {
      await addOne({ ...of, layer: 'user', content });
    }
    const { hits } = await find({ ...of, query: 'Which car is driven?' });
    expect(hits.map(({ text }) => text)).toEqual([newer, 'Drives a car, a Honda Civic.']);
  });

  test('puts what replaces a hit before it where it shares no word with the question', async () => {
    const of = { tenant: newTenant(), identifiers };
    const { add: addOne, bulkAdd, search: find } = library().varve.memory;
    const older = 'Drives a car, a Honda Civic.';
    const newer = 'Sold the Honda Civic and bought a Tesla.';
    const memories = Array.from({ length: 60 }, (_, at) => `The car of neighbor ${at} is parked.`)
      .concat(older)
      .map((content) => ({ identifiers, layer: 'user' as const, content }));
    await bulkAdd({ tenant: of.tenant, memories });
    await addOne({ ...of, layer: 'user', content: newer });
    const { hits } = await find({ ...of, query: 'Which car does ann drive?', order: 'relevance' });
    const shown = hits.filter(({ text }) => text === older || text === newer);
    expect(shown.map(({ text }) => text)).toEqual([newer, older]);
    expect(shown.map(({ outdated }) => outdated)).toEqual([false, true]);
  });

  const HOMES = ['I live in Porto.', 'I moved to Braga last week.'];
  test.each([
    ['a replacement below the threshold', { threshold: 0.7 }, HOMES.toReversed()],
    ['a replacement that ranks lower', { threshold: 0 }, HOMES.toReversed()],
    ['ordered by precedence', { order: 'precedence' as const }, HOMES.toReversed()],
    ['with a limit of one', { threshold: 0.7, limit: 1 }, HOMES.slice(1)],
    ['a replacement beyond the limit', { threshold: 0, limit: 1 }, HOMES.slice(1)],
  ])('puts the replacement before the memory: %s', async (_case, more, expected) => {
    const of = { tenant: newTenant(), identifiers };
    const { add: addOne, search: find } = library().varve.memory;
    const [older = '', newer = ''] = HOMES;
    const at = '2026-10-01T00:00:00Z';
    await addOne({ ...of, layer: 'user', content: older, at });
    const { memory } = await addOne({ ...of, layer: 'user', content: newer });
    const query = 'Who lives in Porto?';
    const { hits } = await find({ ...of, query, ...more });
    expect(hits.map(({ text }) => text)).toEqual(expected);
    expect(hits.map(({ outdated }) => outdated)).toEqual(expected.map((text) => text === older));
    const misses = await find({ ...of, query, threshold: 1 });
    expect(misses).toMatchObject({ hits: [], nothingFound: {} });
    expect(misses.nearestMisses.map(({ id }) => id)).toContain(memory.id);
  });

  test('names a conflict with a newer memory of a broader layer', async () => {
    const of = { tenant: newTenant(), identifiers };
    const { add: addOne, search: find } = library().varve.memory;
    const addIn = async (layer: Layer, content: string, at: string) =>
      (await addOne({ ...of, layer, content, at })).memory.id;
    const older = await addIn('project', 'The timeout is 30 seconds.', '2026-10-01T00:00:00Z');
    const newer = await addIn('team', 'The timeout is 45 seconds.', '2026-11-01T00:00:00Z');
    const { hits } = await find({ ...of, query: 'What is the timeout?', threshold: 0 });
    expect(hits.map(({ id, outdated, conflictsWith }) => [id, outdated, conflictsWith])).toEqual([
      [older, false, [newer]],
      [newer, false, [older]],
    ]);
  });

  test('MEM-05: searches only the named layers', async () => {
    expect(contents(await search('shop launch', { layers: ['company'] }))).toEqual([CONTRACT]);
  });

  test('MEM-22: a named layer without its identifier is MISSING_IDENTIFIER', async () => {
    const error = await failureOf(search('shop', { layers: ['session'] }));
    expect(error).toMatchObject({
      code: 'MISSING_IDENTIFIER',
      details: { layer: 'session', identifier: 'sessionId' },
    });
  });

  test('an unknown layer is INVALID_LAYER', async () => {
    const error = await failureOf(search('shop', { layers: ['planet'] }));
    expect(error).toMatchObject({ code: 'INVALID_LAYER', retryable: false });
  });

  test('leaves out hits below the threshold and returns the nearest misses', async () => {
    const answer = await search('shop launch', { threshold: 1 });
    expect(answer.hits).toEqual([]);
    expect(answer.nearestMisses.length).toBeGreaterThan(0);
  });

  test.each([
    ['MEM-18: matches any of the tags', { tags: ['home', 'law'] }, [OSLO, CONTRACT]],
    ['filters by equality', { filter: { field: 'sure', eq: 5 } }, [LAUNCH]],
    ['filters by a range', { filter: { field: 'sure', gte: 3, lt: 5 } }, [OSLO]],
    [
      'filters by a date and a negation',
      {
        filter: {
          and: [{ field: 'at', lt: { date: '2026-11-04' } }, { not: { field: 'sure', eq: 5 } }],
        },
      },
      [OSLO],
    ],
    ['finds nothing if the filter matches nothing', { filter: { field: 'sure', eq: '5' } }, []],
  ])('%s', async (_, conditions, expected) => {
    const query = 'Oslo cats shop launch contract';
    expect(contents(await search(query, { ...conditions, threshold: 0 }))).toEqual(expected);
  });

  test.each(['hybrid', 'semantic', 'keyword'])('answers in mode %s', async (mode) => {
    expect(contents(await search('two cats in Oslo', { mode, limit: 1 }))).toEqual([OSLO]);
  });

  test('explains scores and paths and shows vectors only on request', async () => {
    const plain = await search('Oslo cats');
    expect(plain).toMatchObject({ paths: [], hits: [{ explanation: null }] });
    expect(plain.hits[0]?.memory).not.toHaveProperty('vector');
    const told = await search('Oslo cats', { explain: true, includeVector: true });
    expect(told.paths.map(({ layer }) => layer)).toEqual(told.searchedLayers);
    expect(told.hits[0]?.explanation?.keywordScore).toBeGreaterThan(0.7);
    expect(told.hits[0]?.memory?.vector).toHaveLength(384);
  });
});

describe('memory.list', () => {
  test('MEM-12: pages by a cursor, with the total count', async () => {
    const list = (more: object) => library().varve.memory.list({ tenant, identifiers, ...more });
    const first = await list({ limit: 2, order: 'oldest' });
    expect(first).toMatchObject({ totalCount: 3, memories: [{ content: OSLO }, {}] });
    const cursor = first.nextCursor ?? '';
    const second = await list({ limit: 2, order: 'oldest', cursor });
    expect(second.memories.map(({ content }) => content)).toEqual([CONTRACT]);
    expect(second.nextCursor).toBeNull();
    const other = await failureOf(list({ limit: 2, order: 'newest', cursor }));
    expect(other).toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('MEM-13: filters by tags and fields', async () => {
    const conditions = { tags: ['home', 'plan'], filter: { field: 'sure', gt: 3 } };
    const { memories } = await library().varve.memory.list({ tenant, identifiers, ...conditions });
    expect(memories.map(({ content }) => content)).toEqual([LAUNCH]);
  });
});

describe('bulk calls', () => {
  test('MEM-01: each item has its own outcome, and the ids delete the items again', async () => {
    const own = newTenant();
    const item = { layer: 'user', identifiers: { userId: 'ann' } } as const;
    const { bulkAdd, bulkDelete, list } = library().varve.memory;
    const added = await bulkAdd({
      tenant: own,
      memories: [
        { ...item, content: 'One.' },
        { layer: 'session', content: 'Two.' },
        { ...item, content: 'x'.repeat(262_145) },
        { ...item, content: 'One.', deduplicate: 'Exact' },
        { ...item, content: 'One.', deduplicate: 'Exact', tags: ['again'] },
      ],
    });
    expect(added).toMatchObject({ succeeded: 3, failed: 2 });
    expect(added.items).toMatchObject([
      { ok: true, embeddingGenerated: true, deduplicated: false },
      { ok: false, error: { code: 'MISSING_IDENTIFIER', retryable: false } },
      { ok: false, error: { code: 'CONTENT_TOO_LONG', details: { lengthMax: 262_144 } } },
      { ok: true, deduplicated: false },
      { ok: true, deduplicated: true },
    ]);
    const ids = added.items.flatMap((each) => (each.ok ? [each.id] : []));
    expect(await bulkDelete({ tenant: own, ids: [...ids, 'nobody'] })).toMatchObject({
      succeeded: 4,
      failed: 0,
    });
    const left = await list({ tenant: own, identifiers: { userId: 'ann' } });
    expect(left.totalCount).toBe(0);
  });
});

test('memory.bulkAdd names index, key, field and next step of each refused memory', async () => {
  const tenant = newTenant();
  const { add, bulkAdd } = library().varve.memory;
  const item = { layer: 'user', identifiers: { userId: 'ann' }, content: 'One.' } as const;
  await add({ tenant, ...item, key: 'style', content: 'Short answers.' });
  const answer = await bulkAdd({
    tenant,
    memories: [
      item,
      { ...item, layer: 'galaxy' as 'user' },
      { ...item, layer: 'session', key: 'seat' },
      { ...item, content: 'x'.repeat(262_145) },
      { ...item, key: 'k'.repeat(512), expiresAt: '2001-01-01T00:00:00Z' },
      { ...item, key: 'style', onConflict: 'error' },
    ],
  });
  const errors = answer.items.map((each) => (each.ok ? null : each.error));
  expect(errors.map((error) => error?.message ?? null)).toEqual([
    null,
    expect.stringMatching(/^memories\.1\.layer: There is no layer "galaxy"; there are agent/u),
    expect.stringMatching(/^memories\.2\.identifiers\.sessionId \(key "seat"\): .* give it in/u),
    expect.stringMatching(/^memories\.3\.content: The content has .*; split it into sections\.$/u),
    expect.stringMatching(
      /^memories\.4\.expiresAt \(key "k{200}…"\): expected a time after now \(/u,
    ),
    expect.stringMatching(/^memories\.5\.key \(key "style"\): The memory .* Update that one by/u),
  ]);
  const path = 'memories.4.expiresAt';
  expect(errors.map((error) => error?.details ?? null)).toMatchObject([
    null,
    { index: 1, layers: expect.any(Array) as unknown },
    { index: 2, key: 'seat', identifier: 'sessionId' },
    { index: 3, lengthMax: 262_144 },
    { index: 4, key: 'k'.repeat(512), issues: [{ path }] },
    { index: 5, key: 'style', id: expect.any(String) as unknown },
  ]);
});

describe('memory.history', () => {
  test('shows each change with its principal, newest first', async () => {
    const { memory } = await add('user', 'Ann has one dog.');
    await library().varve.memory.update({ tenant, id: memory.id, content: 'Ann has two dogs.' });
    await library().varve.memory.delete({ tenant, id: memory.id });
    const { changes } = await library().varve.memory.history({ tenant, id: memory.id });
    expect(changes.map(({ action, principal }) => [action, principal])).toEqual([
      ['Deleted', 'local'],
      ['Updated', 'local'],
      ['Added', 'local'],
    ]);
  });
});
