/** The rows of scopes, shared by every write that touches a scope. */
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { emptyScopeRecord } from '#core/records/scope-record.ts';
import type { Scope } from '#core/scope.ts';
import { applyChange, type ScopeChange } from '#core/scope-change.ts';
import type { WriteRules } from '#core/ports/store.ts';

import type { Connection } from './connection.ts';
import { recordTable, type RecordTable } from './record-table.ts';

export type ScopeTable = RecordTable<ScopeRecord>;

export function scopeTable(connection: Connection): ScopeTable {
  return recordTable<ScopeRecord>(connection, {
    name: 'scopes',
    key: ['tenant', 'layer', 'scope_id'],
    columns: {
      tenant: 'tenant',
      layer: 'layer',
      scope_id: 'scopeId',
      version: 'version',
      source_count: 'sourceCount',
      source_tokens: 'sourceTokens',
      source_bytes: 'sourceBytes',
      source_hash: 'sourceHash',
      changes: 'changes',
    },
    derived: {
      due_at: lookAt,
      urgent: (record) => (isUrgent(record) ? 1 : 0),
      lease_until: (record) => record.lease?.until ?? null,
      lease_claim_id: (record) => record.lease?.claimId ?? null,
      lease_batch_id: (record) => record.lease?.batchId ?? null,
    },
  });
}

/** The record of a scope, which every scope has whether or not anything was written to it. */
export function scopeOrEmpty(scopes: ScopeTable, scope: Scope): ScopeRecord {
  const { tenant, layer, scopeId } = scope;
  return scopes.find(tenant, layer, scopeId) ?? emptyScopeRecord({ tenant, layer, scopeId });
}

/** Folds a write into its scope; to be called within the transaction of the write. */
export function writeChange(
  scopes: ScopeTable,
  { scope, change }: { scope: Scope; change: ScopeChange },
  rules: WriteRules,
): ScopeRecord {
  const record = applyChange(scopeOrEmpty(scopes, scope), change, rules);
  scopes.put(record);
  return record;
}

/** Dropped sources make it urgent also where a count of changes makes it due a moment earlier. */
function isUrgent(record: ScopeRecord): boolean {
  return record.dueTrigger === 'Urgent' || record.droppedSources.length > 0;
}

/**
 * When a refresh is to look at the scope: at its due mark, or when a source ends by itself, since
 * nobody writes then. After a failure only the mark counts, which the failure has put off.
 */
function lookAt(record: ScopeRecord): number | null {
  const { dueAt, nextExpiryAt } = record;
  if (record.deadLetter !== null) return null;
  if (dueAt === null || nextExpiryAt === null) return dueAt ?? nextExpiryAt;
  return record.attempts > 0 ? dueAt : Math.min(dueAt, nextExpiryAt);
}
