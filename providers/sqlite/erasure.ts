/**
 * Erasure of a tenant: whatever bears its id, in bounded transactions. What is deleted is
 * overwritten where it lay; pages that other changes freed earlier keep what they held until they
 * are used again, or until the file is rewritten (VACUUM).
 */
import { requireErasable } from '#core/policy-claim.ts';
import type { ErasureStep, Store } from '#core/ports/store.ts';

import type { Connection } from './connection.ts';
import { policyTable, readState } from './policies.ts';
import { leaveGap } from './touches.ts';

/** The rows of a table that are one tenant's, by their key. */
interface ErasedTable {
  readonly name: string;
  /** Columns of the primary key. */
  readonly key: readonly string[];
}

/** What readers are served goes first. */
export const ERASED_TABLES: readonly ErasedTable[] = [
  { name: 'summaries', key: ['tenant', 'layer', 'scope_id', 'audience'] },
  { name: 'variants', key: ['tenant', 'layer', 'scope_id', 'audience'] },
  { name: 'segments', key: ['tenant', 'layer', 'scope_id', 'segment_id'] },
  { name: 'lineage', key: ['tenant', 'source_id', 'kind', 'layer', 'scope_id', 'part'] },
  { name: 'memories', key: ['tenant', 'id'] },
  { name: 'memory_terms', key: ['tenant', 'layer', 'scope_id', 'memory_id'] },
  { name: 'memory_vectors', key: ['tenant', 'generation', 'layer', 'scope_id', 'memory_id'] },
  { name: 'memory_changes', key: ['tenant', 'memory_id', 'version'] },
  { name: 'memory_touches', key: ['tenant', 'layer', 'scope_id', 'seq'] },
  { name: 'embedding_cache', key: ['tenant', 'generation', 'content_hash'] },
  { name: 'embeddings', key: ['tenant'] },
  { name: 'turns', key: ['tenant', 'session_id', 'sequence'] },
  { name: 'scopes', key: ['tenant', 'layer', 'scope_id'] },
  { name: 'documents', key: ['tenant', 'subject', 'path', 'version'] },
  { name: 'proposals', key: ['tenant', 'id'] },
  { name: 'subjects', key: ['tenant', 'subject'] },
  { name: 'dream_schedules', key: ['tenant', 'name'] },
  { name: 'answers', key: ['tenant', 'attempt_id'] },
  { name: 'ledger', key: ['tenant', 'attempt_id'] },
  { name: 'accounts', key: ['tenant', 'period'] },
  { name: 'wakes', key: ['tenant'] },
  { name: 'events', key: ['tenant', 'id'] },
  { name: 'outbox', key: ['tenant', 'id'] },
  { name: 'idempotency', key: ['tenant', 'key'] },
  { name: 'audit', key: ['tenant', 'id'] },
];

export function erasure(connection: Connection): Store['eraseTenant'] {
  const policies = policyTable(connection);
  return (tenant, { limit, by, keepsPolicy = false }) =>
    connection.write(() => {
      if (by !== undefined) {
        const { owner } = by;
        requireErasable(readState(connection, policies, { tenant, owner }), by);
      }
      return eraseStep(connection, tenant, { limit, keepsPolicy });
    });
}

function eraseStep(
  connection: Connection,
  tenant: string,
  { limit, keepsPolicy }: { limit: number; keepsPolicy: boolean },
): ErasureStep {
  connection.script('PRAGMA secure_delete = ON');
  try {
    let deleted = 0;
    for (const table of ERASED_TABLES) {
      if (deleted >= limit) return { deleted, isDone: false };
      if (table.name === 'memory_touches') leaveGap(connection, tenant, limit - deleted);
      deleted += eraseRows(connection, table, { tenant, limit: limit - deleted });
    }
    if (deleted >= limit) return { deleted, isDone: false };
    if (keepsPolicy) return { deleted, isDone: true };
    deleted += connection.run('DELETE FROM policies WHERE tenant = ?', [tenant]);
    return { deleted, isDone: true };
  } finally {
    connection.script('PRAGMA secure_delete = OFF');
  }
}

/** The first rows by their key, so that each step takes up where the last one ended. */
function eraseRows(
  connection: Connection,
  { name, key }: ErasedTable,
  { tenant, limit }: { tenant: string; limit: number },
): number {
  const columns = key.join(', ');
  return connection.run(
    `DELETE FROM ${name} WHERE tenant = ? AND (${columns}) IN (
       SELECT ${columns} FROM ${name} WHERE tenant = ? ORDER BY ${columns} LIMIT ?
     )`,
    [tenant, tenant, limit],
  );
}
