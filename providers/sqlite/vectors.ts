/** The vectors of memories: 32-bit floats in the byte order of the machine, beside their scope. */
import type { Memory } from '#core/records/memory.ts';

import type { Connection } from './connection.ts';

/** The memory that a vector belongs to; it has at most one of each generation. */
export type VectorKey = Pick<Memory, 'tenant' | 'id' | 'layer' | 'scopeId'>;

/** A change of the model has two generations under way; more are what was left behind. */
const GENERATIONS_MAX = 16;

const OF_MEMORY = `tenant = ? AND generation = ? AND layer = ? AND scope_id = ? AND memory_id = ?`;

/** Writes the vector of a generation whether there was one or not. */
export function writeVector(
  connection: Connection,
  key: VectorKey,
  { generation, vector }: { readonly generation: string; readonly vector: readonly number[] },
): void {
  const bytes = new Uint8Array(new Float32Array(vector).buffer);
  const sql = 'INSERT OR REPLACE INTO memory_vectors VALUES (?, ?, ?, ?, ?, ?)';
  connection.run(sql, [...place(key, generation), bytes]);
}

export function readBytes(
  connection: Connection,
  key: VectorKey,
  generation: string,
): Uint8Array<ArrayBuffer> | null {
  const sql = `SELECT vector FROM memory_vectors WHERE ${OF_MEMORY}`;
  const blob = connection.first(sql, place(key, generation))?.['vector'];
  return blob instanceof Uint8Array ? blob : null;
}

export function removeVector(connection: Connection, key: VectorKey, generation: string): boolean {
  const sql = `DELETE FROM memory_vectors WHERE ${OF_MEMORY}`;
  return connection.run(sql, place(key, generation)) > 0;
}

/** The generations that any memory of the tenant has a vector of; one step of the index each. */
export function generationsOf(connection: Connection, tenant: string): readonly string[] {
  const found: string[] = [];
  while (found.length < GENERATIONS_MAX) {
    const row = connection.first(
      `SELECT generation FROM memory_vectors
       WHERE tenant = ? AND generation > ? ORDER BY generation LIMIT 1`,
      [tenant, found.at(-1) ?? ''],
    );
    if (row === null) break;
    found.push(String(row['generation']));
  }
  return found;
}

/** The numbers in a blob, without a copy where its place in memory allows that. */
export function floatsOf(blob: Uint8Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  const aligned = blob.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0;
  const { buffer, byteOffset, byteLength } = aligned ? blob : blob.slice();
  return new Float32Array(buffer, byteOffset, byteLength / Float32Array.BYTES_PER_ELEMENT);
}

/** A loop, since spreading a typed array takes twenty times as long. */
export function numbersOf(floats: Float32Array): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < floats.length; at += 1) numbers.push(floats[at] ?? 0);
  return numbers;
}

function place(key: VectorKey, generation: string): string[] {
  return [key.tenant, generation, key.layer, key.scopeId, key.id];
}
