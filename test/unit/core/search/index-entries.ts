/** Entries and queries of scope indexes, with what a test does not care about filled in. */
import type { IndexEntry } from '#core/search/scope-index.ts';
import type { MemoryConditions, ScopeQuery } from '#core/search/scope-search.ts';

const NOW = 1_000;

export function entryOf(entry: Partial<IndexEntry> & { id: string }): IndexEntry {
  return {
    kind: 'memory',
    state: 'active',
    tags: [],
    metadata: {},
    validFrom: 0,
    endsAt: null,
    terms: [],
    vectors: [],
    ...entry,
  };
}

export function vectorOf(...values: readonly number[]): IndexEntry['vectors'] {
  return [{ generation: 'one', vector: Float32Array.from(values) }];
}

export function queryOf({
  conditions = {},
  ...query
}: Partial<Omit<ScopeQuery, 'conditions'>> & {
  conditions?: Partial<MemoryConditions>;
}): ScopeQuery {
  return {
    conditions: { now: NOW, latestOnly: true, tags: [], filter: null, kind: null, ...conditions },
    terms: null,
    vectors: [],
    limit: 10,
    ...query,
  };
}
