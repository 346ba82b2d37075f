import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LAYERS, type Layer } from '#core/layer.ts';
import type { Memory } from '#core/records/memory.ts';
import { type MergeRequest, mergeHits } from '#core/search/merge-layers.ts';
import type { Candidate, ScopeHits } from '#core/search/scope-search.ts';

const SCALE = { unrelatedCosine: 0, quality: 'semantic' } as const;
const REQUEST: MergeRequest = {
  query: 'Which text?',
  threshold: 0.7,
  limit: 10,
  order: 'precedence',
  explain: false,
  byWords: true,
  at: 3,
  timePreference: () => 1,
  calibrations: new Map([['one', SCALE]]),
};

interface Given extends Partial<Omit<Memory, 'layer'>> {
  readonly id: string;
  readonly layer: Layer;
  /** Above 0 its score is 0.7 and 0.3 of it. */
  readonly cosine?: number | null;
  readonly keyword?: number | null;
}

function candidateOf({ cosine = 0.5, keyword = null, ...given }: Given): Candidate {
  const content = given.content ?? `text of ${given.id}`;
  const memory: Memory = {
    ...{ tenant: 'acme', scopeId: 'one', kind: 'memory', key: null, tags: [], metadata: {} },
    ...{ origin: { channel: 'api', principal: 'ann', sources: [] }, trust: 'stated' },
    ...{ validFrom: 0, validTo: null, supersededBy: null, expiresAt: null, state: 'active' },
    ...{ version: 1, createdAt: 0, updatedAt: 0, tokenCount: 3, embeddingGeneration: 'one' },
    vector: null,
    content,
    contentHash: createHash('sha256').update(content).digest('hex'),
    ...given,
  };
  return { memory, cosine, generation: cosine === null ? null : 'one', keyword };
}

function merge(given: readonly Given[], request: Partial<MergeRequest> = {}) {
  const answers = LAYERS.map((layer): Pick<ScopeHits, 'candidates' | 'path'> => ({
    candidates: given.filter((each) => each.layer === layer).map(candidateOf),
    path: 'Memory',
  }));
  return mergeHits(answers, { ...REQUEST, ...request });
}

function ids(merged: ReturnType<typeof merge>): string {
  return merged.hits.map(({ memory }) => memory.id).join(' ');
}

describe('the time that a question names', () => {
  const given: readonly Given[] = [
    { id: 'c1', layer: 'company', cosine: 0.4 },
    { id: 'c2', layer: 'company', cosine: 0.38 },
    { id: 'c3', layer: 'company', cosine: 0.01 },
  ];

  test('ranks hits of that time before slightly better ones, and keeps the others', () => {
    const order = 'relevance';
    expect(ids(merge(given, { order }))).toBe('c1 c2 c3');
    const timePreference = ({ id }: Memory) => (id === 'c1' ? 0 : 1);
    expect(ids(merge(given, { order, timePreference }))).toBe('c2 c1 c3');
    expect(ids(merge(given, { order, timePreference: () => 0 }))).toBe('c1 c2 c3');
  });
});

describe('merging', () => {
  const given: readonly Given[] = [
    { id: 'c1', layer: 'company', cosine: 0.9 },
    { id: 'p2', layer: 'project', cosine: 0.2 },
    { id: 'p1', layer: 'project', cosine: 0.2 },
    { id: 'p0', layer: 'project', cosine: 0.6 },
    { id: 'u1', layer: 'user', cosine: 0.1 },
  ];

  test.each<[string, Partial<MergeRequest>, string]>([
    ['MEM-14: orders hits by precedence, then score, then id', {}, 'u1 p0 p1 p2 c1'],
    ['orders hits by score on request', { order: 'relevance' }, 'c1 p0 p1 p2 u1'],
    ['excludes what scores below the threshold', { threshold: 0.76 }, 'p0 p1 p2 c1'],
    ['is empty with a threshold above all scores', { threshold: 0.98 }, ''],
    ['gives one place to every layer with a hit', { limit: 3 }, 'u1 p0 c1'],
    ['gives the remaining places by score', { limit: 4 }, 'u1 p0 p1 c1'],
    ['gives too few places to the best layers', { limit: 2 }, 'p0 c1'],
    ['is empty with a limit of 0', { limit: 0 }, ''],
  ])('%s', (_, request, expected) => {
    expect(ids(merge(given, request))).toBe(expected);
  });

  test('returns the nearest misses with their scores', () => {
    const merged = merge(
      [
        ...given,
        { id: 'm1', layer: 'team', cosine: -0.1 },
        { id: 'm2', layer: 'team', cosine: -0.2 },
        { id: 'm3', layer: 'org', cosine: -0.3 },
        { id: 'm4', layer: 'org', cosine: -0.4 },
      ],
      { threshold: 0.7 },
    );
    expect(merged.misses.map(({ memory: { id }, score }) => ({ id, score }))).toEqual([
      { id: 'm1', score: expect.closeTo(0.63) },
      { id: 'm2', score: expect.closeTo(0.56) },
      { id: 'm3', score: expect.closeTo(0.49) },
      { id: 'm4', score: expect.closeTo(0.42) },
    ]);
  });

  test('returns the best hits beyond the limit, without duplicates', () => {
    const same = { layer: 'project' as const, content: 'A text said twice.', vector: [1, 0] };
    const twice = [
      { ...same, id: 'p9', cosine: 0.55 },
      { ...same, id: 'p8', cosine: 0.54 },
    ];
    const merged = merge([...given, ...twice], { limit: 3 });
    expect(ids(merged)).toBe('u1 p0 c1');
    expect(merged.beyond.map(({ memory: { id } }) => id)).toEqual(['p9', 'p1', 'p2']);
  });

  test('gives a hit the better of its two scores, and explains both on request', () => {
    const { hits } = merge(
      [
        { id: 'a', layer: 'user', cosine: -0.5, keyword: 0.56 },
        { id: 'b', layer: 'team', cosine: 0.5, keyword: 0.06 },
        { id: 'c', layer: 'org', cosine: null, keyword: 1 },
      ],
      { explain: true },
    );
    expect(hits.map(({ score, explanation }) => ({ score, ...explanation }))).toMatchObject([
      {
        score: expect.closeTo(0.85),
        similarity: 0.25,
        semanticScore: 0.35,
        keywordScore: expect.closeTo(0.85),
      },
      { score: 0.85, similarity: 0.75, semanticScore: 0.85, keywordScore: expect.closeTo(0.35) },
      { score: 1, similarity: null, semanticScore: null, keywordScore: 1, path: 'Memory' },
    ]);
  });

  test('gives no score to a cosine of a generation without calibration', () => {
    const { hits, misses } = merge([{ id: 'a', layer: 'user', cosine: 1 }], {
      calibrations: new Map(),
    });
    expect(hits).toEqual([]);
    expect(misses).toMatchObject([{ memory: { id: 'a' }, score: 0 }]);
  });

  test('keeps a place for every layer with a hit, and always the best hit', () => {
    const one = fc.record({
      layer: fc.constantFrom(...LAYERS),
      cosine: fc.integer({ min: -5, max: 10 }).map((tenth) => tenth / 10),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 40 }), fc.nat({ max: 12 }), (all, limit) => {
        const made = all.map((each, at) => ({ ...each, id: `m${at}` }));
        const { hits } = merge(made, { limit });
        const found = made.filter(({ cosine }) => cosine >= 0);
        const layers = new Set(found.map(({ layer }) => layer));
        expect(hits).toHaveLength(Math.min(limit, found.length));
        const got = new Set(hits.map(({ memory }) => memory.layer));
        expect(got.size).toBeGreaterThanOrEqual(Math.min(limit, layers.size));
        const best = Math.max(...hits.map(({ score }) => score), 0);
        const wanted = Math.max(...found.map(({ cosine }) => 0.7 + 0.3 * cosine), 0);
        if (limit > 0) expect(best).toBeCloseTo(wanted, 9);
      }),
    );
  });
});

describe('near duplicates', () => {
  const near = { vector: [1, 0] };
  /** Similarity 0.975 with `near`. */
  const nearer = { vector: [0.95, Math.sqrt(1 - 0.95 ** 2)] };

  test('MEM-15: the more specific of two layers keeps its memory, whatever the scores', () => {
    const merged = merge([
      { id: 'p', layer: 'project', cosine: 0.3, ...near },
      { id: 'c', layer: 'company', cosine: 0.9, ...nearer },
    ]);
    expect(ids(merged)).toBe('p');
    expect(merged.duplicates).toEqual([
      { id: 'c', layer: 'company', of: 'p', similarity: expect.closeTo(0.975) },
    ]);
  });

  test('the more specific memory takes the only place', () => {
    const merged = merge(
      [
        { id: 'p', layer: 'project', cosine: 0.3, ...near },
        { id: 'c', layer: 'company', cosine: 0.9, ...nearer },
      ],
      { limit: 1 },
    );
    expect(ids(merged)).toBe('p');
  });

  test('both memories stay below a similarity of 0.95', () => {
    const merged = merge([
      { id: 'p', layer: 'project', ...near },
      { id: 'c', layer: 'company', vector: [0.89, Math.sqrt(1 - 0.89 ** 2)] },
    ]);
    expect(ids(merged)).toBe('p c');
  });

  test('a model with high cosines for all texts does not make them duplicates', () => {
    const calibrations = new Map([['one', { ...SCALE, unrelatedCosine: 0.9 }]]);
    const given: readonly Given[] = [
      { id: 'p', layer: 'project', cosine: 0.99, ...near },
      { id: 'c', layer: 'company', cosine: 0.99, ...nearer },
    ];
    expect(ids(merge(given, { calibrations }))).toBe('p c');
  });

  test('equal content is a duplicate without a vector or across generations', () => {
    const merged = merge([
      { id: 'p', layer: 'project', content: 'same', cosine: 0.3 },
      { id: 'c', layer: 'company', content: 'same', embeddingGeneration: 'two', vector: [1] },
    ]);
    expect(merged.duplicates).toEqual([{ id: 'c', layer: 'company', of: 'p', similarity: 1 }]);
  });

  test('vectors of two generations are never compared', () => {
    const merged = merge([
      { id: 'p', layer: 'project', ...near },
      { id: 'c', layer: 'company', ...near, embeddingGeneration: 'two' },
    ]);
    expect(ids(merged)).toBe('p c');
  });

  test('the newer of two memories in a layer stays', () => {
    const merged = merge([
      { id: 'a', layer: 'user', validFrom: 2, cosine: 0.1, content: 'likes tea', ...near },
      { id: 'b', layer: 'user', validFrom: 1, cosine: 0.9, content: 'like teas', ...nearer },
      { id: 'c', layer: 'user', validFrom: 2, cosine: 0.9, content: 'likes some tea', ...near },
    ]);
    expect(ids(merged)).toBe('c');
    expect(new Set(merged.duplicates.map(({ id, of }) => `${id} of ${of}`))).toEqual(
      new Set(['a of c', 'b of c']),
    );
  });

  test('two memories in a layer that differ in meaning both stay, marked as conflicting', () => {
    const given: readonly Given[] = [
      { id: 'a', layer: 'user', content: 'Deploys are on Monday.', ...near },
      { id: 'b', layer: 'user', content: 'Deploys are on Tuesday.', cosine: 0.4, ...near },
      { id: 'c', layer: 'team', content: 'Deploys are on Sunday.', cosine: 0.9, ...near },
    ];
    const { hits, duplicates } = merge(given);
    expect(hits.map(({ memory, conflictsWith }) => [memory.id, conflictsWith])).toEqual([
      ['a', ['b']],
      ['b', ['a']],
    ]);
    expect(duplicates.map(({ id }) => id)).toEqual(['c']);
    expect(merge(given, { limit: 1 }).hits.map((hit) => hit.conflictsWith)).toEqual([[]]);
  });

  test('a newer contradiction in a broader layer stays, marked as conflicting', () => {
    const project = { id: 'p', layer: 'project', content: 'Friday deploys are allowed.', ...near };
    const company = { id: 'c', layer: 'company', content: 'Friday deploys are not allowed.' };
    const merged = (since: number) =>
      merge([
        { ...project, validFrom: 2 } as Given,
        { ...company, validFrom: since, ...near } as Given,
      ]);
    const hits = merged(3).hits.map(({ memory, conflictsWith }) => [memory.id, conflictsWith]);
    expect(hits).toEqual([
      ['p', ['c']],
      ['c', ['p']],
    ]);
    expect(ids(merged(2))).toBe('p');
    expect(ids(merged(1))).toBe('p');
  });

  test('a superseded memory is not a duplicate', () => {
    const merged = merge([
      { id: 'a', layer: 'user', validFrom: 2, content: 'same', ...near },
      { id: 'b', layer: 'user', validFrom: 1, content: 'same', state: 'superseded', ...near },
    ]);
    expect(ids(merged)).toBe('a b');
  });

  test('places freed by duplicates go to other memories', () => {
    const copies = Array.from({ length: 40 }, (_, at) => ({
      ...({ id: `d${at}`, layer: 'team', content: 'same', cosine: 0.9 } as const),
    }));
    const others = ['x', 'y'].map((id) => ({ id, layer: 'team', cosine: 0.1 }) as const);
    const merged = merge([...copies, ...others], { limit: 3 });
    expect(merged.hits).toHaveLength(3);
    expect(merged.duplicates).toHaveLength(39);
  });
});
