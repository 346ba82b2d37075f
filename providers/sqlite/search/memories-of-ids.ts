/** Memories by id, complete with their own vectors, for hits that came as ids. */
import type { Memory } from '#core/records/memory.ts';
import type { StoredMemory } from '#store/kinds.ts';

import type { Connection, Row } from '../connection.ts';
import { parsedRecord } from '../record-rows.ts';
import { floatsOf, numbersOf } from '../vectors.ts';

/** The memories of a tenant that are there of the given ids. */
export type MemoriesOfIds = (
  tenant: string,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, Memory>>;

const WITH_OWN_VECTOR = `
  SELECT m.id AS id, m.record AS record, v.vector AS vector
  FROM memories m LEFT JOIN memory_vectors v ON v.tenant = m.tenant
    AND v.generation = m.embedding_generation AND v.layer = m.layer
    AND v.scope_id = m.scope_id AND v.memory_id = m.id
  WHERE m.tenant = ? AND m.id IN (SELECT value FROM json_each(?))`;

export function memoriesOfIds(connection: Connection): MemoriesOfIds {
  return async (tenant, ids) => {
    if (ids.length === 0) return new Map();
    return connection.readOne(() => {
      const rows = connection.all(WITH_OWN_VECTOR, [tenant, JSON.stringify(ids)]);
      return new Map(rows.map((row) => [String(row['id']), memoryOf(row)]));
    });
  };
}

function memoryOf({ record, vector }: Row): Memory {
  const stored = parsedRecord('memories', record) as Omit<StoredMemory, 'vectors'>;
  const { counted: _, ...memory } = stored;
  // Added and not spread anew: a copy takes as long as the reading.
  return Object.assign(memory, {
    vector: vector instanceof Uint8Array ? numbersOf(floatsOf(vector)) : null,
  });
}
