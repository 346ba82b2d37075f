import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { type Store } from '#core/ports/store.ts';
import { BULK_CHUNK_MAX } from '#core/ports/write-rules-and-outcomes.ts';
import { memoryIdInOperation } from '#memory/add.ts';
import { RETRIES_MAX } from '#memory/store-and-embedder-retries.ts';
import { createNewId } from '#providers/node/platform.ts';
import { toAdd } from '#test/conformance/provider-harness.ts';
import { failureOf } from '#test/unit/failures.ts';
import {
  failing,
  LISTED,
  openFixture,
  settled,
  TENANT,
  WRITE,
  type Fixture,
} from './provider-fixture.ts';

const fail = (code: ErrorCode) => new VarveError(code, 'The store failed.');
const keyed = (idempotencyKey: string, by = 'ann') => ({ by, idempotencyKey });
const all = async ({ provider }: Fixture) => (await provider.list(TENANT, LISTED)).memories;
const contents = async (fixture: Fixture) => (await all(fixture)).map(({ content }) => content);

type Method = 'add' | 'addMany' | 'update' | 'delete' | 'deleteMany' | 'list';
type When = 'before' | 'after';

/** The method of the store fails for its first calls, before or after it did its work. */
function broken(method: Method, when: When, { times = 1 } = {}) {
  return {
    around: ({ memories }: Store) => ({
      memories: failing(memories, method, { error: fail('PROVIDER_ERROR'), times, when }),
    }),
  };
}

/** Tries of a call to the store until it counts as failed. */
const TRIES = 1 + RETRIES_MAX;

describe('adding', () => {
  test('every memory has a unique id, and ids sort in the order of adding', async () => {
    const fixture = await openFixture();
    const many = Array.from({ length: 450 }, (_, n) => toAdd(`Number ${String(n)}.`));
    const progress: number[] = [];
    const { items, succeeded } = await fixture.provider.bulkAdd(TENANT, many, {
      ...WRITE,
      progress: (done) => progress.push(done),
    });
    expect(succeeded).toBe(450);
    expect(progress).toEqual([200, 400, 450]);
    const ids = items.map((item) => (item.ok ? item.outcome.memory.id : ''));
    expect(new Set(ids).size).toBe(450);
    expect(ids.toSorted()).toEqual(ids);
    for (const id of ids)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  test('an add that depends on the policy reads it once, in parallel with the embedding state', async () => {
    const reads: string[] = [];
    const gate = Promise.withResolvers<void>();
    const { provider } = await openFixture({
      around: ({ policies, embeddings }) => ({
        policies: { ...policies, get: noted('policy', policies.get) },
        embeddings: { ...embeddings, state: noted('state', embeddings.state) },
      }),
    });
    function noted<A extends unknown[], T>(name: string, read: (...of: A) => Promise<T>) {
      return async (...of: A): Promise<T> => {
        reads.push(name);
        await gate.promise;
        return read(...of);
      };
    }
    const adding = provider.add(TENANT, ({ tenant }) => toAdd(`Of ${tenant}.`), WRITE);
    await settled(() => reads.length === 2);
    expect(reads.toSorted()).toEqual(['policy', 'state']);
    gate.resolve();
    expect((await adding).memory.content).toBe(`Of ${TENANT}.`);
    expect(reads.filter((name) => name === 'policy')).toHaveLength(1);
  });

  test('200 equal concurrent adds that deduplicate create one memory', async () => {
    const fixture = await openFixture();
    const adding = Array.from({ length: 200 }, (_, n) =>
      fixture.provider.add(
        TENANT,
        toAdd('Tulips.', { deduplicate: 'Exact', tags: [`tag-${String(n % 3)}`] }),
        WRITE,
      ),
    );
    const written = await Promise.all(adding);
    expect(written.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
    const [memory, ...others] = await all(fixture);
    expect(others).toEqual([]);
    expect(memory?.tags).toEqual(['tag-0', 'tag-1', 'tag-2']);
  });

  test('with onConflict error, a key with other content is a CONFLICT that names its memory', async () => {
    const fixture = await openFixture();
    const { memory } = await fixture.provider.add(TENANT, toAdd('Tulips.', { key: 'k' }), WRITE);
    for (const deduplicate of [null, 'Exact'] as const) {
      const roses = toAdd('Roses.', { key: 'k', deduplicate, onConflict: 'error' });
      const again = fixture.provider.add(TENANT, roses, WRITE);
      expect(await failureOf(again)).toMatchObject({
        code: 'CONFLICT',
        details: { id: memory.id },
      });
    }
  });

  test.each<[When, Method]>([
    ['before', 'add'],
    ['after', 'add'],
  ])('a store that fails %s its work is retried, and adds once', async (when, method) => {
    const fixture = await openFixture(broken(method, when, { times: 2 }));
    const { memory, deduplicated } = await fixture.provider.add(TENANT, toAdd('Tulips.'), WRITE);
    expect(deduplicated).toBe(false);
    expect((await all(fixture)).map(({ id }) => id)).toEqual([memory.id]);
    // What the second attempt meets after the work is the work of the first.
    expect(fixture.waits).toHaveLength(when === 'before' ? 2 : 1);
  });

  test.each<When>(['before', 'after'])(
    'many memories are neither lost nor doubled if the store fails %s its work',
    async (when) => {
      const fixture = await openFixture(broken('addMany', when));
      const many = ['One.', 'Two.', 'Three.'].map((content) =>
        toAdd(content, { deduplicate: 'Exact' }),
      );
      const { items } = await fixture.provider.bulkAdd(TENANT, many, WRITE);
      expect(items.map((item) => item.ok && item.outcome.deduplicated)).toEqual([
        ...[false, false, false],
      ]);
      expect(await contents(fixture)).toEqual(['One.', 'Two.', 'Three.']);
    },
  );

  test('a bulk call cancelled halfway reports what was written', async () => {
    const fixture = await openFixture();
    const leaving = new AbortController();
    const many = Array.from({ length: 3 * BULK_CHUNK_MAX }, (_, at) => toAdd(`Tulip ${at}.`));
    const { items, succeeded } = await fixture.provider.bulkAdd(TENANT, many, {
      ...WRITE,
      signal: leaving.signal,
      progress: () => {
        leaving.abort();
      },
    });
    expect(succeeded).toBe(BULK_CHUNK_MAX);
    expect(items.slice(BULK_CHUNK_MAX).map((item) => item.ok || item.error.code)).toEqual(
      Array.from({ length: 2 * BULK_CHUNK_MAX }, () => 'CANCELLED'),
    );
    const { layer, scopeId } = toAdd('');
    const scope = await fixture.store.scopes.get({ tenant: TENANT, layer, scopeId });
    expect(scope.sourceCount).toBe(BULK_CHUNK_MAX);
  });

  test('a store that keeps failing is an error only for the affected items', async () => {
    const fixture = await openFixture(broken('addMany', 'before', { times: 9 }));
    const many = [
      ...['One.', 'Two.'].map((content) => toAdd(content)),
      toAdd('Alone.', { scopeId: 'bob' }),
    ];
    const { items } = await fixture.provider.bulkAdd(TENANT, many, WRITE);
    expect(items.map((item) => (item.ok ? 'ok' : item.error.code))).toEqual([
      ...['PROVIDER_ERROR', 'PROVIDER_ERROR', 'ok'],
    ]);
  });

  test('a repeat that cannot be compared is an error alone', async () => {
    const saidAt = (content: string, validFrom: number) =>
      toAdd(content, { deduplicate: 'Exact', validFrom });
    const fixture = await openFixture(broken('list', 'before', { times: TRIES }));
    const [first, later] = [fixture.now - 9_000, fixture.now - 1_000];
    const known = ['One.', 'Two.'].map((content) => saidAt(content, first));
    await fixture.provider.bulkAdd(TENANT, known, WRITE);
    const again = ['One.', 'Two.', 'Three.'].map((content) => saidAt(content, later));
    const { items } = await fixture.provider.bulkAdd(TENANT, again, WRITE);
    expect(items.map((item) => (item.ok ? 'ok' : item.error.code))).toEqual([
      ...['PROVIDER_ERROR', 'ok', 'ok'],
    ]);
    const times = (await all(fixture)).map(({ content, validFrom }) => [content, validFrom]);
    expect(Object.fromEntries(times)).toEqual({ 'One.': first, 'Two.': later, 'Three.': later });
  });
});

describe('updating', () => {
  test.each<When>(['before', 'after'])(
    'a store that fails %s its work changes the memory once',
    async (when) => {
      const fixture = await openFixture(broken('update', when, { times: 2 }));
      const { memory } = await fixture.provider.add(TENANT, toAdd('Tulips.'), WRITE);
      const key = { tenant: TENANT, id: memory.id };
      fixture.now += 1_000;
      const patch = { content: 'Roses.', expectedVersion: 1 };
      const { memory: after } = await fixture.provider.update(key, patch, WRITE);
      expect(after).toMatchObject({ content: 'Roses.', version: 2 });
      const changes = await fixture.provider.history(key, { beforeVersion: null, limit: 9 });
      expect(changes.map(({ action }) => action)).toEqual(['Updated', 'Added']);
    },
  );

  test('many concurrent changes are all applied', async () => {
    const fixture = await openFixture();
    const { memory } = await fixture.provider.add(TENANT, toAdd('Tulips.'), WRITE);
    const key = { tenant: TENANT, id: memory.id };
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        fixture.provider.update(key, { metadata: { [`field-${String(n)}`]: n } }, WRITE),
      ),
    );
    const after = await fixture.provider.get(TENANT, memory.id);
    expect(Object.keys(after?.metadata ?? {})).toHaveLength(50);
    expect(after?.version).toBe(51);
  });

  test('an update that expects an older version is a CONFLICT', async () => {
    const fixture = await openFixture();
    const { memory } = await fixture.provider.add(TENANT, toAdd('Tulips.'), WRITE);
    const key = { tenant: TENANT, id: memory.id };
    await fixture.provider.update(key, { tags: ['a'] }, WRITE);
    const late = fixture.provider.update(key, { tags: ['b'], expectedVersion: 1 }, WRITE);
    expect(await failureOf(late)).toMatchObject({ code: 'CONFLICT' });
    expect((await fixture.provider.get(TENANT, memory.id))?.tags).toEqual(['a']);
  });

  test('MEM-10: an unknown memory is MEMORY_NOT_FOUND', async () => {
    const fixture = await openFixture();
    const unknown = fixture.provider.update({ tenant: TENANT, id: 'no' }, { tags: [] }, WRITE);
    expect(await failureOf(unknown)).toMatchObject({ code: 'MEMORY_NOT_FOUND' });
  });
});

describe('deleting', () => {
  test.each<When>(['before', 'after'])(
    'a store that fails %s its work is retried, and returns the scope',
    async (when) => {
      const fixture = await openFixture(broken('deleteMany', when));
      const { memory } = await fixture.provider.add(TENANT, toAdd('Tulips.'), WRITE);
      const scope = await fixture.provider.delete({ tenant: TENANT, id: memory.id }, WRITE);
      expect(scope).toMatchObject({ layer: 'user', scopeId: 'ann', sourceCount: 0 });
      expect(await all(fixture)).toEqual([]);
    },
  );

  test('an unknown memory is null, and an id given twice is deleted once', async () => {
    const fixture = await openFixture();
    const { memory } = await fixture.provider.add(TENANT, toAdd('Tulips.'), WRITE);
    expect(await fixture.provider.delete({ tenant: TENANT, id: 'no' }, WRITE)).toBeNull();
    const ids = [memory.id, 'no', memory.id];
    const { items } = await fixture.provider.bulkDelete(TENANT, ids, WRITE);
    expect(items).toMatchObject([
      { ok: true, outcome: { sourceCount: 0 } },
      { ok: true, outcome: null },
      { ok: true, outcome: null },
    ]);
  });
});

describe('ids of a bulk call', () => {
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const UUID_V7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

  test('are the same in every run, sort by place, and stay between other ids', () => {
    const newId = createNewId({ clock: () => 1_700_000_000_000 });
    const places = fc.uniqueArray(fc.nat(16_383), { minLength: 2, maxLength: 50 });
    fc.assert(
      fc.property(places, (some) => {
        const [before, operation, after] = [newId(), newId(), newId()];
        const sorted = some.toSorted((a, b) => a - b);
        const ids = sorted.map((place) => memoryIdInOperation(digest, operation, place));
        expect(ids).toEqual(sorted.map((place) => memoryIdInOperation(digest, operation, place)));
        expect([before, ...ids, after].toSorted()).toEqual([before, ...ids, after]);
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) expect(id).toMatch(UUID_V7);
      }),
    );
  });
});

describe('idempotency keys', () => {
  test('are swept by later calls once they have expired', async () => {
    const fixture = await openFixture();
    const add = (key: string) => fixture.provider.add(TENANT, toAdd('Tulips.'), keyed(key));
    const first = await add('old');
    fixture.now += 8 * 86_400_000;
    await add('new');
    // Sweeping has nothing left to do once it has run beside the call.
    await settled(async () => (await fixture.store.idempotency.sweep(TENANT, fixture.now)) === 0);
    const again = await add('old');
    expect(again.memory.id).not.toBe(first.memory.id);
  });

  test('return the first answer for the same call, however often it comes', async () => {
    const fixture = await openFixture();
    const { provider } = fixture;
    const add = () => provider.add(TENANT, toAdd('Tulips.', { tags: ['a'] }), keyed('k'));
    const answers = await Promise.all(Array.from({ length: 20 }, add));
    expect(new Set(answers.map(({ memory }) => memory.id)).size).toBe(1);
    fixture.now += 6 * 86_400_000;
    expect((await add()).memory.id).toBe(answers[0]?.memory.id);
    expect(await contents(fixture)).toEqual(['Tulips.']);
  });

  test('are a CONFLICT with a different body or operation', async () => {
    const { provider } = await openFixture();
    const { memory } = await provider.add(TENANT, toAdd('Tulips.'), keyed('k'));
    const other = [
      provider.add(TENANT, toAdd('Roses.'), keyed('k')),
      provider.add(TENANT, toAdd('Tulips.', { tags: ['a'] }), keyed('k')),
      provider.bulkAdd(TENANT, [toAdd('Tulips.')], keyed('k')),
      provider.delete({ tenant: TENANT, id: memory.id }, keyed('k')),
    ];
    const refused = { code: 'CONFLICT', retryable: false };
    for (const call of other) expect(await failureOf(call)).toMatchObject(refused);
  });

  test('are separate for each principal and tenant', async () => {
    const { provider } = await openFixture();
    const ids = [
      await provider.add(TENANT, toAdd('Tulips.'), keyed('k')),
      await provider.add(TENANT, toAdd('Tulips.'), keyed('k', 'bob')),
      await provider.add('other', toAdd('Tulips.'), keyed('k')),
    ].map(({ memory }) => memory.id);
    expect(new Set(ids).size).toBe(3);
  });

  test('stay free after a refused call', async () => {
    const { provider } = await openFixture();
    await provider.add(TENANT, toAdd('Tulips.', { key: 'taken' }), WRITE);
    const roses = toAdd('Roses.', { key: 'taken', onConflict: 'error' });
    const refused = provider.add(TENANT, roses, keyed('k'));
    expect(await failureOf(refused)).toMatchObject({ code: 'CONFLICT' });
    const { memory } = await provider.add(TENANT, toAdd('Roses.', { key: 'free' }), keyed('k'));
    expect(memory.key).toBe('free');
  });

  /** A call that died: its claim is there, and its work is done or not, and its answer is lost. */
  const dying = {
    around: ({ idempotency }: Store) => ({
      idempotency: failing(idempotency, 'answer', {
        error: fail('CANCELLED'),
        times: 1,
        when: 'before',
      }),
    }),
  };

  const CALLS: readonly [string, (fixture: Fixture, id: string) => Promise<unknown>, string[]][] = [
    [
      'add',
      ({ provider }) => provider.add(TENANT, toAdd('Roses.'), keyed('k')),
      ['Tulips.', 'Roses.'],
    ],
    [
      'bulkAdd',
      ({ provider }) => provider.bulkAdd(TENANT, [toAdd('Roses.'), toAdd('Lilies.')], keyed('k')),
      ['Tulips.', 'Roses.', 'Lilies.'],
    ],
    [
      'update',
      ({ provider }, id) =>
        provider.update({ tenant: TENANT, id }, { content: 'Roses.' }, keyed('k')),
      ['Roses.'],
    ],
    [
      'update of a version',
      ({ provider }, id) =>
        provider.update(
          { tenant: TENANT, id },
          { content: 'Roses.', expectedVersion: 1 },
          keyed('k'),
        ),
      ['Roses.'],
    ],
    ['delete', ({ provider }, id) => provider.delete({ tenant: TENANT, id }, keyed('k')), []],
    ['bulkDelete', ({ provider }, id) => provider.bulkDelete(TENANT, [id], keyed('k')), []],
  ];

  test.each(CALLS)('let a retry complete %s once after a crash', async (_, call, left) => {
    const fixture = await openFixture();
    const { memory } = await fixture.provider.add(TENANT, toAdd('Tulips.'), WRITE);
    const dead = fixture.again(dying);
    expect(await failureOf(call(dead, memory.id))).toMatchObject({ code: 'CANCELLED' });
    const later = fixture.again();
    later.now += 3_600_000;
    const answer = await call(later, memory.id);
    // Two processes give ids of one millisecond in any order.
    expect((await contents(fixture)).toSorted()).toEqual(left.toSorted());
    expect(await call(later, memory.id)).toEqual(answer);
    const versions = (await all(fixture)).map(({ version }) => version);
    for (const version of versions) expect(version).toBeLessThanOrEqual(2);
  });

  test('do not let a retry restore a memory deleted since', async () => {
    const fixture = await openFixture();
    const add = (to: Fixture) => to.provider.add(TENANT, toAdd('Tulips.'), keyed('k'));
    await failureOf(add(fixture.again(dying)));
    const [memory] = await all(fixture);
    await fixture.provider.delete({ tenant: TENANT, id: memory?.id ?? '' }, WRITE);
    expect(await failureOf(add(fixture))).toMatchObject({ code: 'MEMORY_NOT_FOUND' });
    expect(await all(fixture)).toEqual([]);
  });

  test('let a retry complete items that failed for a moment', async () => {
    const fixture = await openFixture();
    const many = [toAdd('One.'), toAdd('Two.')];
    const first = fixture.again(broken('addMany', 'before', { times: 4 }));
    expect(await first.provider.bulkAdd(TENANT, many, keyed('k'))).toMatchObject({ failed: 2 });
    expect(await fixture.provider.bulkAdd(TENANT, many, keyed('k'))).toMatchObject({
      succeeded: 2,
    });
    expect(await contents(fixture)).toEqual(['One.', 'Two.']);
  });
});
