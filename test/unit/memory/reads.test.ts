import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { LAYERS, PRECEDENCE, type Layer } from '#core/layer.ts';
import type { Store } from '#core/ports/store.ts';
import { toAdd } from '#test/conformance/provider-harness.ts';
import { failureOf } from '#test/unit/failures.ts';
import {
  asking,
  BY,
  failing,
  LISTED,
  openFixture,
  settled,
  TENANT,
  WRITE,
  type Fixture,
} from './provider-fixture.ts';

const IDENTIFIERS = { userId: 'ann', projectId: 'shop' };
const search = ({ provider }: Fixture, query: string, differing: object = {}) =>
  provider.search(TENANT, asking(query, { identifiers: IDENTIFIERS, ...differing }), BY);
const addTo = ({ provider }: Fixture, [layer, scopeId]: [Layer, string], content: string) =>
  provider.add(TENANT, toAdd(content, { layer, scopeId }), WRITE);

describe('search', () => {
  test('MEM-23: user and project open five layers, and agent and session are skipped', async () => {
    const fixture = await openFixture();
    expect(await search(fixture, 'Tulips?')).toMatchObject({
      searchedLayers: ['user', 'project', 'team', 'org', 'company'],
      skippedLayers: ['agent', 'session'],
      hits: [],
      degraded: false,
    });
  });

  test.each<[string[], string, object]>([
    [['session'], 'MISSING_IDENTIFIER', { identifier: 'sessionId', layer: 'session' }],
    [['user', 'agent'], 'MISSING_IDENTIFIER', { identifier: 'agentId', layer: 'agent' }],
    [['planet'], 'INVALID_LAYER', {}],
    [['__proto__'], 'INVALID_LAYER', {}],
  ])('of the layers %j is %s', async (layers, code, details) => {
    const fixture = await openFixture();
    const error = await failureOf(search(fixture, 'Tulips?', { layers }));
    expect(error).toMatchObject({ code, retryable: false, details });
  });

  test('MEM-05: covers only the named layers, each once', async () => {
    const fixture = await openFixture();
    await addTo(fixture, ['user', 'ann'], 'Tulips are red.');
    await addTo(fixture, ['project', 'shop'], 'Tulips are sold.');
    const answer = await search(fixture, 'tulips', { layers: ['project', 'project'] });
    expect(answer).toMatchObject({ searchedLayers: ['project'], skippedLayers: [] });
    expect(answer.hits.map(({ memory }) => memory.content)).toEqual(['Tulips are sold.']);
  });

  test('MEM-16: asks every layer before the first one answers', async () => {
    const asked: Layer[] = [];
    const gate = Promise.withResolvers<void>();
    const fixture = await openFixture({
      around: ({ memories }: Store) => ({
        memories: {
          ...memories,
          search: async (scope, query) => {
            asked.push(scope.layer);
            await gate.promise;
            return memories.search(scope, query);
          },
        },
      }),
    });
    const identifiers = { ...IDENTIFIERS, agentId: 'bot', sessionId: 'call' };
    let isAnswered = false;
    const answer = search(fixture, 'Tulips?', { identifiers }).finally(() => {
      isAnswered = true;
    });
    await settled(() => asked.length === LAYERS.length);
    expect(asked).toEqual(LAYERS);
    expect(isAnswered).toBe(false);
    gate.resolve();
    expect((await answer).searchedLayers).toEqual(LAYERS);
  });

  test('MEM-14: puts the more specific layer first, and within it the better score', async () => {
    const fixture = await openFixture();
    await addTo(fixture, ['company', 'default'], 'Tulips need a contract before any sale.');
    await addTo(fixture, ['project', 'shop'], 'The project sells tulips.');
    await addTo(fixture, ['user', 'ann'], 'Ann likes tulips.');
    await addTo(
      fixture,
      ['user', 'ann'],
      'Ann wrote a long letter about gardens, tulips and rain.',
    );
    const { hits } = await search(fixture, 'Ann likes tulips');
    const places = hits.map(({ memory, score }) => [PRECEDENCE[memory.layer], -score] as const);
    expect(places).toHaveLength(4);
    expect(places.toSorted(([a, x], [b, y]) => a - b || x - y)).toEqual(places);
  });

  test('keeps the more specific of two equal statements', async () => {
    const fixture = await openFixture();
    const kept = await addTo(fixture, ['user', 'ann'], 'Tulips are planted in autumn.');
    const other = await addTo(fixture, ['company', 'default'], 'Tulips are planted in autumn.');
    const { hits, duplicates } = await search(fixture, 'When are tulips planted?');
    expect(hits.map(({ memory }) => memory.id)).toEqual([kept.memory.id]);
    expect(duplicates).toMatchObject([{ id: other.memory.id, of: kept.memory.id }]);
  });

  test('MEM-06: finds nothing below the threshold and returns the misses', async () => {
    const fixture = await openFixture();
    const { memory } = await addTo(fixture, ['user', 'ann'], 'Tulips are planted in autumn.');
    const answer = await search(fixture, 'bicycle repair', { threshold: 0.7 });
    expect(answer.hits).toEqual([]);
    expect(answer.misses.every(({ score }) => score < 0.7)).toBe(true);
    const all = await search(fixture, 'autumn', { threshold: 0.7 });
    expect(all.hits.map(({ memory: { id } }) => id)).toEqual([memory.id]);
  });

  test('no longer finds a memory from the moment it expires', async () => {
    const fixture = await openFixture();
    const expiresAt = fixture.now + 1_000;
    await fixture.provider.add(TENANT, toAdd('Tulips.', { expiresAt }), WRITE);
    expect((await search(fixture, 'tulips')).hits).toHaveLength(1);
    fixture.now = expiresAt;
    expect((await search(fixture, 'tulips')).hits).toEqual([]);
  });

  test.each([0, -1])('refuses to add a memory that expires %i ms from now', async (ahead) => {
    const fixture = await openFixture();
    const expiresAt = fixture.now + ahead;
    const added = fixture.provider.add(TENANT, toAdd('Tulips.', { expiresAt }), WRITE);
    const times = [fixture.now, expiresAt].map((at) => new Date(at).toISOString());
    await expect(added).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: `expiresAt: expected a time after now (${times[0]}), found ${times[1]}.`,
    });
  });

  test('a repeated call gives its first answer after the memory has expired', async () => {
    const fixture = await openFixture();
    const memory = toAdd('Tulips.', { expiresAt: fixture.now + 1_000 });
    const once = { ...WRITE, idempotencyKey: 'once' };
    const { memory: first } = await fixture.provider.add(TENANT, memory, once);
    fixture.now += 1_000;
    expect((await fixture.provider.add(TENANT, memory, once)).memory.id).toBe(first.id);
  });

  test('retries a layer that fails for a moment', async () => {
    const error = new VarveError('PROVIDER_ERROR', 'The store failed.');
    const fixture = await openFixture({
      around: ({ memories }: Store) => ({
        memories: failing(memories, 'search', { error, times: 3, when: 'before' }),
      }),
    });
    await addTo(fixture, ['user', 'ann'], 'Tulips.');
    expect((await search(fixture, 'tulips')).hits).toHaveLength(1);
  });

  test('finds no memories of another tenant', async () => {
    const fixture = await openFixture();
    await fixture.provider.add('other', toAdd('Tulips.'), WRITE);
    expect((await search(fixture, 'tulips')).hits).toEqual([]);
  });
});

describe('list', () => {
  const filled = async (count: number) => {
    const fixture = await openFixture();
    const memories = Array.from({ length: count }, (_, n) =>
      toAdd(`Number ${String(n)}.`, { tags: [n % 2 === 0 ? 'even' : 'odd'] }),
    );
    await fixture.provider.bulkAdd(TENANT, memories, WRITE);
    return fixture;
  };

  test.each(['oldest', 'newest'] as const)(
    'misses no memory across pages, %s first',
    async (order) => {
      const fixture = await filled(25);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await fixture.provider.list(TENANT, { ...LISTED, order, cursor, limit: 7 });
        expect(page.totalCount).toBe(25);
        seen.push(...page.memories.map(({ content }) => content));
        cursor = page.nextCursor;
      } while (cursor !== null);
      const numbers = Array.from({ length: 25 }, (_, n) => `Number ${String(n)}.`);
      expect(seen).toEqual(order === 'oldest' ? numbers : numbers.toReversed());
    },
  );

  test('keeps its place when a memory is added before the next page', async () => {
    const fixture = await filled(6);
    const newest = { ...LISTED, order: 'newest', limit: 3 } as const;
    const first = await fixture.provider.list(TENANT, newest);
    await fixture.provider.add(TENANT, toAdd('Number 6.'), WRITE);
    const cursor = first.nextCursor;
    const second = await fixture.provider.list(TENANT, { ...newest, cursor });
    expect(second.memories.map(({ content }) => content)).toEqual([
      ...['Number 2.', 'Number 1.', 'Number 0.'],
    ]);
  });

  test.each<[string, (cursor: string) => object]>([
    ['another order', (cursor) => ({ cursor, order: 'newest' })],
    ['other tags', (cursor) => ({ cursor, conditions: { ...LISTED.conditions, tags: ['odd'] } })],
    ['other scopes', (cursor) => ({ cursor, scopes: [{ ...LISTED.scopes[0], scopeId: 'bob' }] })],
    ['nothing', () => ({ cursor: '' })],
    ['a word', () => ({ cursor: 'hello' })],
    ['a changed end', (cursor) => ({ cursor: `${cursor}AAAA` })],
    ['a changed beginning', (cursor) => ({ cursor: `A${cursor}` })],
  ])('refuses a cursor for %s as INVALID_INPUT', async (_, differing) => {
    const fixture = await filled(6);
    const { nextCursor } = await fixture.provider.list(TENANT, { ...LISTED, limit: 2 });
    const wrong = { ...LISTED, limit: 2, ...differing(nextCursor ?? '') };
    expect(await failureOf(fixture.provider.list(TENANT, wrong))).toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  test('counts only memories that match tags and fields', async () => {
    const fixture = await filled(9);
    const conditions = { ...LISTED.conditions, tags: ['odd'] };
    const page = await fixture.provider.list(TENANT, { ...LISTED, conditions, limit: 2 });
    expect(page).toMatchObject({ totalCount: 4, memories: [{}, {}] });
  });
});

describe('the provider', () => {
  test('MEM-17: reports its capabilities', async () => {
    const fixture = await openFixture();
    expect(await fixture.provider.capabilities()).toEqual({
      engine: 'sqlite',
      vectorSearch: true,
      vectorSearchMethod: 'Exact',
      distanceMetrics: ['cosine'],
      bulkOperations: true,
      embeddingDimensions: 384,
      embeddingGeneration: 'one',
      modes: ['hybrid', 'semantic', 'keyword'],
      contentLengthMax: 262_144,
    });
    expect(await fixture.provider.healthCheck()).toMatchObject({ ok: true, findings: [] });
  });

  test('starts once, and on shutdown finishes current calls and refuses new ones', async () => {
    const fixture = await openFixture();
    await Promise.all([fixture.provider.initialize(), fixture.provider.initialize()]);
    const gate = Promise.withResolvers<void>();
    fixture.configured.gate = gate.promise;
    const running = fixture.provider.add(TENANT, toAdd('Tulips.'), WRITE);
    await settled(() => fixture.configured.calls.length > 0);
    let isEnded = false;
    const ended = fixture.provider.shutdown().then(() => {
      isEnded = true;
    });
    const late = fixture.provider.get(TENANT, 'x');
    expect(await failureOf(late)).toMatchObject({ code: 'CANCELLED' });
    expect(isEnded).toBe(false);
    gate.resolve();
    expect(await running).toMatchObject({ embeddingGenerated: true });
    await ended;
    await fixture.provider.shutdown();
  });

  test('MEM-28: counts and times each operation, and counts hits by layer', async () => {
    const fixture = await openFixture();
    await addTo(fixture, ['user', 'ann'], 'Tulips.');
    await search(fixture, 'tulips');
    const of = (name: string) =>
      fixture.measured.filter((each) => each.name === name).map(({ labels }) => labels);
    for (const name of ['memory_operations_total', 'memory_operations_latency']) {
      expect(of(name)).toEqual([{ operation: 'add' }, { operation: 'search' }]);
    }
    const results = fixture.measured.filter(({ name }) => name === 'memory_search_results');
    expect(results.map(({ labels, value }) => [labels['layer'], value])).toEqual([
      ['user', 1],
      ['project', 0],
      ['team', 0],
      ['org', 0],
      ['company', 0],
    ]);
  });

  test('MEM-30: counts a failure by its code, including one item of many', async () => {
    const fixture = await openFixture();
    const long = toAdd('x'.repeat(262_145));
    await failureOf(fixture.provider.add(TENANT, long, WRITE));
    await fixture.provider.bulkAdd(TENANT, [long, toAdd('Tulips.')], WRITE);
    const errors = fixture.measured.filter(({ name }) => name === 'memory_operations_errors_total');
    expect(errors.map(({ labels }) => labels)).toEqual([
      { operation: 'add', code: 'CONTENT_TOO_LONG' },
      { operation: 'bulkAdd', code: 'CONTENT_TOO_LONG' },
    ]);
  });
});
