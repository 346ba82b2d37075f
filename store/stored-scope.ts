/** The record of a scope as its anchor keeps it, and what a write does to it. */
import type { WriteRules } from '#core/ports/write-rules.ts';
import { emptyScopeRecord, type ScopeRecord } from '#core/records/scope-record.ts';
import type { Scope } from '#core/scope.ts';
import { applyChange, type ScopeChange } from '#core/sources/scope-change.ts';

import type { StoredScope } from './database-schema.ts';
import type { Transaction } from './concurrent-writes.ts';

/** The record of a scope, which every scope has whether or not anything was written to it. */
export function storedOrEmpty(stored: StoredScope | null, scope: Scope): StoredScope {
  const { tenant, layer, scopeId } = scope;
  return stored ?? { ...emptyScopeRecord({ tenant, layer, scopeId }), forgottenBefore: 0 };
}

export function recordOf(stored: StoredScope): ScopeRecord {
  const { forgottenBefore: _, ...record } = stored;
  return record;
}

/** Folds a write into its scope, and answers the record after it; null changes nothing. */
export function changeScope(
  transaction: Transaction<StoredScope>,
  { scope, change }: { readonly scope: Scope; readonly change: ScopeChange | null },
  rules: WriteRules,
): ScopeRecord {
  const before = storedOrEmpty(transaction.record, scope);
  if (change === null) return recordOf(before);
  const next = applyChange(recordOf(before), change, rules);
  transaction.set({ ...next, forgottenBefore: before.forgottenBefore });
  return next;
}
