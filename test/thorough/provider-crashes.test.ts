/** A provider dies at every call of its store, and another one finishes what it began. */
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import type { Store } from '#core/ports/store.ts';
import { toAdd } from '#test/conformance/provider-harness.ts';
import {
  openFixture,
  seenEmbedder,
  TENANT,
  WRITE,
  type Fixture,
} from '../unit/memory/provider-fixture.ts';

/** More calls of the store than any operation here makes. */
const CALLS_MAX = 60;
const KEYED = { by: 'ann', idempotencyKey: 'once' };
const KINDS = ['memories', 'idempotency', 'embeddings', 'policies', 'scopes', 'accounts'] as const;

type When = 'before' | 'after';

/** From the n-th call on nothing is answered; that one call has done its work or has not. */
function dying(n: number, when: When) {
  const seen = { calls: 0 };
  const guard =
    (run: (...given: unknown[]) => Promise<unknown>) =>
    async (...given: unknown[]): Promise<unknown> => {
      seen.calls += 1;
      if (seen.calls > n || (seen.calls === n && when === 'before')) throw dead();
      const answer = await run(...given);
      if (seen.calls >= n) throw dead();
      return answer;
    };
  const around = (store: Store): Partial<Store> =>
    Object.fromEntries(
      KINDS.map((kind) => {
        const methods = Object.entries(store[kind]) as [string, () => Promise<unknown>][];
        return [kind, Object.fromEntries(methods.map(([name, run]) => [name, guard(run)]))];
      }),
    ) as Partial<Store>;
  return { seen, around };
}

const dead = () => new VarveError('CANCELLED', 'The process is dead.');

/** Everything that an operation leaves: memories with their changes, scopes, vectors. */
async function stateOf({ store }: Fixture) {
  const scopes = await store.scopes.list(TENANT, 100);
  const conditions = { now: 0, latestOnly: true, tags: [], filter: null, kind: null };
  const { memories } = await store.memories.list(TENANT, {
    ...{ scopes, conditions, order: 'oldest', after: null, limit: 100 },
  });
  // Ids of two processes within a millisecond are in any order.
  const sorted = memories.toSorted((a, b) => a.content.localeCompare(b.content));
  const told = sorted.map(async ({ content, version, tags, vector, id }) => {
    const page = { beforeVersion: null, limit: 100 };
    const changes = await store.memories.history({ tenant: TENANT, id }, page);
    const actions = changes.map(({ action }) => action);
    const cached = await store.embeddings.missing(TENANT, {
      ...{ generation: 'two', after: null, limit: 100, now: 0 },
    });
    const lacksSecond = cached.some((each) => each.id === id);
    return { content, version, tags, actions, hasVector: vector !== null, lacksSecond };
  });
  const sums = scopes.map(({ layer, sourceCount, sourceBytes }) => ({
    ...{ layer, sourceCount, sourceBytes },
  }));
  return { memories: await Promise.all(told), sums };
}

/** A memory that is there, and a change of the model under way: every path has all its writes. */
async function prepared() {
  const fixture = await openFixture({
    configured: seenEmbedder('one'),
    others: [seenEmbedder('two')],
  });
  const { memory } = await fixture.provider.add(TENANT, toAdd('Tulips.'), WRITE);
  const state = await fixture.store.embeddings.state(TENANT);
  if (state === null) throw new Error('The first write makes the state.');
  const changing = { ...state, target: 'two', phase: 'Filling', version: 2 } as const;
  await fixture.store.embeddings.putState(changing);
  return { fixture, id: memory.id };
}

type Operation = (fixture: Fixture, id: string) => Promise<unknown>;

const OPERATIONS: readonly [string, Operation][] = [
  ['add', ({ provider }) => provider.add(TENANT, toAdd('Roses.'), KEYED)],
  [
    'add that deduplicates',
    ({ provider }) =>
      provider.add(TENANT, toAdd('Roses.', { deduplicate: 'Exact', tags: ['a'] }), KEYED),
  ],
  [
    'bulkAdd',
    ({ provider }) =>
      provider.bulkAdd(
        TENANT,
        [
          toAdd('Roses.'),
          toAdd('Lilies.'),
          toAdd('Asters.', { layer: 'project', scopeId: 'shop' }),
        ],
        KEYED,
      ),
  ],
  [
    'update',
    ({ provider }, id) =>
      provider.update(
        { tenant: TENANT, id },
        { content: 'Roses.', tags: ['a'], expectedVersion: 1 },
        KEYED,
      ),
  ],
  ['delete', ({ provider }, id) => provider.delete({ tenant: TENANT, id }, KEYED)],
  ['bulkDelete', ({ provider }, id) => provider.bulkDelete(TENANT, [id, 'nobody'], KEYED)],
];

describe.each(OPERATIONS)('a process that dies during %s', (name, operation) => {
  test.each<When>(['before', 'after'])(
    '%s any call of the store leaves a state that a retry completes, without duplicates',
    async (when) => {
      const whole = await prepared();
      await operation(whole.fixture, whole.id);
      const expected = await stateOf(whole.fixture);
      let deaths = 0;
      for (let n = 1; n <= CALLS_MAX; n += 1) {
        const { fixture, id } = await prepared();
        const { seen, around } = dying(n, when);
        await operation(fixture.again({ around }), id).catch((error: unknown) => error);
        if (seen.calls < n) break;
        deaths += 1;
        const later = fixture.again();
        later.now += 60_000;
        await operation(later, id);
        await operation(later, id);
        expect(await stateOf(fixture), `${name} dead ${when} call ${String(n)}`).toEqual(expected);
      }
      expect(deaths).toBeGreaterThan(3);
      expect(deaths).toBeLessThan(CALLS_MAX);
    },
  );
});
