/** Rules of the test peer where `$vectorSearch` differs from what MQL suggests. */
import { Binary } from 'mongodb';
import { describe, expect, it } from 'vitest';

import { predicateOf } from '#test/cluster/atlas-peer/filter-language.ts';
import { entryOf } from '#test/cluster/atlas-peer/index-entry.ts';
import { SearchIndexes, type SearchIndex } from '#test/cluster/atlas-peer/search-index.ts';
import { vectorSearch } from '#test/cluster/atlas-peer/vector-search.ts';

const DEFINITION = {
  fields: [
    { type: 'vector', path: 'v', numDimensions: 2, similarity: 'cosine' },
    { type: 'filter', path: 'a' },
    { type: 'filter', path: 'deep.b' },
  ],
} as const;
const DECLARED = new Set(['a', 'deep.b']);

const MEETS: readonly (readonly [object, object, boolean])[] = [
  [{ a: 1 }, { a: 1 }, true],
  [{ a: [1, 2] }, { a: 2 }, true],
  [{ a: '1' }, { a: 1 }, false],
  [{ a: null }, { a: null }, true],
  [{}, { a: null }, false],
  [{}, { a: { $exists: false } }, true],
  [{ a: null }, { a: { $exists: true } }, true],
  [{}, { a: { $ne: 1 } }, true],
  [{ a: 1 }, { a: { $in: [2, 1] } }, true],
  [{ a: 1 }, { a: { $nin: [2, 1] } }, false],
  [{ a: 5 }, { a: { $gte: 5, $lt: 6 } }, true],
  [{ a: 'x' }, { a: { $gt: 5 } }, false],
  [{ a: new Date(5) }, { a: { $lte: new Date(5) } }, true],
  [{ a: 1 }, { a: { $not: { $gt: 5 } } }, true],
  [{ deep: { b: 'x' } }, { 'deep.b': 'x' }, true],
  [{ deep: [{ b: 'x' }, { b: 'y' }] }, { 'deep.b': 'y' }, true],
  [{ a: 1 }, { $or: [{ a: 2 }, { $nor: [{ a: 3 }] }] }, true],
  [{ a: 'x'.repeat(9_000) }, { a: `${'x'.repeat(8_191)}y` }, true],
];

const REFUSED: readonly (readonly [string, object, string])[] = [
  ['an undeclared path', { c: 1 }, "Path 'c' needs to be indexed as filter"],
  ['an empty list', { a: { $in: [] } }, 'non-empty'],
  ['a list of two types', { a: { $in: [1, 'x'] } }, 'one type'],
  ['null in a list', { a: { $in: [null] } }, 'null'],
  ['a document', { a: { b: 1 } }, 'document'],
  ['an expression', { a: { $regex: 'x' } }, 'unknown operator $regex'],
  ['$elemMatch', { a: { $elemMatch: { $eq: 1 } } }, 'unknown operator $elemMatch'],
  ['$all', { a: { $all: ['x'] } }, 'unknown operator $all'],
  ['$expr', { $expr: true }, 'unknown operator $expr'],
  ['an order of booleans', { a: { $gt: true } }, "can't compare"],
];

const REFUSED_STAGES: readonly (readonly [string, object, string])[] = [
  ['no limit', { limit: 0 }, '"limit"'],
  ['exact with candidates', { numCandidates: 10 }, '"exact"'],
  ['neither exact nor candidates', { exact: false }, '"numCandidates"'],
  ['fewer candidates than rows', { exact: false, numCandidates: 1 }, 'at least "limit"'],
  ['too many candidates', { exact: false, numCandidates: 10_001 }, '1 to 10000'],
  ['another length', { queryVector: [1, 0, 0] }, 'indexed with 2 dimensions but queried with 3'],
  ['a zero vector', { queryVector: [0, 0] }, 'zero vector'],
  ['an infinite vector', { queryVector: [1, Number.POSITIVE_INFINITY] }, 'finite'],
  ['a path without a vector', { path: 'a' }, "Path 'a' needs to be indexed as vector"],
];

const STAGE = { index: 'n', path: 'v', queryVector: [1, 0], limit: 5, exact: true };
const NAMESPACE = 'x.c';

async function built(documents: readonly object[]): Promise<SearchIndex> {
  const indexes = new SearchIndexes();
  const index = indexes.create(NAMESPACE, 'n', DEFINITION);
  await indexes.finishBuilds(() => Promise.resolve([...documents]));
  return index;
}

describe('the filter language of the peer', () => {
  it.each(MEETS)('PEER-02: compares document %j with filter %j', (document, filter, expected) => {
    const { values } = entryOf(document, DEFINITION);
    expect(predicateOf(filter, DECLARED)(values)).toBe(expected);
  });

  it.each(REFUSED)('PEER-03: %s is refused', (_, filter, message) => {
    expect(() => predicateOf(filter, DECLARED)).toThrow(message);
  });
});

describe('the search of the peer', () => {
  it('PEER-04: scores hits by (1 + cosine) / 2, best first, up to the limit', async () => {
    const vectors = [
      [0, 1],
      [1, 0],
      [-1, 0],
    ];
    const index = await built(vectors.map((v, _id) => ({ _id, v })));
    const hits = vectorSearch({ ...STAGE, limit: 2 }, () => index);
    expect(hits).toEqual([
      { id: 1, score: 1 },
      { id: 0, score: 0.5 },
    ]);
  });

  it('PEER-05: does not index vectors of another length or plain bytes', async () => {
    const floats = Binary.fromFloat32Array(new Float32Array([1, 0]));
    const plain = new Binary(floats.value().subarray(2));
    const index = await built([
      { _id: 1, v: floats },
      { _id: 2, v: plain },
      { _id: 3, v: [1, 0, 0] },
      { _id: 4, v: null },
    ]);
    expect(vectorSearch(STAGE, () => index).map(({ id }) => id)).toEqual([1]);
  });

  it.each(REFUSED_STAGES)('PEER-06: refuses %s', async (_, differing, message) => {
    const index = await built([]);
    expect(() => vectorSearch({ ...STAGE, ...differing }, () => index)).toThrow(message);
  });

  it('PEER-07: finds nothing without an index, and is refused during the first build', () => {
    expect(vectorSearch(STAGE, () => null)).toEqual([]);
    const index = new SearchIndexes().create(NAMESPACE, 'n', DEFINITION);
    expect(() => vectorSearch(STAGE, () => index)).toThrow('while in state INITIAL_SYNC');
  });
});

describe('the indexes of the peer', () => {
  it('PEER-08: accept the same definition again and refuse a different one', () => {
    const indexes = new SearchIndexes();
    const index = indexes.create(NAMESPACE, 'n', DEFINITION);
    expect(indexes.create(NAMESPACE, 'n', { fields: [...DEFINITION.fields] })).toBe(index);
    const other = { fields: [{ ...DEFINITION.fields[0], numDimensions: 3 }] };
    expect(() => indexes.create(NAMESPACE, 'n', other)).toThrow('another definition');
  });

  it('PEER-09: answer from the old definition until an update is built', async () => {
    const indexes = new SearchIndexes();
    const index = indexes.create(NAMESPACE, 'n', DEFINITION);
    const read = () => Promise.resolve([{ _id: 1, v: [1, 0] }]);
    await indexes.finishBuilds(read);
    indexes.update(NAMESPACE, 'n', { fields: [{ ...DEFINITION.fields[0], path: 'w' }] });
    expect(vectorSearch(STAGE, () => index)).toHaveLength(1);
    expect(indexes.list(NAMESPACE, 'n')[0]).toMatchObject({ status: 'BUILDING', queryable: true });
    await indexes.finishBuilds(read);
    expect(() => vectorSearch(STAGE, () => index)).toThrow("Path 'v' needs to be indexed");
    expect(indexes.list(NAMESPACE, 'n')[0]).toMatchObject({ status: 'READY', queryable: true });
  });

  it('PEER-10: answer nothing if failed, and the last known state if stale', async () => {
    const indexes = new SearchIndexes();
    const index = indexes.create(NAMESPACE, 'n', DEFINITION);
    await indexes.finishBuilds(() => Promise.resolve([{ _id: 1, v: [1, 0] }]));
    indexes.mark('n', 'STALE');
    await indexes.refresh(() => Promise.resolve([]));
    expect(vectorSearch(STAGE, () => index)).toHaveLength(1);
    indexes.mark('n', 'FAILED');
    expect(() => vectorSearch(STAGE, () => index)).toThrow('while in state FAILED');
    expect(indexes.list(NAMESPACE, null)[0]).toMatchObject({ status: 'FAILED', queryable: false });
  });
});
