/** The nearest memories by exact cosine: every vector of the scopes is looked at. */
import { VarveError } from '#core/errors.ts';
import { isLive } from '#core/memory-state.ts';
import type { MemoryRecords, Neighbour } from '#core/ports/memory-records.ts';
import type { Scope } from '#core/scope.ts';
import { cosine } from '#core/vector.ts';

import type { Tables } from './database.ts';
import { memoryOf } from './memory-row.ts';

/** @throws VarveError INVALID_INPUT for a vector of another length than those of its generation */
export function nearestMemories(
  tables: Tables,
  scopes: readonly Scope[],
  query: Parameters<MemoryRecords['nearest']>[1],
): readonly Neighbour[] {
  return scopes
    .flatMap(({ tenant, layer, scopeId }) => tables.memories.group(tenant, layer, scopeId))
    .filter((row) => row.embeddingGeneration === query.generation && isLive(row, query.now))
    .map((row) => memoryOf(row))
    .flatMap((memory) => {
      if (memory.vector === null) return [];
      return [{ memory, cosine: comparable(memory.vector, query.vector) }];
    })
    .toSorted((a, b) => b.cosine - a.cosine || (a.memory.id < b.memory.id ? -1 : 1))
    .slice(0, query.limit);
}

function comparable(kept: readonly number[], wanted: readonly number[]): number {
  if (kept.length !== wanted.length) {
    throw new VarveError('INVALID_INPUT', 'The vector has not the length of its generation.', {
      details: { expected: kept.length, found: wanted.length },
    });
  }
  return cosine(kept, wanted);
}
