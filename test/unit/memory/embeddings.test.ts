import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { ownerOf } from '#test/conformance/samples.ts';
import { toAdd } from '#test/conformance/provider-harness.ts';
import { failureOf } from '#test/unit/failures.ts';
import {
  asking,
  BY,
  LISTED,
  openFixture,
  SEARCH_WAIT_MS,
  seenEmbedder,
  settled,
  TENANT,
  WRITE,
  type Fixture,
} from './provider-fixture.ts';

const NEVER = new Promise<void>(() => undefined);

const add = ({ provider }: Fixture, content: string, differing: object = {}) =>
  provider.add(TENANT, toAdd(content, differing), WRITE);
const fail = (code: ErrorCode) => new VarveError(code, 'It failed.');
const down = () => Array.from({ length: 4 }, () => fail('PROVIDER_ERROR'));
const found = async ({ provider }: Fixture, query: string, differing: object = {}) =>
  provider.search(TENANT, asking(query, differing), BY);
const texts = (answer: Awaited<ReturnType<typeof found>>) =>
  answer.hits.map(({ memory }) => memory.content);
const outcomes = ({ measured }: Fixture) =>
  measured
    .filter(({ name }) => name === 'memory_embedding_requests_total')
    .map(({ labels, value }) => [labels['outcome'], value]);

describe('embeddings of memories', () => {
  test('a memory gets a vector of the configured generation', async () => {
    const fixture = await openFixture();
    const { memory, embeddingGenerated } = await add(fixture, 'Ann lives in Oslo.');
    expect(embeddingGenerated).toBe(true);
    expect(memory.embeddingGeneration).toBe('one');
    expect(memory.vector).toHaveLength(384);
    expect(await fixture.store.embeddings.state(TENANT)).toMatchObject({
      active: 'one',
      target: null,
      phase: 'Steady',
    });
  });

  test('MEM-21: known content is not embedded again, in this process or another', async () => {
    const model = () => seenEmbedder('one', { quality: 'semantic' });
    const fixture = await openFixture({ configured: model() });
    await add(fixture, 'Ann lives in Oslo.');
    await add(fixture, 'Ann lives in Oslo.', { scopeId: 'bob' });
    const other = fixture.again({ configured: model() });
    await add(other, 'Ann lives in Oslo.');
    expect(fixture.configured.calls).toEqual([['Ann lives in Oslo.']]);
    expect(other.configured.calls).toEqual([]);
    expect(outcomes(fixture)).toEqual([
      ['Call', 1],
      ['Cache', 1],
    ]);
  });

  test('vectors of a lexical embedder are not looked up in the store', async () => {
    const lookedFor: string[] = [];
    const { provider } = await openFixture({
      around: (store) => ({
        embeddings: {
          ...store.embeddings,
          cached: async (tenant) => {
            lookedFor.push(tenant);
            return new Map();
          },
        },
      }),
    });
    await provider.add(TENANT, toAdd('Ann lives in Oslo.'), WRITE);
    expect(lookedFor).toEqual([]);
  });

  test('the vectors of another tenant are not reused', async () => {
    const fixture = await openFixture();
    await add(fixture, 'Ann lives in Oslo.');
    await fixture.provider.add('other', toAdd('Ann lives in Oslo.'), WRITE);
    expect(fixture.configured.calls).toHaveLength(2);
  });

  test.each<[string, (fixture: Fixture) => Promise<string[]>]>([
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
      async (fixture) => {
        const { memory } = await add(fixture, 'Roses.');
        await fixture.provider.update(
          { tenant: TENANT, id: memory.id },
          { content: 'Tea.' },
          WRITE,
        );
        return [memory.id];
      },
    ],
  ])('%s that overlaps the start of a model change writes both vectors', async (_, write) => {
    const second = seenEmbedder('two');
    const fixture = await openFixture({ others: [second] });
    await add(fixture, 'Tulips.');
    const { embeddings } = fixture.store;
    fixture.configured.spoil = async (text, vector) => {
      if (text !== 'Five.' && text !== 'Tea.') return vector;
      fixture.now += 120_000;
      const state = await embeddings.state(TENANT);
      if (state === null || state.target !== null) return vector;
      const { version } = state;
      const change = { target: 'two', phase: 'Filling', version: version + 1 } as const;
      await embeddings.putState({ ...state, ...change });
      return vector;
    };
    const ids = await write(fixture);
    const query = { generation: 'two', after: null, limit: 100, now: fixture.now };
    const missing = await embeddings.missing(TENANT, query);
    const lacking = missing.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(0);
    expect(lacking.filter((id) => ids.includes(id))).toEqual([]);
  });

  test('equal contents share one call at the same time', async () => {
    const fixture = await openFixture();
    const gate = Promise.withResolvers<void>();
    fixture.configured.gate = gate.promise;
    const adding = Array.from({ length: 20 }, () => add(fixture, 'Ann lives in Oslo.'));
    await settled(() => fixture.configured.calls.length > 0);
    gate.resolve();
    const written = await Promise.all(adding);
    expect(fixture.configured.calls).toEqual([['Ann lives in Oslo.']]);
    expect(new Set(written.map(({ memory }) => memory.id)).size).toBe(20);
    for (const { memory } of written) expect(memory.vector).not.toBeNull();
  });

  test('a caller who leaves a shared call does not end it for the others', async () => {
    const fixture = await openFixture();
    const gate = Promise.withResolvers<void>();
    fixture.configured.gate = gate.promise;
    const controller = new AbortController();
    const leaving = fixture.provider.add(TENANT, toAdd('Tulips.'), {
      ...WRITE,
      signal: controller.signal,
    });
    const staying = add(fixture, 'Tulips.');
    await settled(() => fixture.configured.calls.length > 0);
    controller.abort();
    expect(await failureOf(leaving)).toMatchObject({ code: 'CANCELLED' });
    gate.resolve();
    expect(await staying).toMatchObject({ embeddingGenerated: true });
    expect(fixture.configured.calls).toHaveLength(1);
  });

  test('many contents are split into calls of the size that the embedder takes', async () => {
    const fixture = await openFixture();
    const contents = Array.from({ length: 10 }, (_, n) => `Number ${String(n)}.`);
    await fixture.provider.bulkAdd(
      TENANT,
      contents.map((each) => toAdd(each)),
      WRITE,
    );
    expect(fixture.configured.calls.map(({ length }) => length)).toEqual([4, 4, 2]);
  });

  test.each<[string, (vector: number[]) => number[]]>([
    ['zeros', (vector) => vector.map(() => 0)],
    ['a value that is not a number', (vector) => vector.with(3, Number.NaN)],
    ['an infinite value', (vector) => vector.with(3, Number.POSITIVE_INFINITY)],
    ['another length', (vector) => vector.slice(1)],
  ])('a vector with %s is refused, and other vectors are stored', async (_, spoil) => {
    const fixture = await openFixture();
    fixture.configured.spoil = (text, vector) => (text === 'Bad.' ? spoil(vector) : vector);
    const memories = ['One.', 'Bad.', 'Two.'].map((content) => toAdd(content));
    const { items } = await fixture.provider.bulkAdd(TENANT, memories, WRITE);
    const generated = items.map((item) => item.ok && item.outcome.embeddingGenerated);
    expect(generated).toEqual([true, false, true]);
    const { memories: kept } = await fixture.provider.list(TENANT, LISTED);
    expect(kept.map(({ vector }) => vector !== null)).toEqual([true, false, true]);
  });

  test('MEM-25: content that the model cannot take is refused, and the rest is added', async () => {
    const fixture = await openFixture();
    fixture.configured.refuse = (text) => (text === 'Long.' ? fail('CONTENT_TOO_LONG') : null);
    const memories = ['One.', 'Long.', 'Two.'].map((content) => toAdd(content));
    const { items, failed } = await fixture.provider.bulkAdd(TENANT, memories, WRITE);
    expect(failed).toBe(1);
    expect(items[1]).toMatchObject({ ok: false, error: { code: 'CONTENT_TOO_LONG' } });
    expect((await fixture.provider.list(TENANT, LISTED)).totalCount).toBe(2);
  });

  test('an update embeds new content but no other fields', async () => {
    const fixture = await openFixture();
    const { memory } = await add(fixture, 'Ann lives in Oslo.');
    const key = { tenant: TENANT, id: memory.id };
    const tagged = await fixture.provider.update(key, { tags: ['home'] }, WRITE);
    expect(tagged).toMatchObject({ embeddingGenerated: false, memory: { vector: memory.vector } });
    expect(fixture.configured.calls).toHaveLength(1);
    const moved = await fixture.provider.update(key, { content: 'Ann moved to Rome.' }, WRITE);
    expect(moved.embeddingGenerated).toBe(true);
    expect(moved.memory.vector).not.toEqual(memory.vector);
    expect(fixture.configured.calls).toHaveLength(2);
  });

  test('generateEmbedding returns the vector that a memory of the text would have', async () => {
    const fixture = await openFixture();
    const { memory } = await add(fixture, 'Ann lives in Oslo.');
    const made = await fixture.provider.generateEmbedding(TENANT, 'Ann lives in Oslo.', BY);
    expect(made).toEqual({ generation: 'one', vector: memory.vector });
    expect(fixture.configured.calls).toHaveLength(1);
  });
});

describe('an embedder that fails', () => {
  test('is called four times, and the memory is stored without a vector', async () => {
    const fixture = await openFixture();
    fixture.configured.failures.push(...down());
    const written = await add(fixture, 'Ann lives in Oslo.');
    expect(written).toMatchObject({ embeddingGenerated: false, memory: { vector: null } });
    expect(fixture.configured.calls).toHaveLength(4);
    const retries = fixture.measured.filter(
      ({ name }) => name === 'memory_operations_retries_total',
    );
    expect(retries.map(({ labels }) => labels)).toEqual(
      Array.from({ length: 3 }, () => ({ operation: 'add', code: 'PROVIDER_ERROR' })),
    );
  });

  test('degrades a search to words, and the answer says so', async () => {
    const fixture = await openFixture();
    await add(fixture, 'Ann lives in Oslo.');
    fixture.configured.failures.push(...down(), ...down());
    for (const mode of ['hybrid', 'semantic']) {
      const answer = await found(fixture, 'Who lives in Oslo?', { mode });
      expect(answer).toMatchObject({ degraded: true });
      expect(answer.degradedReason).toContain('words');
      expect(texts(answer)).toEqual(['Ann lives in Oslo.']);
    }
    const degraded = fixture.measured.filter(({ name }) => name === 'memory_search_degraded_total');
    expect(degraded.map(({ labels }) => labels)).toEqual([
      { reason: 'EmbedderFailed' },
      { reason: 'EmbedderFailed' },
    ]);
    expect(await found(fixture, 'Oslo')).toMatchObject({ degraded: false, degradedReason: null });
  });

  test.each([
    [
      'the key',
      { status: 401 },
      'EmbedderRefusesKey',
      'VARVE_EMBEDDING_API_KEY, the option embedding.apiKey, or the Secret',
    ],
    ['what the key may do', { status: 403 }, 'EmbedderRefusesKey', 'VARVE_EMBEDDING_API_KEY'],
    ['the name of the model', { status: 404 }, 'EmbedderRefuses', 'varve doctor'],
  ])('and refuses %s is reported with what to change', async (_, details, reason, remedy) => {
    const fixture = await openFixture();
    await add(fixture, 'Ann lives in Oslo.');
    const refusal = new VarveError('PROVIDER_REJECTED', 'It refuses the call.', { details });
    fixture.configured.failures.push(refusal);
    const { degradedReason } = await found(fixture, 'Who lives in Oslo?');
    expect(degradedReason).toMatch(/ refuses .*words alone/u);
    expect(degradedReason).toContain(remedy);
    const degraded = fixture.measured.filter(({ name }) => name === 'memory_search_degraded_total');
    expect(degraded.map(({ labels }) => labels)).toEqual([{ reason }]);
  });

  test('and gives no usable vector is reported as an embedder that answers', async () => {
    const fixture = await openFixture();
    await add(fixture, 'Ann lives in Oslo.');
    const unusable = new VarveError('MODEL_OUTPUT_INVALID', 'Zeros.');
    fixture.configured.failures.push(...Array.from({ length: 4 }, () => unusable));
    const { degradedReason } = await found(fixture, 'Who lives in Oslo?');
    expect(degradedReason).toMatch(/ answers, but not with vectors .*words alone; varve doctor /u);
    const degraded = fixture.measured.filter(({ name }) => name === 'memory_search_degraded_total');
    expect(degraded.map(({ labels }) => labels)).toEqual([{ reason: 'EmbedderUnusable' }]);
  });

  test.each([
    [{ retryAfterMs: 60_000 }, 'at 2026-11-21T12:01:00.000Z'],
    [{}, 'later'],
  ])('with a rate limit is reported with the end of the limit: %j', async (details, until) => {
    const fixture = await openFixture();
    await add(fixture, 'Ann lives in Oslo.');
    fixture.now = Date.UTC(2026, 10, 21, 12);
    const refusal = new VarveError('RATE_LIMITED', 'Too many calls.', { details });
    fixture.configured.failures.push(...Array.from({ length: 4 }, () => refusal));
    const answer = await found(fixture, 'Who lives in Oslo?');
    expect(answer).toMatchObject({ degraded: true });
    expect(answer.degradedReason).toContain(`rate limited and takes calls again ${until}; `);
    expect(fixture.measured).toContainEqual(
      expect.objectContaining({
        name: 'memory_search_degraded_total',
        labels: { reason: 'EmbedderRateLimited' },
      }),
    );
  });

  test('to answer in time does not delay a search, and its late answer serves the next one', async () => {
    const configured = seenEmbedder('one', { searchWaitMs: SEARCH_WAIT_MS });
    const fixture = await openFixture({ configured });
    await add(fixture, 'Ann lives in Oslo.');
    const { promise, resolve } = Promise.withResolvers<void>();
    configured.gate = promise;
    const answer = await found(fixture, 'Who lives in Oslo?');
    expect(answer).toMatchObject({ degraded: true });
    expect(answer.degradedReason).toContain('did not answer in time');
    expect(texts(answer)).toEqual(['Ann lives in Oslo.']);
    expect(fixture.waits).toEqual([SEARCH_WAIT_MS]);
    const asked = { ...BY, purpose: 'query' } as const;
    const alone = fixture.provider.generateEmbedding(TENANT, 'Who lives in Oslo?', asked);
    await expect(alone).rejects.toMatchObject({ code: 'TIMEOUT' });
    resolve();
    const measured = () => fixture.store.embeddings.calibration('one');
    await settled(async () => (await measured()) !== null);
    const calls = configured.calls.length;
    fixture.searchWait = NEVER;
    expect(await found(fixture, 'Who lives in Oslo?')).toMatchObject({ degraded: false });
    expect(configured.calls).toHaveLength(calls);
  });

  test('to answer at all is not called again once too many searches wait', async () => {
    const configured = seenEmbedder('one', { searchWaitMs: SEARCH_WAIT_MS });
    const fixture = await openFixture({ configured });
    await add(fixture, 'Ann lives in Oslo.');
    const { promise, resolve } = Promise.withResolvers<void>();
    configured.gate = promise;
    const before = configured.calls.length;
    for (let at = 0; at < 40; at += 1) {
      expect(await found(fixture, `Oslo ${String(at)}`)).toMatchObject({ degraded: true });
    }
    expect(configured.calls).toHaveLength(before + 32);
    resolve();
  });

  test('does not degrade a search if it answers in time', async () => {
    const configured = seenEmbedder('one', { searchWaitMs: SEARCH_WAIT_MS });
    const fixture = await openFixture({ configured });
    fixture.searchWait = NEVER;
    await add(fixture, 'Ann lives in Oslo.');
    expect(await found(fixture, 'Who lives in Oslo?')).toMatchObject({ degraded: false });
  });

  test('embeds the missed memories once it answers again', async () => {
    const fixture = await openFixture();
    fixture.configured.failures.push(...down());
    const { memory } = await add(fixture, 'Ann lives in Oslo.');
    await add(fixture, 'Bob ships tulips.');
    const kept = () => fixture.store.memories.get(TENANT, memory.id);
    await settled(async () => (await kept())?.vector !== null);
    expect(await kept()).toMatchObject({ embeddingGeneration: 'one', version: 1 });
  });

  test('does not make a search of another process embed the missed memories', async () => {
    const fixture = await openFixture();
    fixture.configured.failures.push(...down());
    const { memory } = await add(fixture, 'Ann lives in Oslo.');
    const reader = fixture.again({ configured: seenEmbedder() });
    await found(reader, 'Who lives in Oslo?');
    await reader.provider.shutdown();
    // The end of the provider closed the store as well; what is kept is read by the first one.
    expect(reader.configured.calls.flat()).not.toContain('Ann lives in Oslo.');
    expect(memory.vector).toBeNull();
  });

  test('embeds the missed memories in a backfill, except a bad text', async () => {
    const fixture = await openFixture();
    fixture.configured.failures.push(...down());
    const missed = Array.from({ length: 9 }, (_, n) => toAdd(`Number ${String(n)}.`));
    await fixture.provider.bulkAdd(TENANT, missed, WRITE);
    fixture.configured.refuse = (text) => (text === 'Number 3.' ? fail('CONTENT_TOO_LONG') : null);
    expect(await fixture.provider.backfill(TENANT, BY)).toEqual({ embedded: 8 });
    const { memories } = await fixture.provider.list(TENANT, LISTED);
    const without = memories.filter(({ vector }) => vector === null);
    expect(without.map(({ content }) => content)).toEqual(['Number 3.']);
  });
});

describe('the embedding budget', () => {
  const priced = () => seenEmbedder('one', { microDollarsPerMillionTokens: 1_000_000 });
  const limited = async (fixture: Fixture, limitTokens: number) => {
    const policy = defaultPolicy(TENANT);
    const budget = { ...policy.budget, limitTokens };
    const write = { hash: 'h', now: fixture.now };
    await fixture.store.policies.put(ownerOf('test'), { ...policy, budget }, write);
  };
  const account = ({ store, now }: Fixture) => {
    const period = new Date(now).toISOString().slice(0, 7);
    return store.accounts.get(TENANT, period, defaultPolicy(TENANT).budget);
  };

  test('is charged by the tokens that the provider counted', async () => {
    const fixture = await openFixture({ configured: priced() });
    await add(fixture, 'Ann lives in Oslo.');
    const { spent, open } = await account(fixture);
    expect({ spent, open }).toEqual({ spent: { tokens: 10, microDollars: 10 }, open: [] });
  });

  test('if used up, lets memories be added and found by their words', async () => {
    const fixture = await openFixture({ configured: priced() });
    await limited(fixture, 100);
    expect(await add(fixture, 'Ann lives in Oslo.')).toMatchObject({ embeddingGenerated: true });
    const long = await add(fixture, `Bob ships tulips ${'and roses '.repeat(10)}.`);
    expect(long).toMatchObject({ embeddingGenerated: false });
    const answer = await found(fixture, `tulips ${'and more '.repeat(10)}`);
    expect(answer).toMatchObject({ degraded: true });
    expect(answer.degradedReason).toContain('budget');
    expect(texts(answer)[0]).toContain('Bob ships tulips');
    expect((await account(fixture)).open).toEqual([]);
  });

  test.each<[ErrorCode, tokens: number]>([
    ['PROVIDER_REJECTED', 0],
    ['PROVIDER_ERROR', 4 * (64 + 7)],
  ])('after %s is charged %i tokens', async (code, tokens) => {
    const fixture = await openFixture({ configured: priced() });
    fixture.configured.failures.push(...Array.from({ length: 4 }, () => fail(code)));
    await add(fixture, 'Tulips.');
    const { spent, open } = await account(fixture);
    expect(open).toEqual([]);
    expect(spent.tokens).toBe(tokens);
  });
});

describe('a change of the embedding model', () => {
  const changing = async () => {
    const old = seenEmbedder('old');
    const fixture = await openFixture({ configured: old });
    await add(fixture, 'Ann lives in Oslo.');
    const state = await fixture.store.embeddings.state(TENANT);
    if (state === null) throw new Error('The first write makes the state.');
    await fixture.store.embeddings.putState({
      ...{ ...state, target: 'new', phase: 'Filling', version: state.version + 1 },
    });
    const fresh = seenEmbedder('new');
    return { old, fresh, fixture: fixture.again({ configured: fresh, others: [old] }) };
  };

  test('searches both generations, so that no memory is missed', async () => {
    const { old, fresh, fixture } = await changing();
    await add(fixture, 'Bob lives in Rome.');
    expect([old.calls.at(-1), fresh.calls.at(-1)]).toEqual([
      ['Bob lives in Rome.'],
      ['Bob lives in Rome.'],
    ]);
    const answer = await found(fixture, 'Who lives where?', { mode: 'hybrid', explain: true });
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

  test('searches with the old model if the new one fails', async () => {
    const { fresh, fixture } = await changing();
    fresh.failures.push(...down());
    const answer = await found(fixture, 'Who lives in Oslo?');
    expect(answer).toMatchObject({ degraded: true });
    expect(texts(answer)).toEqual(['Ann lives in Oslo.']);
  });

  test('reports a rate limit of the new model as such', async () => {
    const { fresh, fixture } = await changing();
    fresh.failures.push(...Array.from({ length: 4 }, () => fail('RATE_LIMITED')));
    const { degradedReason } = await found(fixture, 'Who lives in Oslo?');
    expect(degradedReason).toContain('new embedding model is rate limited');
  });

  test('to an unserved generation leaves reads and writes with words', async () => {
    const { fixture } = await changing();
    const later = fixture.again({ configured: seenEmbedder('third'), others: [] });
    const written = await add(later, 'Bob lives in Rome.');
    expect(written).toMatchObject({ embeddingGenerated: false, memory: { vector: null } });
    const answer = await found(later, 'Who lives in Rome?');
    expect(answer).toMatchObject({ degraded: true });
    expect(answer.degradedReason).toContain('migrate');
    expect(texts(answer)[0]).toBe('Bob lives in Rome.');
    expect(later.configured.calls).toEqual([]);
  });

  test('keeps the generation of memories older than the state of their tenant', async () => {
    const fixture = await openFixture({ configured: seenEmbedder('old') });
    const { memory } = await add(fixture, 'Ann lives in Oslo.');
    const other = 'without-state';
    const rules = {
      policy: { layer: defaultPolicy(other).layers.user, urgentDebounceMs: 0 },
      now: fixture.now,
    };
    await fixture.store.memories.add({ ...memory, tenant: other, id: 'older' }, rules);
    const later = fixture.again({ configured: seenEmbedder('new'), others: [seenEmbedder('old')] });
    await later.provider.add(other, toAdd('Bob lives in Rome.'), WRITE);
    expect(await fixture.store.embeddings.state(other)).toMatchObject({ active: 'old' });
  });
});

describe('calibration', () => {
  test('is measured once per generation, however many searches need it at once', async () => {
    const fixture = await openFixture();
    await add(fixture, 'Ann lives in Oslo.');
    const asked = ['One?', 'Two?', 'Three?'].map((query) => found(fixture, query));
    await Promise.all(asked);
    const { calls } = fixture.configured;
    const measuring = calls.filter(({ length }) => length > 1).flat();
    expect(measuring).toHaveLength(128);
    const again = fixture.again({ configured: seenEmbedder() });
    await found(again, 'Four?');
    expect(again.configured.calls).toEqual([['Four?']]);
  });

  test('serves searches even if the store cannot keep it', async () => {
    const fixture = await openFixture({
      around: (store) => ({
        embeddings: { ...store.embeddings, putCalibration: () => Promise.reject(fail('CORRUPT')) },
      }),
    });
    await add(fixture, 'Ann lives in Oslo.');
    const answer = await found(fixture, 'Where does Ann live?');
    expect(answer).toMatchObject({ degraded: false, degradedReason: null });
    expect(texts(answer)).toEqual(['Ann lives in Oslo.']);
  });
});
