/** A query of the index: always in one scope, with filters that mean the same there. */
import fc from 'fast-check';
import { Query } from 'mingo';
import type { Document } from 'mongodb';
import { describe, expect, it } from 'vitest';

import { meetsConditions } from '#core/search/memory-conditions.ts';
import type { MemoryConditions } from '#core/search/scope-search.ts';
import type { Scope } from '#core/scope.ts';
import { scopeFilter, conditionsFilter } from '#providers/mongodb/filter-condition.ts';
import { desiredIndex } from '#providers/mongodb/vector-index/index-definition.ts';
import {
  CANDIDATES_MAX,
  EXACT_MEMORIES_MAX,
  indexFilter,
  vectorStages,
} from '#providers/mongodb/vector-index/vector-leg.ts';
import { NEVER } from '#store/record-kinds-and-indexes.ts';
import { predicateOf } from '#test/cluster/atlas-peer/filter-language.ts';
import { entryOf } from '#test/cluster/atlas-peer/index-entry.ts';

const NOW = 1_000;
const SCOPE: Scope = { tenant: 'acme', layer: 'user', scopeId: 'ann' };
const ANY: MemoryConditions = { now: NOW, latestOnly: true, tags: [], filter: null, kind: null };
const { definition } = desiredIndex('hash-1', 2);
const DECLARED = new Set(
  definition.fields.filter(({ type }) => type === 'filter').map(({ path }) => path),
);

const scopes = fc.record<Scope>({
  tenant: fc.constantFrom('acme', 'other'),
  layer: fc.constantFrom('user', 'team'),
  scopeId: fc.constantFrom('ann', 'bob'),
});
const memories = fc.record({
  state: fc.constantFrom('active' as const, 'superseded' as const, 'quarantined' as const),
  kind: fc.constantFrom('memory' as const, 'entity' as const),
  tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
  metadata: fc.constant({}),
  endsAt: fc.constantFrom(null, NOW - 1, NOW, NOW + 1),
});
const asked = fc.record<MemoryConditions>({
  now: fc.constant(NOW),
  latestOnly: fc.boolean(),
  tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'd')),
  filter: fc.constant(null),
  kind: fc.constantFrom(null, 'memory', 'entity'),
});

function documentOf(scope: Scope, memory: { endsAt: number | null } & Document): Document {
  const { tenant, layer, scopeId } = scope;
  const { endsAt, state, kind, ...rest } = memory;
  const columns = { layer, scopeId, state, kind, hiddenAt: endsAt ?? NEVER };
  return { _id: { tenant, id: 'm-1' }, c: columns, ...rest };
}

function stagesOf(differing: Partial<Parameters<typeof vectorStages>[0]> = {}) {
  const query = { generation: 'hash-1', vector: [1, 0] };
  return vectorStages({
    scope: SCOPE,
    query,
    conditions: ANY,
    limit: 50,
    memoryCount: 10,
    ...differing,
  });
}

function searchOf(stages: readonly Document[]): Document {
  return (stages[0] as { $vectorSearch: Document }).$vectorSearch;
}

describe('a query of the vector index', () => {
  it('VEC-09: filters, matches and checks conditions alike', () => {
    fc.assert(
      fc.property(scopes, memories, asked, (scope, memory, conditions) => {
        const document = documentOf(scope, memory);
        const isHere = (['tenant', 'layer', 'scopeId'] as const).every(
          (name) => scope[name] === SCOPE[name],
        );
        const expected = isHere && meetsConditions(memory, conditions);
        const { values } = entryOf(document, definition);
        expect(predicateOf(indexFilter(SCOPE, conditions), DECLARED)(values)).toBe(expected);
        const match = new Query({ ...scopeFilter(SCOPE), ...conditionsFilter(conditions) });
        expect(match.test(document)).toBe(expected);
      }),
    );
  });

  it('VEC-10: is refused if the scope lacks a name', () => {
    for (const name of ['tenant', 'layer', 'scopeId']) {
      const scope = { ...SCOPE, [name]: '' };
      expect(() => indexFilter(scope, ANY)).toThrow('has to name tenant, layer and scope');
    }
  });

  it('VEC-11: begins with the search, then matches scope and conditions again', () => {
    const stages = stagesOf();
    expect(stages.map((stage) => Object.keys(stage)[0])).toEqual([
      '$vectorSearch',
      '$set',
      '$match',
      '$project',
    ]);
    const match = stages[2]?.['$match'] as Document;
    expect(match).toMatchObject({ '_id.tenant': 'acme', 'c.layer': 'user', 'c.scopeId': 'ann' });
    expect(match).toMatchObject({ 'c.state': 'active', 'c.hiddenAt': { $gt: NOW } });
    expect(stages[3]).toEqual({ $project: { score: 1 } });
  });

  const BREADTHS: readonly (readonly [number, number, Document])[] = [
    [0, 50, { exact: true }],
    [EXACT_MEMORIES_MAX - 1, 50, { exact: true }],
    [EXACT_MEMORIES_MAX, 50, { numCandidates: 1_000 }],
    [1_000_000, 499, { numCandidates: 9_980 }],
    [1_000_000, 501, { numCandidates: CANDIDATES_MAX }],
    [1_000_000, CANDIDATES_MAX, { numCandidates: CANDIDATES_MAX }],
  ];

  it.each(BREADTHS)(
    'VEC-12: over %i memories for %i rows uses %o',
    (memoryCount, limit, breadth) => {
      const { exact, numCandidates } = searchOf(stagesOf({ memoryCount, limit }));
      expect(JSON.parse(JSON.stringify({ exact, numCandidates }))).toEqual(breadth);
    },
  );
});
