/** The vectors of memories: 32-bit floats in the byte order of the machine, beside their scope. */
import type { Memory } from '#core/records/memory.ts';

import type { Connection } from './connection.ts';

/** What a vector is filed under. */
export type VectorKey = Pick<Memory, 'tenant' | 'id' | 'layer' | 'scopeId' | 'embeddingGeneration'>;

const OF_MEMORY = `tenant = ? AND generation = ? AND layer = ? AND scope_id = ? AND memory_id = ?`;

/** Stores nothing where the memory has no vector or no generation to compare it within. */
export function writeVector(
  connection: Connection,
  key: VectorKey,
  vector: readonly number[] | null,
): void {
  if (vector === null || key.embeddingGeneration === null) return;
  const bytes = new Uint8Array(Float32Array.from(vector).buffer);
  const sql = 'INSERT INTO memory_vectors VALUES (?, ?, ?, ?, ?, ?)';
  connection.run(sql, [...place(key), bytes]);
}

export function readVector(connection: Connection, key: VectorKey): number[] | null {
  if (key.embeddingGeneration === null) return null;
  const sql = `SELECT vector FROM memory_vectors WHERE ${OF_MEMORY}`;
  const blob = connection.first(sql, place(key))?.['vector'];
  return blob instanceof Uint8Array ? [...floatsOf(blob)] : null;
}

export function removeVectors(connection: Connection, key: VectorKey): void {
  if (key.embeddingGeneration === null) return;
  connection.run(`DELETE FROM memory_vectors WHERE ${OF_MEMORY}`, place(key));
}

/** The numbers in a blob, without a copy where its place in memory allows that. */
export function floatsOf(blob: Uint8Array): Float32Array {
  const aligned = blob.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0;
  const { buffer, byteOffset, byteLength } = aligned ? blob : blob.slice();
  return new Float32Array(buffer, byteOffset, byteLength / Float32Array.BYTES_PER_ELEMENT);
}

function place(key: VectorKey): string[] {
  return [key.tenant, key.embeddingGeneration ?? '', key.layer, key.scopeId, key.id];
}
