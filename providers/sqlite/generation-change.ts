/** The steps of a change of generation: vectors beside memories, adopted, and dropped. */
import type { EmbeddingRecords } from '#core/ports/embedding-records.ts';
import type { Layer } from '#core/layer.ts';

import type { Connection, Row } from './connection.ts';
import { memoryTable } from './memory-table.ts';
import { touch } from './touches.ts';
import { removeVector, vectorBytes, writeVector, type VectorKey } from './vectors.ts';

type Write = Parameters<EmbeddingRecords['putVectors']>[1];

interface Generation {
  readonly tenant: string;
  readonly generation: string;
}

const HAS_VECTOR = `EXISTS (
  SELECT 1 FROM memory_vectors v
  WHERE v.tenant = m.tenant AND v.generation = ? AND v.layer = m.layer
    AND v.scope_id = m.scope_id AND v.memory_id = m.id)`;

/** Each a range of one index, so that no adopted memory is looked at again. */
const ADOPTABLE = [
  { isOther: 'm.embedding_generation < ?', takesGeneration: true },
  { isOther: 'm.embedding_generation > ?', takesGeneration: true },
  { isOther: 'm.embedding_generation IS NULL', takesGeneration: false },
] as const;

/** @throws VarveError INVALID_INPUT for a vector that can't be compared; then none is written */
export async function putVectors(
  connection: Connection,
  tenant: string,
  { generation, vectors, own }: Write,
): Promise<number> {
  const given = vectors.map(({ vector, ...rest }) => ({ ...rest, bytes: vectorBytes(vector) }));
  const memories = memoryTable(connection);
  return connection.write(() => {
    let written = 0;
    for (const { id, contentHash, bytes } of given) {
      const memory = memories.find(tenant, id);
      if (memory?.contentHash !== contentHash) continue;
      writeVector(connection, memory, { generation, bytes });
      if (own) makeOwn(connection, memory, generation);
      touch(connection, memory);
      written += 1;
    }
    return written;
  });
}

/** Makes a generation their own for memories that have a vector of it; answers how many. */
export function adoptGeneration(
  connection: Connection,
  { tenant, generation }: Generation,
  limit: number,
): number {
  let adopted = 0;
  for (const { isOther, takesGeneration } of ADOPTABLE) {
    const rows = connection.all(
      `SELECT m.id AS id, m.layer AS layer, m.scope_id AS scope_id FROM memories m
       WHERE m.tenant = ? AND ${isOther} AND ${HAS_VECTOR} LIMIT ?`,
      [tenant, ...(takesGeneration ? [generation] : []), generation, limit - adopted],
    );
    for (const row of rows) {
      const memory = keyOf(tenant, row);
      makeOwn(connection, memory, generation);
      touch(connection, memory);
    }
    adopted += rows.length;
  }
  return adopted;
}

/** Removes vectors of a generation from memories that rely on another; answers how many. */
export function dropGeneration(
  connection: Connection,
  { tenant, generation }: Generation,
  limit: number,
): number {
  const rows = connection.all(
    `SELECT v.memory_id AS id, v.layer AS layer, v.scope_id AS scope_id FROM memory_vectors v
     WHERE v.tenant = ? AND v.generation = ? AND NOT EXISTS (
       SELECT 1 FROM memories m
       WHERE m.tenant = v.tenant AND m.id = v.memory_id AND m.embedding_generation = v.generation
     ) LIMIT ?`,
    [tenant, generation, limit],
  );
  for (const row of rows) {
    const memory = keyOf(tenant, row);
    removeVector(connection, memory, generation);
    touch(connection, memory);
  }
  return rows.length;
}

function makeOwn(connection: Connection, { tenant, id }: VectorKey, generation: string): void {
  connection.run('UPDATE memories SET embedding_generation = ? WHERE tenant = ? AND id = ?', [
    generation,
    tenant,
    id,
  ]);
}

/** Written from a parsed memory, so that the cast says what the column holds. */
function keyOf(tenant: string, row: Row): VectorKey {
  return {
    tenant,
    id: String(row['id']),
    layer: row['layer'] as Layer,
    scopeId: String(row['scope_id']),
  };
}
