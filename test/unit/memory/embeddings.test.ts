import { describe, expect, test } from 'vitest';
import { VarveError, type ErrorCode } from '#core/errors.ts';
import { defaultPolicy } from '#core/records/policy.ts';
import { ownerOf } from '#test/conformance/samples.ts';
import { toAdd } from '#test/conformance/provider-world.ts';
import { failureOf } from '#test/unit/failures.ts';
import {
  asking,
  BY,
  LISTED,
  openStand,
  seenEmbedder,
  settled,
  TENANT,
  WRITE,
  type Stand,
} from './provider-stand.ts';

const add = ({ provider }: Stand, content: string, differing: object = {}) =>
  provider.add(TENANT, toAdd(content, differing), WRITE);
const fail = (code: ErrorCode) => new VarveError(code, 'It failed.');
const down = () => Array.from({ length: 4 }, () => fail('PROVIDER_ERROR'));
const found = async ({ provider }: Stand, query: string, differing: object = {}) =>
  provider.search(TENANT, asking(query, differing), BY);
const texts = (answer: Awaited<ReturnType<typeof found>>) =>
  answer.hits.map(({ memory }) => memory.content);
const outcomes = ({ measured }: Stand) =>
  measured
    .filter(({ name }) => name === 'memory_embedding_requests_total')
    .map(({ labels, value }) => [labels['outcome'], value]);

describe('embeddings of memories', () => {
  test('a memory has a vector of the configured generation', async () => {
    const stand = await openStand();
    const { memory, embeddingGenerated } = await add(stand, 'Ann lives in Oslo.');
    expect(embeddingGenerated).toBe(true);
    expect(memory.embeddingGeneration).toBe('one');
    expect(memory.vector).toHaveLength(384);
    expect(await stand.store.embeddings.state(TENANT)).toMatchObject({
      active: 'one',
      target: null,
      phase: 'Steady',
    });
  });

  test('MEM-21: content seen before is not embedded again, in this process or another', async () => {
    const stand = await openStand();
    await add(stand, 'Ann lives in Oslo.');
    await add(stand, 'Ann lives in Oslo.', { scopeId: 'bob' });
    const other = stand.again({ configured: seenEmbedder() });
    await add(other, 'Ann lives in Oslo.');
    expect(stand.configured.calls).toEqual([['Ann lives in Oslo.']]);
    expect(other.configured.calls).toEqual([]);
    expect(outcomes(stand)).toEqual([
      ['Call', 1],
      ['Cache', 1],
    ]);
  });

  test("another tenant's content is no cache", async () => {
    const stand = await openStand();
    await add(stand, 'Ann lives in Oslo.');
    await stand.provider.add('other', toAdd('Ann lives in Oslo.'), WRITE);
    expect(stand.configured.calls).toHaveLength(2);
  });

  test.each<[string, (stand: Stand) => Promise<string[]>]>([
    [
      'a bulk call',
      async ({ provider }) => {
        const memories = ['One.', 'Two.', 'Three.', 'Four.', 'Five.'].map((text) => toAdd(text));
        const { items } = await provider.bulkAdd(TENANT, memories, WRITE);
        return items.flatMap((item) => (item.ok ? [item.outcome.memory.id] : []));
      },
    ],
    [
      'an update',
      async (stand) => {
        const { memory } = await add(stand, 'Roses.');
        await stand.provider.update({ tenant: TENANT, id: memory.id }, { content: 'Tea.' }, WRITE);
        return [memory.id];
      },
    ],
  ])('%s that outlasts the start of a change of model writes both', async (_, write) => {
    const second = seenEmbedder('two');
    const stand = await openStand({ others: [second] });
    await add(stand, 'Tulips.');
    const { embeddings } = stand.store;
    stand.configured.spoil = async (text, vector) => {
      if (text !== 'Five.' && text !== 'Tea.') return vector;
      stand.now += 120_000;
      const state = await embeddings.state(TENANT);
      if (state === null || state.target !== null) return vector;
      const { version } = state;
      const change = { target: 'two', phase: 'Filling', version: version + 1 } as const;
      await embeddings.putState({ ...state, ...change });
      return vector;
    };
    const ids = await write(stand);
    const query = { generation: 'two', after: null, limit: 100, now: stand.now };
    const missing = await embeddings.missing(TENANT, query);
    const lacking = missing.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(0);
    expect(lacking.filter((id) => ids.includes(id))).toEqual([]);
  });

  test('equal contents at the same time share one call', async () => {
    const stand = await openStand();
    const gate = Promise.withResolvers<void>();
    stand.configured.gate = gate.promise;
    const adding = Array.from({ length: 20 }, () => add(stand, 'Ann lives in Oslo.'));
    await settled(() => stand.configured.calls.length > 0);
    gate.resolve();
    const written = await Promise.all(adding);
    expect(stand.configured.calls).toEqual([['Ann lives in Oslo.']]);
    expect(new Set(written.map(({ memory }) => memory.id)).size).toBe(20);
    for (const { memory } of written) expect(memory.vector).not.toBeNull();
  });

  test('who leaves a shared call does not end it for the others', async () => {
    const stand = await openStand();
    const gate = Promise.withResolvers<void>();
    stand.configured.gate = gate.promise;
    const controller = new AbortController();
    const leaving = stand.provider.add(TENANT, toAdd('Tulips.'), {
      ...WRITE,
      signal: controller.signal,
    });
    const staying = add(stand, 'Tulips.');
    await settled(() => stand.configured.calls.length > 0);
    controller.abort();
    expect(await failureOf(leaving)).toMatchObject({ code: 'CANCELLED' });
    gate.resolve();
    expect(await staying).toMatchObject({ embeddingGenerated: true });
    expect(stand.configured.calls).toHaveLength(1);
  });

  test('many contents go in calls of as many as the embedder takes', async () => {
    const stand = await openStand();
    const contents = Array.from({ length: 10 }, (_, n) => `Number ${String(n)}.`);
    await stand.provider.bulkAdd(
      TENANT,
      contents.map((each) => toAdd(each)),
      WRITE,
    );
    expect(stand.configured.calls.map(({ length }) => length)).toEqual([4, 4, 2]);
  });

  test.each<[string, (vector: number[]) => number[]]>([
    ['zeros', (vector) => vector.map(() => 0)],
    ['what is no number', (vector) => vector.with(3, Number.NaN)],
    ['what has no end', (vector) => vector.with(3, Number.POSITIVE_INFINITY)],
    ['another length', (vector) => vector.slice(1)],
  ])('a vector with %s is refused, and spoils no other', async (_, spoil) => {
    const stand = await openStand();
    stand.configured.spoil = (text, vector) => (text === 'Bad.' ? spoil(vector) : vector);
    const memories = ['One.', 'Bad.', 'Two.'].map((content) => toAdd(content));
    const { items } = await stand.provider.bulkAdd(TENANT, memories, WRITE);
    const generated = items.map((item) => item.ok && item.outcome.embeddingGenerated);
    expect(generated).toEqual([true, false, true]);
    const { memories: kept } = await stand.provider.list(TENANT, LISTED);
    expect(kept.map(({ vector }) => vector !== null)).toEqual([true, false, true]);
  });

  test('MEM-25: content that the model can not take is refused, and the rest is added', async () => {
    const stand = await openStand();
    stand.configured.refuse = (text) => (text === 'Long.' ? fail('CONTENT_TOO_LONG') : null);
    const memories = ['One.', 'Long.', 'Two.'].map((content) => toAdd(content));
    const { items, failed } = await stand.provider.bulkAdd(TENANT, memories, WRITE);
    expect(failed).toBe(1);
    expect(items[1]).toMatchObject({ ok: false, error: { code: 'CONTENT_TOO_LONG' } });
    expect((await stand.provider.list(TENANT, LISTED)).totalCount).toBe(2);
  });

  test('new content is embedded, other fields are not', async () => {
    const stand = await openStand();
    const { memory } = await add(stand, 'Ann lives in Oslo.');
    const key = { tenant: TENANT, id: memory.id };
    const tagged = await stand.provider.update(key, { tags: ['home'] }, WRITE);
    expect(tagged).toMatchObject({ embeddingGenerated: false, memory: { vector: memory.vector } });
    expect(stand.configured.calls).toHaveLength(1);
    const moved = await stand.provider.update(key, { content: 'Ann moved to Rome.' }, WRITE);
    expect(moved.embeddingGenerated).toBe(true);
    expect(moved.memory.vector).not.toEqual(memory.vector);
    expect(stand.configured.calls).toHaveLength(2);
  });

  test('generateEmbedding answers what a memory of the text would have', async () => {
    const stand = await openStand();
    const { memory } = await add(stand, 'Ann lives in Oslo.');
    const made = await stand.provider.generateEmbedding(TENANT, 'Ann lives in Oslo.', BY);
    expect(made).toEqual({ generation: 'one', vector: memory.vector });
    expect(stand.configured.calls).toHaveLength(1);
  });
});

describe('an embedder that fails', () => {
  test('is asked four times, and the memory is kept without a vector', async () => {
    const stand = await openStand();
    stand.configured.failures.push(...down());
    const written = await add(stand, 'Ann lives in Oslo.');
    expect(written).toMatchObject({ embeddingGenerated: false, memory: { vector: null } });
    expect(stand.configured.calls).toHaveLength(4);
    const retries = stand.measured.filter(({ name }) => name === 'memory_operations_retries_total');
    expect(retries.map(({ labels }) => labels)).toEqual(
      Array.from({ length: 3 }, () => ({ operation: 'add', code: 'PROVIDER_ERROR' })),
    );
  });

  test('makes a search by words, which says so', async () => {
    const stand = await openStand();
    await add(stand, 'Ann lives in Oslo.');
    stand.configured.failures.push(...down(), ...down());
    for (const mode of ['hybrid', 'semantic']) {
      const answer = await found(stand, 'Who lives in Oslo?', { mode });
      expect(answer).toMatchObject({ degraded: true });
      expect(answer.degradedReason).toContain('words');
      expect(texts(answer)).toEqual(['Ann lives in Oslo.']);
    }
    const degraded = stand.measured.filter(({ name }) => name === 'memory_search_degraded_total');
    expect(degraded.map(({ labels }) => labels)).toEqual([
      { reason: 'EmbedderFailed' },
      { reason: 'EmbedderFailed' },
    ]);
    expect(await found(stand, 'Oslo')).toMatchObject({ degraded: false, degradedReason: null });
  });

  test('what it missed is embedded once it answers again', async () => {
    const stand = await openStand();
    stand.configured.failures.push(...down());
    const { memory } = await add(stand, 'Ann lives in Oslo.');
    await add(stand, 'Bob ships tulips.');
    const kept = () => stand.store.memories.get(TENANT, memory.id);
    await settled(async () => (await kept())?.vector !== null);
    expect(await kept()).toMatchObject({ embeddingGeneration: 'one', version: 1 });
  });

  test('a search writes no vectors that another process missed', async () => {
    const stand = await openStand();
    stand.configured.failures.push(...down());
    const { memory } = await add(stand, 'Ann lives in Oslo.');
    const reader = stand.again({ configured: seenEmbedder() });
    await found(reader, 'Who lives in Oslo?');
    await reader.provider.shutdown();
    // The end of the provider closed the store as well; what is kept is read by the first one.
    expect(reader.configured.calls.flat()).not.toContain('Ann lives in Oslo.');
    expect(memory.vector).toBeNull();
  });

  test('what it missed can be asked for, and one bad text does not end it', async () => {
    const stand = await openStand();
    stand.configured.failures.push(...down());
    const missed = Array.from({ length: 9 }, (_, n) => toAdd(`Number ${String(n)}.`));
    await stand.provider.bulkAdd(TENANT, missed, WRITE);
    stand.configured.refuse = (text) => (text === 'Number 3.' ? fail('CONTENT_TOO_LONG') : null);
    expect(await stand.provider.backfill(TENANT, BY)).toEqual({ embedded: 8 });
    const { memories } = await stand.provider.list(TENANT, LISTED);
    const without = memories.filter(({ vector }) => vector === null);
    expect(without.map(({ content }) => content)).toEqual(['Number 3.']);
  });
});

describe('the budget', () => {
  const priced = () => seenEmbedder('one', { microDollarsPerMillionTokens: 1_000_000 });
  const limited = async (stand: Stand, limitTokens: number) => {
    const policy = defaultPolicy(TENANT);
    const budget = { ...policy.budget, limitTokens };
    const write = { hash: 'h', now: stand.now };
    await stand.store.policies.put(ownerOf('test'), { ...policy, budget }, write);
  };
  const account = ({ store, now }: Stand) => {
    const period = new Date(now).toISOString().slice(0, 7);
    return store.accounts.get(TENANT, period, defaultPolicy(TENANT).budget);
  };

  test('a call is paid by what the provider counted', async () => {
    const stand = await openStand({ configured: priced() });
    await add(stand, 'Ann lives in Oslo.');
    const { spent, open } = await account(stand);
    expect({ spent, open }).toEqual({ spent: { tokens: 10, microDollars: 10 }, open: [] });
  });

  test('when it is used up, memories are added and found by their words', async () => {
    const stand = await openStand({ configured: priced() });
    await limited(stand, 100);
    expect(await add(stand, 'Ann lives in Oslo.')).toMatchObject({ embeddingGenerated: true });
    const long = await add(stand, `Bob ships tulips ${'and roses '.repeat(10)}.`);
    expect(long).toMatchObject({ embeddingGenerated: false });
    const answer = await found(stand, `tulips ${'and more '.repeat(10)}`);
    expect(answer).toMatchObject({ degraded: true });
    expect(answer.degradedReason).toContain('budget');
    expect(texts(answer)[0]).toContain('Bob ships tulips');
    expect((await account(stand)).open).toEqual([]);
  });

  test.each<[ErrorCode, tokens: number]>([
    ['PROVIDER_REJECTED', 0],
    ['PROVIDER_ERROR', 4 * (64 + 7)],
  ])('after %s the account has spent %i tokens', async (code, tokens) => {
    const stand = await openStand({ configured: priced() });
    stand.configured.failures.push(...Array.from({ length: 4 }, () => fail(code)));
    await add(stand, 'Tulips.');
    const { spent, open } = await account(stand);
    expect(open).toEqual([]);
    expect(spent.tokens).toBe(tokens);
  });
});

describe('a change of the embedding model', () => {
  const changing = async () => {
    const old = seenEmbedder('old');
    const stand = await openStand({ configured: old });
    await add(stand, 'Ann lives in Oslo.');
    const state = await stand.store.embeddings.state(TENANT);
    if (state === null) throw new Error('The first write makes the state.');
    await stand.store.embeddings.putState({
      ...{ ...state, target: 'new', phase: 'Filling', version: state.version + 1 },
    });
    const fresh = seenEmbedder('new');
    return { old, fresh, stand: stand.again({ configured: fresh, others: [old] }) };
  };

  test('both generations are searched, so that no memory is lost', async () => {
    const { old, fresh, stand } = await changing();
    await add(stand, 'Bob lives in Rome.');
    expect([old.calls.at(-1), fresh.calls.at(-1)]).toEqual([
      ['Bob lives in Rome.'],
      ['Bob lives in Rome.'],
    ]);
    const answer = await found(stand, 'Who lives where?', { mode: 'semantic', explain: true });
    expect(answer.degraded).toBe(false);
    const generations = new Map(
      answer.hits.map(({ memory, explanation }) => [memory.content, explanation?.generation]),
    );
    expect(generations).toEqual(
      new Map([
        ['Ann lives in Oslo.', 'old'],
        ['Bob lives in Rome.', 'old'],
      ]),
    );
  });

  test('a new model that fails leaves the old one to search with', async () => {
    const { fresh, stand } = await changing();
    fresh.failures.push(...down());
    const answer = await found(stand, 'Who lives in Oslo?');
    expect(answer).toMatchObject({ degraded: true });
    expect(texts(answer)).toEqual(['Ann lives in Oslo.']);
  });

  test('a generation that nobody serves leaves words, for reads and writes', async () => {
    const { stand } = await changing();
    const later = stand.again({ configured: seenEmbedder('third'), others: [] });
    const written = await add(later, 'Bob lives in Rome.');
    expect(written).toMatchObject({ embeddingGenerated: false, memory: { vector: null } });
    const answer = await found(later, 'Who lives in Rome?');
    expect(answer).toMatchObject({ degraded: true });
    expect(answer.degradedReason).toContain('migrate');
    expect(texts(answer)[0]).toBe('Bob lives in Rome.');
    expect(later.configured.calls).toEqual([]);
  });

  test('memories older than the state of their tenant keep their generation', async () => {
    const stand = await openStand({ configured: seenEmbedder('old') });
    const { memory } = await add(stand, 'Ann lives in Oslo.');
    const other = 'without-state';
    const rules = {
      policy: { layer: defaultPolicy(other).layers.user, urgentDebounceMs: 0 },
      now: stand.now,
    };
    await stand.store.memories.add({ ...memory, tenant: other, id: 'older' }, rules);
    const later = stand.again({ configured: seenEmbedder('new'), others: [seenEmbedder('old')] });
    await later.provider.add(other, toAdd('Bob lives in Rome.'), WRITE);
    expect(await stand.store.embeddings.state(other)).toMatchObject({ active: 'old' });
  });
});

describe('calibration', () => {
  test('is measured once for a generation, however many ask at once', async () => {
    const stand = await openStand();
    await add(stand, 'Ann lives in Oslo.');
    const asked = ['One?', 'Two?', 'Three?'].map((query) => found(stand, query));
    await Promise.all(asked);
    const { calls } = stand.configured;
    const measuring = calls.filter(({ length }) => length > 1).flat();
    expect(measuring).toHaveLength(128);
    const again = stand.again({ configured: seenEmbedder() });
    await found(again, 'Four?');
    expect(again.configured.calls).toEqual([['Four?']]);
  });
});
