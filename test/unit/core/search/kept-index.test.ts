/** An index stored without its vectors, which gets them after it is opened again. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createScopeIndex,
  type IndexEntry,
  type PackedIndex,
  type ScopeIndex,
} from '#core/search/scope-index.ts';
import type { VectorRows } from '#core/search/vector-rows.ts';
import { entryOf, queryOf, vectorOf } from './index-entries.ts';

const GENERATION = 'one';
const DIMENSIONS = 2;

/** Several of few values, so that terms, places and times are shared. */
const anyEntry: fc.Arbitrary<IndexEntry> = fc
  .record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
    kind: fc.constantFrom('memory', 'entity'),
    state: fc.constantFrom('active', 'superseded', 'quarantined'),
    tags: fc.subarray(['red', 'blue']),
    metadata: fc.constantFrom({}, { stars: 3 }),
    validFrom: fc.nat({ max: 5 }),
    endsAt: fc.constantFrom(null, 1_000, 2_000),
    terms: fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 4 }),
    vector: fc.option(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: -9, max: 9 }))),
  })
  .map(({ vector, ...entry }) => ({
    ...entry,
    vectors: vector === null ? [] : vectorOf(...vector),
  }));

const changes = fc.array(fc.record({ entry: anyEntry, removed: fc.boolean() }), { maxLength: 20 });

const QUERIES = [
  queryOf({ terms: ['x', 'y', 'w'] }),
  queryOf({ vectors: [{ generation: GENERATION, vector: [1, 2] }], limit: 3 }),
  queryOf({ terms: ['z'], vectors: [{ generation: GENERATION, vector: [2, -1] }] }),
  queryOf({ terms: ['x', 'z'], conditions: { kind: 'entity', latestOnly: false } }),
  queryOf({ terms: ['x', 'y', 'z'], conditions: { tags: ['red'] } }),
  queryOf({ terms: ['x', 'y'], conditions: { filter: { field: 'stars', eq: 3 } } }),
];

function change(index: ScopeIndex, entries: ReadonlyMap<string, IndexEntry>, all: Changes) {
  const held = new Map(entries);
  for (const { entry, removed } of all) {
    held.delete(entry.id);
    if (removed) index.remove(entry.id);
    else {
      held.set(entry.id, entry);
      index.put(entry);
    }
  }
  return held;
}

type Changes = readonly { readonly entry: IndexEntry; readonly removed: boolean }[];

function rowsWith(dimensions: number, numbers: readonly number[]): VectorRows {
  const words = new Uint32Array(Float32Array.from(numbers).buffer);
  const starts = Array.from(
    { length: numbers.length / dimensions + 1 },
    (_, at) => at * dimensions,
  );
  return { dimensions, words, starts, isSparse: false };
}

/** Vectors of length 1 side by side, as a store keeps them, of all ids that have one. */
function packedVectors(entries: Iterable<IndexEntry>) {
  const having = [...entries].filter(({ vectors }) => vectors.length > 0);
  const numbers = having.flatMap(({ vectors }) => {
    const [x = 0, y = 0] = vectors[0]?.vector ?? [];
    return [x / Math.hypot(x, y), y / Math.hypot(x, y)];
  });
  return {
    ids: having.map(({ id }) => id),
    rows: rowsWith(DIMENSIONS, numbers),
  };
}

/** As answers are told apart; vectors that went through a store differ in the last place. */
function answersOf(index: ScopeIndex) {
  return QUERIES.map((query) => {
    const { hits, compared } = index.search(query);
    const rounded = hits.map(({ cosine, ...hit }) => ({ ...hit, cosine: cosine?.toFixed(5) }));
    return { hits: rounded, compared };
  });
}

/** Through JSON and arrays of numbers, as it is kept. */
function reopened(packed: PackedIndex, conversation: boolean): ScopeIndex {
  return createScopeIndex({ conversation, packed: structuredClone(packed) });
}

describe('a saved index', () => {
  test('answers as before when reopened, and as a new one after later changes', () => {
    fc.assert(
      fc.property(changes, changes, fc.boolean(), (before, after, conversation) => {
        const index = createScopeIndex({ conversation });
        const entries = change(index, new Map(), before);
        const opened = reopened(index.pack(), conversation);
        const { ids, rows } = packedVectors(entries.values());
        expect(opened.putVectors(ids, GENERATION, rows)).toBe(true);
        expect(answersOf(opened)).toEqual(answersOf(index));
        expect(opened.size).toBe(index.size);

        const held = change(opened, entries, after);
        const fresh = createScopeIndex({ conversation });
        for (const entry of held.values()) fresh.put(entry);
        expect(answersOf(opened)).toEqual(answersOf(fresh));
      }),
    );
  });

  test('includes the changes made while it was open when saved again', () => {
    fc.assert(
      fc.property(changes, changes, fc.boolean(), (before, after, conversation) => {
        const index = createScopeIndex({ conversation });
        const entries = change(index, new Map(), before);
        const opened = reopened(index.pack(), conversation);
        const held = change(opened, entries, after);
        const again = reopened(opened.pack(), conversation);
        const fresh = createScopeIndex({ conversation });
        for (const entry of held.values()) fresh.put({ ...entry, vectors: [] });
        expect(answersOf(again)).toEqual(answersOf(fresh));
        expect(again.bytes).toBe(fresh.bytes);
      }),
    );
  });
});

describe('an index that receives vectors', () => {
  const ofIds = (...ids: readonly string[]) => {
    const index = createScopeIndex({ conversation: false });
    for (const id of ids) index.put(entryOf({ id, terms: ['x'] }));
    return index;
  };
  const vectorsOf = (dimensions: number, ...numbers: readonly number[]) =>
    rowsWith(dimensions, numbers);
  const found = (index: ScopeIndex, ...vector: readonly number[]) =>
    index
      .search(queryOf({ vectors: [{ generation: GENERATION, vector: [...vector] }] }))
      .hits.map(({ id, cosine }) => [id, cosine]);

  test('ignores vectors of unknown ids', () => {
    const index = ofIds('a', 'c');
    expect(index.putVectors(['a', 'b', 'c'], GENERATION, vectorsOf(2, 1, 0, 0, 1, -1, 0))).toBe(
      true,
    );
    expect(found(index, 1, 0)).toEqual([
      ['a', 1],
      ['c', -1],
    ]);
  });

  test('finds each vector, received in any order and in several portions', () => {
    const index = ofIds('a', 'b', 'c', 'd');
    expect(index.putVectors(['b', 'a'], GENERATION, vectorsOf(2, 0, 1, 1, 0))).toBe(true);
    expect(index.putVectors(['c', 'd'], GENERATION, vectorsOf(2, -1, 0, 0, -1))).toBe(true);
    expect(found(index, 1, 0)).toEqual([
      ['a', 1],
      ['b', 0],
      ['c', -1],
      ['d', 0],
    ]);
  });

  test('is unchanged by vectors of unknown entries', () => {
    const index = ofIds('a');
    expect(index.putVectors(['z'], GENERATION, vectorsOf(2, 1, 0))).toBe(true);
    expect(index.putVectors([], GENERATION, vectorsOf(2))).toBe(true);
    expect(found(index, 1, 0)).toEqual([]);
  });

  test.each([
    ['not of length 1', vectorsOf(2, 1, 0, 3, 4)],
    ['not a number', vectorsOf(2, 1, 0, Number.NaN, 0)],
    ['of another dimension', vectorsOf(3, 1, 0, 0, 0, 1, 0)],
  ])('refuses all vectors if one is %s', (_, vectors) => {
    const index = ofIds('a', 'b', 'c');
    index.put(entryOf({ id: 'c', vectors: vectorOf(0, 1) }));
    expect(index.putVectors(['a', 'b'], GENERATION, vectors)).toBe(false);
    expect(found(index, 0, 1)).toEqual([['c', 1]]);
  });

  test('refuses all vectors if an entry already has one of the generation', () => {
    const index = ofIds('a');
    index.put(entryOf({ id: 'b', vectors: vectorOf(0, 1) }));
    expect(index.putVectors(['a', 'b'], GENERATION, vectorsOf(2, 1, 0, 1, 0))).toBe(false);
    expect(found(index, 0, 1)).toEqual([['b', 1]]);
  });
});
