/** The vectors of memories, with their scope: rows of words in the byte order of the machine. */
import type { Memory } from '#core/records/memory.ts';
import { numbersIn, rowOf, rowsOf, type VectorRows } from '#core/search/vector-rows.ts';
import type { Connection } from './connection.ts';

/** The memory that a vector belongs to; a memory has at most one vector per generation. */
export type VectorKey = Pick<Memory, 'tenant' | 'id' | 'layer' | 'scopeId'>;

/** A change of the model uses two generations; more are leftovers. */
const GENERATIONS_MAX = 16;

const BYTES_PER_WORD = Uint32Array.BYTES_PER_ELEMENT;

const OF_MEMORY = `tenant = ? AND generation = ? AND layer = ? AND scope_id = ? AND memory_id = ?`;

/** Writes the vector of a generation, replacing an existing one. */
export function writeVector(
  connection: Connection,
  key: VectorKey,
  { generation, vector }: { readonly generation: string; readonly vector: readonly number[] },
): void {
  const { buffer, byteOffset, byteLength } = rowOf(Float32Array.from(vector));
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
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

/** Returns generations that any memory of the tenant has a vector of; one index step each. */
export function storedGenerations(connection: Connection, tenant: string): readonly string[] {
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

/** Returns the rows of concatenated vector blobs; null if their lengths differ. */
export function rowsOfBlobs(
  joined: Uint8Array<ArrayBuffer>,
  lengths: readonly number[],
): VectorRows | null {
  if (lengths.some((length) => length % BYTES_PER_WORD !== 0)) return null;
  return rowsOf(
    uint32View(joined),
    lengths.map((length) => length / BYTES_PER_WORD),
  );
}

/** Returns the numbers in a blob; none if it is damaged. */
export function floatsOf(blob: Uint8Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  const rows = rowsOfBlobs(blob, [blob.length]);
  return rows === null ? new Float32Array(0) : numbersIn(rows);
}

/** Views bytes as words, without a copy if their alignment allows it. */
export function uint32View(bytes: Uint8Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const aligned = bytes.byteOffset % BYTES_PER_WORD === 0;
  const { buffer, byteOffset, byteLength } = aligned ? bytes : bytes.slice();
  return new Uint32Array(buffer, byteOffset, byteLength / BYTES_PER_WORD);
}

function place(key: VectorKey, generation: string): string[] {
  return [key.tenant, generation, key.layer, key.scopeId, key.id];
}
