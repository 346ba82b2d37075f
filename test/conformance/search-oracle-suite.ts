/** A search returns the same as a look at every memory, for any memories and conditions. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Memory } from '#core/records/memory.ts';
import { meetsConditions, hiddenFrom } from '#core/search/memory-conditions.ts';
import type { MemoryConditions } from '#core/search/scope-search.ts';
import { cosine } from '#core/vector.ts';

import { newTenant, sharedStore, type Open } from './adapter.ts';
import { anyFilter, anyMetadata } from './filter-samples.ts';
import { memoryOf, NOW, rulesAt, userScope } from './samples.ts';
import { addAll, analyzer, conditionsOf, GENERATION, listedIds, pageOf } from './search-samples.ts';

const RUNS = 40;
const MEMORIES_MAX = 25;
const TEST_MS_MAX = 120_000;
const DIMENSIONS = 3;
/** Vectors are kept in 32 bits: cosines nearer than this may come in either order. */
const COSINE_ERROR = 1e-5;
const WORDS = ['zebra', 'lion', 'garden', 'budget', '予算', 'عربي', 'userId'] as const;
const TAGS = ['a', 'b', 'c'] as const;

const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 });
const vector = fc
  .array(fc.integer({ min: -4, max: 4 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .filter((each) => each.some((value) => value !== 0));

const differing: fc.Arbitrary<Partial<Memory>> = fc.record({
  content: words.map((each) => each.join(' ')),
  kind: fc.constantFrom('memory', 'entity'),
  tags: fc.uniqueArray(fc.constantFrom(...TAGS)),
  metadata: anyMetadata,
  state: fc.constantFrom('active', 'active', 'active', 'superseded', 'quarantined'),
  expiresAt: fc.constantFrom(null, null, NOW, NOW + 1, NOW + 2),
  validTo: fc.constantFrom(null, null, null, NOW, NOW + 2),
});
const embedding = fc.option(vector).map((found) => ({
  vector: found,
  embeddingGeneration: found === null ? null : GENERATION,
}));
const sample = fc.tuple(differing, embedding).map(([rest, own]) => ({ ...rest, ...own }));

const conditions: fc.Arbitrary<MemoryConditions> = fc
  .record({
    now: fc.constantFrom(NOW, NOW + 1),
    latestOnly: fc.boolean(),
    tags: fc.uniqueArray(fc.constantFrom(...TAGS), { maxLength: 2 }),
    filter: fc.option(anyFilter),
    kind: fc.constantFrom(null, null, 'memory' as const, 'entity' as const),
  })
  .map(conditionsOf);

const question = fc.record({
  conditions,
  text: words.map((each) => each.join(' ')),
  vector,
  limit: fc.integer({ min: 1, max: 8 }),
});

function memoriesOf(tenant: string, samples: readonly Partial<Memory>[]): readonly Memory[] {
  return samples.map((each, at) => memoryOf(tenant, at, each));
}

function meeting(memories: readonly Memory[], asked: MemoryConditions): readonly Memory[] {
  return memories.filter((memory) =>
    meetsConditions({ ...memory, endsAt: hiddenFrom(memory) }, asked),
  );
}

/** Cosines of the memories that have a vector, the highest first. */
function ranked(memories: readonly Memory[], wanted: readonly number[]): readonly number[] {
  return memories
    .flatMap((memory) => (memory.vector === null ? [] : [cosine(memory.vector, wanted)]))
    .toSorted((a, b) => b - a);
}

function sharesTerm(memory: Memory, terms: ReadonlySet<string>): boolean {
  return analyzer.terms(memory.content).some((term) => terms.has(term));
}

export function searchOracleSuite(open: Open): void {
  describe('search: random memories and conditions', () => {
    const fixture = sharedStore(open);
    const samples = fc.array(sample, { maxLength: MEMORIES_MAX });

    it('a vector search returns the nearest memories', { timeout: TEST_MS_MAX }, async () => {
      const { store } = fixture();
      const property = fc.asyncProperty(samples, question, async (given, asked) => {
        const tenant = newTenant();
        const memories = memoriesOf(tenant, given);
        await addAll(store, memories, rulesAt(NOW - 1));
        const query = {
          conditions: asked.conditions,
          terms: null,
          vectors: [{ generation: GENERATION, vector: asked.vector }],
          limit: asked.limit,
        };
        const { candidates } = await store.memories.search(userScope(tenant), query);
        const met = meeting(memories, asked.conditions);
        const expected = ranked(met, asked.vector).slice(0, asked.limit);
        const cosines = candidates.map((each) => each.cosine ?? 0).toSorted((a, b) => b - a);
        expect(cosines).toHaveLength(expected.length);
        for (const [at, value] of expected.entries()) {
          expect(Math.abs(value - (cosines[at] ?? 0))).toBeLessThan(COSINE_ERROR);
        }
        for (const candidate of candidates) {
          const memory = met.find(({ id }) => id === candidate.memory.id);
          expect(candidate.memory).toEqual(memory);
          const own = cosine(memory?.vector ?? [], asked.vector);
          expect(Math.abs(own - (candidate.cosine ?? 0))).toBeLessThan(COSINE_ERROR);
        }
      });
      await fc.assert(property, { numRuns: RUNS });
    });

    it(
      'a keyword search returns the memories that share a word with the query',
      { timeout: TEST_MS_MAX },
      async () => {
        const { store } = fixture();
        const property = fc.asyncProperty(samples, question, async (given, asked) => {
          const tenant = newTenant();
          const memories = memoriesOf(tenant, given);
          await addAll(store, memories, rulesAt(NOW - 1));
          const terms = analyzer.terms(asked.text);
          const query = { conditions: asked.conditions, terms, vectors: [], limit: MEMORIES_MAX };
          const all = await store.memories.search(userScope(tenant), query);
          const met = meeting(memories, asked.conditions);
          const ids = all.candidates.map(({ memory }) => memory.id);
          const wanted = new Set(terms);
          const sharing = met.filter((memory) => sharesTerm(memory, wanted)).map(({ id }) => id);
          expect(ids).toEqual(expect.arrayContaining(sharing));
          expect(met.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
          const few = await store.memories.search(userScope(tenant), {
            ...query,
            limit: asked.limit,
          });
          const best = all.candidates.map(({ keyword }) => keyword ?? 0).toSorted((a, b) => b - a);
          const scores = few.candidates
            .map(({ keyword }) => keyword ?? 0)
            .toSorted((a, b) => b - a);
          expect(scores).toEqual(best.slice(0, asked.limit));
        });
        await fc.assert(property, { numRuns: RUNS });
      },
    );

    it('a list has only memories that match its conditions', { timeout: TEST_MS_MAX }, async () => {
      const { store } = fixture();
      const property = fc.asyncProperty(samples, question, async (given, asked) => {
        const tenant = newTenant();
        const scopes = [userScope(tenant)];
        const memories = memoriesOf(tenant, given);
        await addAll(store, memories, rulesAt(NOW - 1));
        const ids = meeting(memories, asked.conditions).map(({ id }) => id);
        const { conditions: sought, limit } = asked;
        expect(await listedIds(store, scopes, { conditions: sought, limit })).toEqual(ids);
        const newest = { conditions: sought, limit, order: 'newest' } as const;
        expect(await listedIds(store, scopes, newest)).toEqual(ids.toReversed());
        const page = await pageOf(store, scopes, newest);
        expect(page.total).toBe(ids.length);
        const best = memories.filter(({ id }) => ids.includes(id)).toReversed();
        expect(page.memories).toEqual(best.slice(0, limit));
      });
      await fc.assert(property, { numRuns: RUNS });
    });
  });
}
