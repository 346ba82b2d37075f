import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UNRELATED_SHARE } from '#core/search/calibration.ts';
import {
  createScopeIndex,
  type IndexEntry,
  type IndexHit,
  indexEntryOf,
  putEntry,
} from '#core/search/scope-index.ts';
import type { MemoryConditions } from '#core/search/scope-search.ts';
import { cosine } from '#core/vector.ts';
import { entryOf, queryOf, vectorOf } from './index-entries.ts';

function indexOf(entries: readonly IndexEntry[], conversation = false) {
  const index = createScopeIndex({ conversation });
  for (const entry of entries) index.put(entry);
  return index;
}

function ids(hits: readonly IndexHit[]): readonly string[] {
  return hits.map(({ id }) => id);
}

describe('a memory with a damaged vector', () => {
  const whole = entryOf({ id: 'whole', terms: ['deploy'], vectors: vectorOf(1, 0) });

  test.each([
    ['of another dimension', vectorOf(1, 0, 0)],
    ['with NaN', vectorOf(Number.NaN, 0)],
  ])('%s is found by its words and hides no other memory', (_, vectors) => {
    const index = indexOf([whole]);
    putEntry(index, entryOf({ id: 'damaged', terms: ['deploy'], vectors }));
    const { hits: byWords } = index.search(queryOf({ terms: ['deploy'] }));
    expect(ids(byWords).toSorted()).toEqual(['damaged', 'whole']);
    const near = [{ generation: 'one', vector: [1, 0] }];
    expect(ids(index.search(queryOf({ vectors: near })).hits)).toEqual(['whole']);
  });

  test('is the only failure that putEntry ignores', () => {
    const put = () => {
      throw new TypeError('Something else is wrong.');
    };
    expect(() => {
      putEntry({ put }, whole);
    }).toThrow(TypeError);
  });
});

describe('conditions of a search', () => {
  const entries = [
    entryOf({ id: 'plain', terms: ['deploy'], vectors: vectorOf(1, 0) }),
    entryOf({ id: 'tagged', terms: ['deploy'], vectors: vectorOf(1, 0), tags: ['a', 'b'] }),
    entryOf({ id: 'rated', terms: ['deploy'], vectors: vectorOf(1, 0), metadata: { stars: 3 } }),
    entryOf({ id: 'entity', terms: ['deploy'], vectors: vectorOf(1, 0), kind: 'entity' }),
    entryOf({ id: 'old', terms: ['deploy'], vectors: vectorOf(1, 0), state: 'superseded' }),
    entryOf({ id: 'shut', terms: ['deploy'], vectors: vectorOf(1, 0), state: 'quarantined' }),
    entryOf({ id: 'ended', terms: ['deploy'], vectors: vectorOf(1, 0), endsAt: 1_000 }),
    entryOf({ id: 'ending', terms: ['deploy'], vectors: vectorOf(1, 0), endsAt: 1_001 }),
  ];
  const all = ['ending', 'entity', 'plain', 'rated', 'tagged'];

  test.each<[string, Partial<MemoryConditions>, readonly string[]]>([
    ['live memories only', {}, all],
    [
      'superseded memories on request, but never expired ones',
      { latestOnly: false },
      [...all, 'old'],
    ],
    ['any one of the tags', { tags: ['b', 'c'] }, ['tagged']],
    ['a tag that no memory has', { tags: ['c'] }, []],
    ['a filter on metadata', { filter: { field: 'stars', gte: 3 } }, ['rated']],
    ['a kind', { kind: 'entity' }, ['entity']],
  ])('%s', (_, conditions, expected) => {
    const index = indexOf(entries);
    const wanted = expected.toSorted();
    for (const query of [
      queryOf({ conditions, terms: ['deploy'] }),
      queryOf({ conditions, vectors: [{ generation: 'one', vector: [1, 0] }] }),
    ]) {
      const answer = index.search(query);
      expect(ids(answer.hits)).toEqual(wanted);
      expect(answer.compared).toBe(wanted.length);
    }
  });

  test('MEM-19: a rare match is found behind 100,000 others, since nothing is filtered after the limit', () => {
    const index = createScopeIndex({ conversation: false });
    for (let at = 0; at < 100_000; at += 1) {
      index.put(entryOf({ id: `m${at}`, terms: ['deploy', 'deploy'], vectors: vectorOf(1, 0.01) }));
    }
    const rare = { terms: ['deploy', 'rest', 'of', 'text'], vectors: vectorOf(0, 1) };
    index.put(entryOf({ id: 'rare', ...rare, metadata: { ticket: 7 } }));
    const conditions = { filter: { field: 'ticket', eq: 7 } };
    const vectors = [{ generation: 'one', vector: [1, 0] }];
    for (const legs of [{ terms: ['deploy'] }, { vectors }, { terms: ['text'] }]) {
      expect(ids(index.search(queryOf({ conditions, limit: 1, ...legs })).hits)).toEqual(['rare']);
    }
    expect(ids(index.search(queryOf({ terms: ['deploy', 'text'], limit: 1 })).hits)).toEqual([
      'rare',
    ]);
  });

  test('a superseded memory is hidden only by its expiry, an active one also by its end', () => {
    const memory = { id: 'a', kind: 'memory', metadata: {}, validFrom: 0 } as const;
    const ends = { validTo: 10, expiresAt: 2_000, tags: [] };
    const given = { terms: [], vectors: [] };
    expect(indexEntryOf({ ...memory, ...ends, state: 'superseded' }, given).endsAt).toBe(2_000);
    expect(indexEntryOf({ ...memory, ...ends, state: 'active' }, given).endsAt).toBe(10);
  });
});

describe('search by words and vectors', () => {
  test('returns the scores of both for each hit', () => {
    const index = indexOf([
      entryOf({ id: 'both', terms: ['deploy'], vectors: vectorOf(1, 0) }),
      entryOf({ id: 'near', terms: ['rest'], vectors: vectorOf(3, 4) }),
      entryOf({ id: 'told', terms: ['deploy'] }),
      entryOf({ id: 'unlike', terms: ['rest'], vectors: vectorOf(-1, 0) }),
    ]);
    const vectors = [{ generation: 'one', vector: [2, 0] }];
    const { hits } = index.search(queryOf({ terms: ['deploy'], vectors, limit: 2 }));
    expect(hits).toEqual([
      { id: 'both', cosine: 1, generation: 'one', keyword: expect.any(Number) },
      { id: 'near', cosine: expect.closeTo(0.6), generation: 'one', keyword: null },
      { id: 'told', cosine: null, generation: null, keyword: expect.any(Number) },
    ]);
  });

  test('compares an entry by the first of the query’s generations that it has', () => {
    const [one, two] = [Float32Array.of(1, 0), Float32Array.of(0, 1, 0)];
    const index = indexOf([
      entryOf({ id: 'new', vectors: [{ generation: 'two', vector: two }] }),
      entryOf({
        id: 'both',
        vectors: [
          { generation: 'one', vector: one },
          { generation: 'two', vector: two },
        ],
      }),
      entryOf({ id: 'old', vectors: [{ generation: 'one', vector: one }] }),
    ]);
    const vectors = [
      { generation: 'two', vector: [0, 2, 0] },
      { generation: 'one', vector: [0, 5] },
    ];
    expect(index.search(queryOf({ vectors })).hits).toEqual([
      { id: 'both', cosine: 1, generation: 'two', keyword: null },
      { id: 'new', cosine: 1, generation: 'two', keyword: null },
      { id: 'old', cosine: 0, generation: 'one', keyword: null },
    ]);
  });

  test('weighs a rare term of the scope above a common one', () => {
    const common = Array.from({ length: 60 }, (_, at) =>
      entryOf({ id: `m${at}`, terms: ['common', 'rest'] }),
    );
    const index = indexOf([...common, entryOf({ id: 'rare', terms: ['rare', 'rest'] })]);
    const { hits } = index.search(queryOf({ terms: ['common', 'rare'], limit: 2 }));
    const [best] = hits.toSorted((a, b) => (b.keyword ?? 0) - (a.keyword ?? 0));
    expect(best?.id).toBe('rare');
  });

  test('accepts statistics for an index that holds only candidates', () => {
    const index = indexOf([
      entryOf({ id: 'a', terms: ['frequent'] }),
      entryOf({ id: 'b', terms: ['seldom'] }),
    ]);
    const statistics = {
      documents: 1_000,
      averageLength: 1,
      documentFrequency: (term: string) => (term === 'frequent' ? 900 : 1),
    };
    const { hits } = index.search(queryOf({ terms: ['frequent', 'seldom'] }), statistics);
    expect(hits[1]?.keyword ?? 0).toBeGreaterThan(3 * (hits[0]?.keyword ?? 1));
  });

  test('scores a hit with all words of the query almost 1, and never more', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 9 }), { minLength: 1 }),
        fc.boolean(),
        (texts, conversation) => {
          const entries = texts.map((terms, at) => entryOf({ id: `m${at}`, terms, validFrom: at }));
          const index = indexOf(entries, conversation);
          for (const { keyword } of index.search(queryOf({ terms: ['a', 'b', 'e'] })).hits) {
            expect(keyword).toBeGreaterThan(0);
            expect(keyword).toBeLessThanOrEqual(1);
          }
        },
      ),
    );
    const index = indexOf([entryOf({ id: 'whole', terms: ['a', 'b', 'c'] })]);
    const [hit] = index.search(queryOf({ terms: ['c', 'b', 'a'] })).hits;
    expect(hit?.keyword).toBeGreaterThan(0.9);
  });

  test('also finds what is near a match in a conversation', () => {
    const turns = ['price', 'rest', 'rest', 'rest', 'rest', 'rest', 'rest'];
    const entries = turns.map((term, at) =>
      entryOf({ id: `t${at}`, terms: [term], validFrom: at }),
    );
    const query = queryOf({ terms: ['price'] });
    expect(ids(indexOf(entries).search(query).hits)).toEqual(['t0']);
    const { hits } = indexOf(entries.toReversed(), true).search(query);
    expect(ids(hits)).toEqual(['t0', 't1', 't2', 't3', 't4', 't5']);
    expect(hits[0]?.keyword).toBeGreaterThan(hits[1]?.keyword ?? 1);
  });

  test.each([
    [3, true],
    [50_001, false],
  ])('finds another form of a word among %i terms: %s', (count, isFound) => {
    const others = Array.from({ length: count - 1 }, (_, at) => `x${String(at)}`);
    const index = indexOf([entryOf({ id: 'a', terms: ['alergico', ...others] })]);
    const found = index.search(queryOf({ terms: ['alergias'] })).hits;
    expect(found.some(({ keyword }) => keyword !== null)).toBe(isFound);
  });

  test('lifts no neighbor of a match of one word in three above the default threshold', () => {
    const match = Array.from({ length: 40 }, () => 'price');
    const index = indexOf(
      [
        entryOf({ id: 'match', terms: match }),
        entryOf({ id: 'near', terms: ['rest'], validFrom: 1 }),
      ],
      true,
    );
    const [best, near] = index.search(queryOf({ terms: ['price', 'boat', 'tax'] })).hits;
    expect(best?.keyword).toBeGreaterThan(UNRELATED_SHARE);
    expect(near?.keyword).toBeLessThan(UNRELATED_SHARE);
  });

  test('gives nothing to the neighbors of a turn that must not be found', () => {
    const index = indexOf(
      [
        entryOf({ id: 'a', terms: ['price'], state: 'quarantined' }),
        entryOf({ id: 'b', terms: ['rest'], validFrom: 1 }),
      ],
      true,
    );
    expect(index.search(queryOf({ terms: ['price'] })).hits).toEqual([]);
  });

  test('always takes the lower ids of equal scores', () => {
    const entries = ['d', 'a', 'c', 'b'].map((id) =>
      entryOf({ id, terms: ['deploy'], vectors: vectorOf(1, 1) }),
    );
    const vectors = [{ generation: 'one', vector: [1, 1] }];
    for (const legs of [{ terms: ['deploy'] }, { vectors }]) {
      expect(ids(indexOf(entries).search(queryOf({ ...legs, limit: 2 })).hits)).toEqual(['a', 'b']);
    }
  });
});

describe('the content of an index', () => {
  test.each([
    ['zero', vectorOf(0, 0)],
    ['NaN', vectorOf(Number.NaN, 1)],
    ['infinite', vectorOf(Number.POSITIVE_INFINITY, 1)],
    ['of another dimension', vectorOf(1, 0, 0)],
    ['empty', vectorOf()],
  ])('rejects a vector that is %s and does not change', (_, vectors) => {
    const index = indexOf([entryOf({ id: 'a', terms: ['deploy'], vectors: vectorOf(1, 0) })]);
    expect(() => {
      index.put(entryOf({ id: 'a', terms: ['other'], vectors }));
    }).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(ids(index.search(queryOf({ terms: ['deploy'] })).hits)).toEqual(['a']);
    const query = queryOf({
      vectors: vectors.map(({ vector }) => ({ generation: 'one', vector: [...vector] })),
    });
    expect(() => index.search(query)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  const change = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
    terms: fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 4 }),
    vector: fc.option(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: -9, max: 9 }))),
    validFrom: fc.nat({ max: 5 }),
    removed: fc.boolean(),
  });

  test('answers like a new index after any puts, replacements and removals', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), fc.boolean(), (changes, conversation) => {
        const index = createScopeIndex({ conversation });
        const held = new Map<string, IndexEntry>();
        for (const { id, terms, vector, validFrom, removed } of changes) {
          held.delete(id);
          if (removed) index.remove(id);
          else {
            const vectors = vector === null ? [] : vectorOf(...vector);
            held.set(id, entryOf({ id, terms, vectors, validFrom }));
            index.put(entryOf({ id, terms, vectors, validFrom }));
          }
        }
        const fresh = indexOf([...held.values()], conversation);
        const vectors = [{ generation: 'one', vector: [1, 2] }];
        const query = queryOf({ terms: ['x', 'y', 'w'], vectors });
        expect(index.search(query)).toEqual(fresh.search(query));
        expect(index.size).toBe(held.size);
      }),
    );
  });

  test('includes every vector in the comparison, with exact cosines', () => {
    const dimensions = 13;
    const value = fc.integer({ min: -99, max: 99 });
    const vector = fc
      .array(value, { minLength: dimensions, maxLength: dimensions })
      .filter((values) => values.some((each) => each !== 0));
    fc.assert(
      fc.property(fc.array(vector, { minLength: 1, maxLength: 90 }), vector, (vectors, asked) => {
        const entries = vectors.map((values, at) =>
          entryOf({ id: String(at).padStart(3, '0'), vectors: vectorOf(...values) }),
        );
        const query = { vectors: [{ generation: 'one', vector: asked }], limit: 90 };
        const { hits } = indexOf(entries).search(queryOf(query));
        expect(hits).toHaveLength(vectors.length);
        for (const { id, cosine: found } of hits) {
          expect(found).toBeCloseTo(cosine(vectors[Number(id)] ?? [], asked), 5);
        }
      }),
    );
  });

  test('takes memory that grows with each put and shrinks with each removal', () => {
    const index = createScopeIndex({ conversation: false });
    const before = index.bytes;
    for (let at = 0; at < 500; at += 1) {
      index.put(
        entryOf({
          id: `m${at}`,
          terms: [`t${at}`],
          metadata: { at },
          vectors: vectorOf(1, 2, 3, 4),
        }),
      );
    }
    expect(index.bytes).toBeGreaterThan(before + 500 * 16);
    for (let at = 0; at < 500; at += 1) index.remove(`m${at}`);
    expect(index.bytes).toBe(before);
  });
});
