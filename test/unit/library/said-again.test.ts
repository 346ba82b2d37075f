/** A text that is stored already is said again: it is the newest word, and adds what is new. */
import { describe, expect, test } from 'vitest';
import { connected } from '#test/unit/mcp/connected.ts';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'ann' };

interface Said {
  readonly tenant: string;
  readonly content: string;
  readonly at: string;
}

function ownWords(content: string): string {
  return content.replace('Ann lives', 'I live').replace('Ann moved', 'I moved');
}

const WAYS: Readonly<Record<string, (said: Said) => Promise<unknown>>> = {
  'memory.add that deduplicates': (said) =>
    library().varve.memory.add({ ...said, layer: 'user', identifiers, deduplicate: 'Exact' }),
  'memory.add': (said) => library().varve.memory.add({ ...said, layer: 'user', identifiers }),
  'memory.add with a key of its own': ({ content, ...said }) =>
    library().varve.memory.add({ ...said, layer: 'user', identifiers, content, key: content }),
  'memory.bulkAdd': ({ tenant, ...said }) =>
    library().varve.memory.bulkAdd({
      tenant,
      memories: [{ ...said, layer: 'user', identifiers, deduplicate: 'Exact' }],
    }),
  'memory.addMessages': ({ tenant, content, at }) =>
    library().varve.memory.addMessages({
      tenant,
      identifiers,
      messages: [{ role: 'user', content: ownWords(content), at }],
    }),
  add_memory: async ({ tenant, ...said }) => {
    await using server = await connected(library().varve, { tenant, identifiers, isOpen: false });
    return await server.answer('add_memory', said);
  },
};

const DAYS = ['2026-09-01T10:00:00Z', '2026-10-01T10:00:00Z', '2026-11-20T10:00:00Z'];

/** Says each statement a month after the one before it, and returns what is then said to hold. */
async function holding(
  way: string,
  statements: readonly string[],
  { query, refreshed = false }: { readonly query: string; readonly refreshed?: boolean },
): Promise<readonly string[]> {
  const tenant = newTenant();
  for (const [place, content] of statements.entries()) {
    await WAYS[way]?.({ tenant, content, at: DAYS[place] ?? '' });
    if (refreshed) await library().varve.refresh({ tenant, kind: 'Stale' });
  }
  const { text } = await library().varve.context.assemble({
    tenant,
    identifiers,
    query,
    layerSummaries: refreshed,
  });
  return text.split('\n').filter((line) => line.startsWith('- user'));
}

const HOMES = ['Ann lives in Rome.', 'Ann moved to Oslo.', 'Ann lives in Rome.'];

describe('a statement, another value, and the statement again', () => {
  test.each(Object.keys(WAYS))('%s: the repeat is the newest word', async (way) => {
    const [first = '', ...others] = await holding(way, HOMES, { query: 'Where does Ann live?' });
    expect(first).toMatch(/live in Rome|lives in Rome/u);
    expect(first).toContain('(2026-11-20)');
    for (const line of others) expect(line).toMatch(/\((?:in part )?earlier\)$/u);
  });

  test.each([
    ['English', 'What does Ann drink?', ['Ann prefers tea now.', 'Ann prefers coffee now.']],
    ['German', 'Wo wohnt Ann?', ['Ann wohnt in Köln.', 'Ann ist nach Bonn gezogen.']],
    ['Spanish', '¿Dónde vive Ann?', ['Ann vive en Lima.', 'Ann se mudó a Quito.']],
    ['Chinese', 'Ann住在哪里？', ['Ann住在上海。', 'Ann搬到杭州了。']],
  ])(
    '%s: the repeat has its own day, and no mark',
    async (_language, query, [one = '', two = '']) => {
      const lines = await holding('add_memory', [one, two, one], { query });
      expect(lines[0]).toBe(`- user: ${one} (2026-11-20)`);
    },
  );

  test('a summary says the repeat, and not what it ends', async () => {
    const query = 'Where does Ann live?';
    const lines = await holding('add_memory', HOMES, { query, refreshed: true });
    expect(lines.join('\n')).toContain('Rome');
    expect(lines.join('\n')).not.toMatch(/Oslo(?!.*\(earlier\))/u);
  });
});

describe('a statement that holds, said again', () => {
  const said = { layer: 'user', identifiers, content: 'Ann lives in Rome.' } as const;
  const once = { ...said, deduplicate: 'Exact' } as const;
  const [first = '', , later = ''] = DAYS;
  const LATER = Date.parse(later);
  const SOON = Date.now() + 86_400_000;

  test.each([
    ['a later time', { at: later }, { validFrom: LATER }],
    ['an earlier time', { at: '2020-01-01T00:00:00Z' }, { validFrom: Date.parse(first) }],
    ['a day to come', { at: new Date(SOON).toISOString() }, { validFrom: Date.parse(first) }],
    ['tags', { at: first, tags: ['home'] }, { tags: ['home', 'old'] }],
    ['metadata', { at: first, metadata: { sure: 3 } }, { metadata: { place: 'a', sure: 3 } }],
    ['an expiry', { at: first, expiresAt: SOON }, { expiresAt: SOON }],
    ['nothing new', { at: first }, { version: 1, validFrom: Date.parse(first) }],
  ])('with %s: stays one memory that has it', async (_what, more, expected) => {
    const tenant = newTenant();
    const { memory } = library().varve;
    const known = { tags: ['old'], metadata: { place: 'a' } };
    const { memory: one } = await memory.add({ tenant, ...once, ...known, at: first });
    const again = await memory.add({ tenant, ...once, ...more });
    expect(again).toMatchObject({ deduplicated: true, memory: { id: one.id, ...expected } });
    expect(await memory.get({ tenant, id: one.id })).toMatchObject(expected);
    expect((await memory.list({ tenant, identifiers })).totalCount).toBe(1);
  });

  test('without a time: is said now', async () => {
    const tenant = newTenant();
    const { memory } = library().varve;
    await memory.add({ tenant, ...once, at: first });
    const before = Date.now();
    const again = await memory.add({ tenant, ...once });
    expect(again.deduplicated).toBe(true);
    expect(again.memory.validFrom).toBeGreaterThanOrEqual(before);
  });

  test('imported again without a time: keeps its day', async () => {
    const tenant = newTenant();
    const { memory } = library().varve;
    await memory.add({ tenant, ...once, at: first });
    const { items } = await memory.bulkAdd({ tenant, memories: [once] });
    expect(items).toMatchObject([{ deduplicated: true, version: 1 }]);
  });

  test('with an expiry that is nearer: is gone from then on, also from its summary', async () => {
    const tenant = newTenant();
    const { varve, store } = library();
    await varve.memory.add({ tenant, ...once, at: first });
    await varve.refresh({ tenant, kind: 'Stale' });
    await varve.memory.add({ tenant, ...once, at: first, expiresAt: SOON });
    const scope = await store.scopes.get({ tenant, layer: 'user', scopeId: 'ann' });
    expect(scope.nextExpiryAt).toBe(SOON);
  });
});

test.each([
  ['memory.add', 'memory.addMessages'],
  ['add_memory', 'memory.addMessages'],
  ['memory.addMessages', 'add_memory'],
])('%s twice, then %s: the repeat is the newest word', async (earlier, last) => {
  const tenant = newTenant();
  for (const [place, content] of HOMES.entries()) {
    const way = place < 2 ? earlier : last;
    await WAYS[way]?.({ tenant, content, at: DAYS[place] ?? '' });
  }
  const query = 'Where does Ann live?';
  const { text } = await library().varve.context.assemble({ tenant, identifiers, query });
  const first = text.split('\n').find((line) => line.startsWith('- user'));
  expect(first).toMatch(/live in Rome|lives in Rome/u);
  expect(first).toContain('(2026-11-20)');
});

test('a repeat that is deleted makes what it had ended hold again', async () => {
  const tenant = newTenant();
  const { memory } = library().varve;
  const once = { tenant, layer: 'user', identifiers, deduplicate: 'Exact' } as const;
  const [rome = '', oslo = ''] = HOMES;
  const { memory: first } = await memory.add({ ...once, content: rome, at: DAYS[0] });
  await memory.add({ ...once, content: oslo, at: DAYS[1] });
  const { memory: last } = await memory.add({ ...once, content: rome, at: DAYS[2] });
  expect(await memory.get({ tenant, id: first.id })).toMatchObject({
    state: 'superseded',
    supersededBy: last.id,
  });
  await memory.delete({ tenant, id: last.id });
  expect(await memory.get({ tenant, id: first.id })).toMatchObject({ state: 'active' });
});

describe('a summary of a memory that only gets a later time', () => {
  const add = async (tenant: string, content: string, at: string) =>
    library().varve.memory.add({
      tenant,
      layer: 'user',
      identifiers,
      content,
      at,
      deduplicate: 'Exact',
    });

  async function summaryOf(tenant: string): Promise<string> {
    await library().varve.refresh({ tenant, kind: 'Stale' });
    return (await library().varve.summary.get({ tenant, layer: 'user', identifiers }))?.text ?? '';
  }

  test.each([
    ['Ann lives in Rome.', 'I moved to Oslo.'],
    ['Ann wohnt in Köln.', 'Ich bin nach Bonn gezogen.'],
    ['Ann vive en Lima.', 'Me he mudado a Quito.'],
    ['Ann住在上海。', '我搬到杭州了。'],
  ])('no longer has it as earlier than a turn: %s', async (known, content) => {
    const tenant = newTenant();
    const [first = '', second = '', third = ''] = DAYS;
    const { conversation, context, refresh } = library().varve;
    await add(tenant, known, first);
    await add(tenant, 'Ann plays the cello.', first);
    await refresh({ tenant, kind: 'Stale' });
    const turns = [{ role: 'user' as const, content, at: second }];
    await conversation.append({ tenant, identifiers, sessionId: 's', turns });
    const query = 'Does Ann play the cello?';
    const asked = { tenant, identifiers, query, at: third };
    const said = `${known} (earlier)`;
    expect((await context.assemble(asked)).text).toContain(said);
    expect(await add(tenant, known, third)).toMatchObject({ deduplicated: true });
    await refresh({ tenant, kind: 'Stale' });
    const { text } = await context.assemble(asked);
    expect(text).toContain(known);
    expect(text).not.toContain(said);
  });

  test('is due again, but not if the repeat adds nothing', async () => {
    const tenant = newTenant();
    const [first = '', second = ''] = DAYS;
    const isStale = async (): Promise<boolean | undefined> => {
      const found = await library().varve.summary.get({ tenant, layer: 'user', identifiers });
      return found?.freshness.stale;
    };
    await add(tenant, 'Ann lives in Rome.', second);
    await summaryOf(tenant);
    await add(tenant, 'Ann lives in Rome.', first);
    expect(await isStale()).toBe(false);
    await add(tenant, 'Ann lives in Rome.', DAYS[2] ?? '');
    expect(await isStale()).toBe(true);
    expect(await summaryOf(tenant)).toBe('Ann lives in Rome.');
    expect(await isStale()).toBe(false);
  });

  test('is not due if the repeat is of the same day, such as one of every minute', async () => {
    const tenant = newTenant();
    await add(tenant, 'Ann lives in Rome.', '2026-11-20T10:00:00+02:00');
    await summaryOf(tenant);
    const { summary } = library().varve;
    const freshness = async () =>
      (await summary.get({ tenant, layer: 'user', identifiers }))?.freshness;
    for (const at of ['2026-11-20T10:01:00+02:00', '2026-11-20T23:59:00+02:00']) {
      const again = await add(tenant, 'Ann lives in Rome.', at);
      expect(again.memory.validFrom).toBe(Date.parse(at));
      expect(await freshness()).toMatchObject({ stale: false });
    }
    await add(tenant, 'Ann lives in Rome.', '2026-11-21T00:00:00+02:00');
    expect(await freshness()).toMatchObject({ stale: true });
  });
});
