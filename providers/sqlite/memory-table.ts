/** The rows of memories, and what a memory is to its scope. */
import { endOf } from '#core/memory-state.ts';
import type { Memory } from '#core/records/memory.ts';

import type { Connection } from './connection.ts';
import { recordTable, type RecordTable } from './record-table.ts';

/** A memory without its vector, which has a table of its own. */
export interface StoredMemory extends Omit<Memory, 'vector'> {
  /**
   * 1 while its lane is in the source hash of its scope. A source that ends by itself stays counted
   * until a refresh recounts, so the state alone does not tell.
   */
  readonly counted: 0 | 1;
}

export type MemoryTable = RecordTable<StoredMemory>;

/** The condition of being a source; takes the time. */
export const LIVE = `state = 'active' AND (ends_at IS NULL OR ends_at > ?)`;

export function memoryTable(connection: Connection): MemoryTable {
  return recordTable<StoredMemory>(connection, {
    name: 'memories',
    key: ['tenant', 'id'],
    columns: {
      tenant: 'tenant',
      id: 'id',
      layer: 'layer',
      scope_id: 'scopeId',
      kind: 'kind',
      key: 'key',
      state: 'state',
      content_hash: 'contentHash',
      valid_from: 'validFrom',
      valid_to: 'validTo',
      expires_at: 'expiresAt',
      counted: 'counted',
      version: 'version',
      created_at: 'createdAt',
      updated_at: 'updatedAt',
      token_count: 'tokenCount',
      embedding_generation: 'embeddingGeneration',
    },
    derived: { ends_at: endOf },
  });
}
