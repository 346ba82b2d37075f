/** The record of a scope, and what a write does to it. */
import type { WriteRules } from '#core/ports/write-rules.ts';
import {
  emptyScopeRecord,
  type DroppedSource,
  type ScopeRecord,
} from '#core/records/scope-record.ts';
import { applyChange, type ScopeChange } from '#core/scope-change.ts';
import type { Scope } from '#core/scope.ts';

import type { Tables } from './database.ts';
import type { MemoryRow } from './rows.ts';

/** The record of a scope, which every scope has whether or not anything was written to it. */
export function scopeOrEmpty(tables: Tables, { tenant, layer, scopeId }: Scope): ScopeRecord {
  return tables.scopes.get(tenant, layer, scopeId) ?? emptyScopeRecord({ tenant, layer, scopeId });
}

/** Folds a write into its scope; null where the scope does not see it. */
export function writeChange(
  tables: Tables,
  { scope, change }: { scope: Scope; change: ScopeChange | null },
  rules: WriteRules,
): ScopeRecord {
  const before = scopeOrEmpty(tables, scope);
  if (change === null) return before;
  const record = applyChange(before, change, rules);
  tables.scopes.put(record);
  return record;
}

/** Whether a current summary of the memory's scope, for whatever audience, cites the memory. */
export function droppedSource(
  tables: Tables,
  { tenant, layer, scopeId, id }: MemoryRow,
  reason: DroppedSource['reason'],
): DroppedSource | null {
  const isCited = tables.summaries
    .group(tenant)
    .filter((summary) => summary.layer === layer && summary.scopeId === scopeId)
    .some(({ facts }) => facts.some(({ sources }) => sources.includes(id)));
  return isCited ? { id, reason } : null;
}
