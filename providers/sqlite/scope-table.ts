/** The rows of scopes, shared by every write that touches a scope. */
import { lookAt } from '#core/due.ts';
import {
  emptyScopeRecord,
  SCOPE_RECORD_DEFAULTS,
  type ScopeRecord,
} from '#core/records/scope-record.ts';
import type { Scope } from '#core/scope.ts';
import { applyChange, type ScopeChange } from '#core/scope-change.ts';
import type { WriteRules } from '#core/ports/write-rules.ts';

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
    absent: SCOPE_RECORD_DEFAULTS,
    derived: {
      due_at: lookAt,
      urgent: (record) => (isUrgent(record) ? 1 : 0),
      lease_until: (record) => record.lease?.until ?? null,
      lease_claim_id: (record) => record.lease?.claimId ?? null,
      lease_batch_id: (record) => record.lease?.batchId ?? null,
    },
    steady: ['due_at', 'urgent', 'lease_until', 'lease_claim_id', 'lease_batch_id'],
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
