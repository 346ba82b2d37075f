/** Memories by id, complete with their own vectors, for hits that came as ids. */
import type { Memory } from '#core/records/memory.ts';

import type { Connection } from '../connection.ts';
import { memoryTable, type StoredMemory } from '../memory-table.ts';
import { floatsOf, readBytes } from '../vectors.ts';

const OF_IDS = 'tenant = ? AND id IN (SELECT value FROM json_each(?))';

/** The memories of a tenant that are there of the given ids. */
export type MemoriesOfIds = (
  tenant: string,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, Memory>>;

export function memoriesOfIds(connection: Connection): MemoriesOfIds {
  const table = memoryTable(connection);
  return async (tenant, ids) => {
    if (ids.length === 0) return new Map();
    return connection.read(() => {
      const stored = table.select(OF_IDS, [tenant, JSON.stringify(ids)]);
      return new Map(stored.map((row) => [row.id, withVector(connection, row)]));
    });
  };
}

function withVector(connection: Connection, stored: StoredMemory): Memory {
  const { counted: _, ...memory } = stored;
  const { embeddingGeneration } = memory;
  const bytes =
    embeddingGeneration === null ? null : readBytes(connection, memory, embeddingGeneration);
  const vector = bytes === null ? null : numbersOf(floatsOf(bytes));
  // Added and not spread anew: a copy takes as long as the reading.
  return Object.assign(memory, { vector });
}

/** A loop, since spreading a typed array takes twenty times as long. */
function numbersOf(floats: Float32Array): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < floats.length; at += 1) numbers.push(floats[at] ?? 0);
  return numbers;
}
