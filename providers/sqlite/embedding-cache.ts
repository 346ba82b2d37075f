/**
 * Vectors by content: of memories that have the content now, and of those that had it last. Owner:
 * the database. Key: tenant, generation, content hash. A vector never changes, so nothing
 * invalidates it; beyond a bound the oldest is dropped.
 */
import { toNumbers } from '#core/to-numbers.ts';
import { contentStartOf } from '#store/record-kinds-and-indexes.ts';
import type { Connection } from './connection.ts';
import {
  floatsOf,
  storedGenerations,
  readBytes,
  removeVector,
  type VectorKey,
} from './memory-vectors.ts';

/** Maximum contents of a tenant that no memory has anymore; each takes some kilobytes. */
const FORGOTTEN_CONTENTS_MAX = 1_000;

/** Returns the vector of a content that a memory of the tenant has, or had recently. */
function cachedVector(
  connection: Connection,
  { tenant, generation, contentHash }: { tenant: string; generation: string; contentHash: string },
): number[] | null {
  const ofMemories = [tenant, contentStartOf(contentHash), contentHash];
  const row = connection.first(
    `SELECT v.vector AS vector FROM memories m JOIN memory_vectors v
       ON v.tenant = m.tenant AND v.generation = ? AND v.layer = m.layer
       AND v.scope_id = m.scope_id AND v.memory_id = m.id
     WHERE m.tenant = ? AND m.content_start = ? AND m.content_hash = ?
     UNION ALL
     SELECT vector FROM embedding_cache
     WHERE tenant = ? AND generation = ? AND content_hash = ?
     LIMIT 1`,
    [generation, ...ofMemories, tenant, generation, contentHash],
  );
  const blob = row?.['vector'];
  return blob instanceof Uint8Array ? toNumbers(floatsOf(blob)) : null;
}

/** Moves the vectors of all generations from a memory to the cache of its content. */
export function releaseVectors(
  connection: Connection,
  memory: VectorKey & { readonly contentHash: string },
  now: number,
): void {
  const { tenant, contentHash } = memory;
  for (const generation of storedGenerations(connection, tenant)) {
    const bytes = readBytes(connection, memory, generation);
    if (bytes === null) continue;
    removeVector(connection, memory, generation);
    connection.run('INSERT OR REPLACE INTO embedding_cache VALUES (?, ?, ?, ?, ?)', [
      tenant,
      generation,
      contentHash,
      now,
      bytes,
    ]);
  }
  dropOldest(connection, tenant);
}

function dropOldest(connection: Connection, tenant: string): void {
  const count = 'SELECT count(*) AS n FROM embedding_cache WHERE tenant = ?';
  const beyond = Number(connection.first(count, [tenant])?.['n']) - FORGOTTEN_CONTENTS_MAX;
  if (beyond <= 0) return;
  connection.run(
    `DELETE FROM embedding_cache WHERE tenant = ? AND (generation, content_hash) IN (
       SELECT generation, content_hash FROM embedding_cache
       WHERE tenant = ? ORDER BY used_at LIMIT ?
     )`,
    [tenant, tenant, beyond],
  );
}

/** Returns the known vectors of contents. No snapshot is needed: a vector never changes. */
export function cachedVectors(
  connection: Connection,
  tenant: string,
  { generation, contentHashes }: { generation: string; contentHashes: readonly string[] },
): Promise<ReadonlyMap<string, readonly number[]>> {
  return connection.patiently(() => {
    const found = new Map<string, readonly number[]>();
    for (const contentHash of contentHashes) {
      const vector = cachedVector(connection, { tenant, generation, contentHash });
      if (vector !== null) found.set(contentHash, vector);
    }
    return found;
  });
}
