/** The indexes of scopes that were searched, kept in step with every commit. */
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import { scopeKey, type Scope } from '#core/scope.ts';
import { createScopeIndex, indexEntryOf, type ScopeIndex } from '#core/search/scope-index.ts';
import type { ScopeHits, ScopeQuery } from '#core/search/scope-search.ts';

import type { Tables } from './database.ts';
import { memoryOf } from './memory-row.ts';
import type { MemoryRow } from './rows.ts';
import type { Replaced } from './table.ts';

/** As many as there are scopes: the store keeps everything in memory anyway. */
export interface ScopeIndexes {
  search(scope: Scope, query: ScopeQuery): ScopeHits;
}

/** Follows what commits change; a scope is indexed when it is first searched. */
export function scopeIndexes(analyzer: TextAnalyzer): {
  readonly over: (tables: Tables) => ScopeIndexes;
  readonly onMemories: (replaced: readonly Replaced<MemoryRow>[]) => void;
} {
  const indexes = new Map<string, ScopeIndex>();
  const put = (index: ScopeIndex, row: MemoryRow): void => {
    const vectors = row.vectors.map(({ generation, vector }) => {
      return { generation, vector: Float32Array.from(vector) };
    });
    index.put(indexEntryOf(row, { terms: analyzer.terms(row.content), vectors }));
  };
  const indexOf = (tables: Tables, { tenant, layer, scopeId }: Scope): ScopeIndex => {
    const key = scopeKey({ tenant, layer, scopeId });
    const known = indexes.get(key);
    if (known !== undefined) return known;
    const index = createScopeIndex({ conversation: layer === 'session' });
    for (const row of tables.memories.group(tenant, layer, scopeId)) put(index, row);
    indexes.set(key, index);
    return index;
  };
  return {
    onMemories(replaced) {
      for (const { before, after } of replaced) {
        const row = after ?? before;
        if (row === null) continue;
        const { tenant, layer, scopeId } = row;
        const index = indexes.get(scopeKey({ tenant, layer, scopeId }));
        if (after === null) index?.remove(row.id);
        else if (index !== undefined) put(index, after);
      }
    },
    over: (tables) => ({
      search(scope, query) {
        const { hits, compared } = indexOf(tables, scope).search(query);
        const candidates = hits.flatMap(({ id, ...scores }) => {
          const row = tables.memories.get(scope.tenant, id);
          return row === null ? [] : [{ memory: memoryOf(row), ...scores }];
        });
        return { candidates, path: 'Memory', compared };
      },
    }),
  };
}
