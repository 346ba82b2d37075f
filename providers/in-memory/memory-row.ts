/** Memories and their rows: vectors of several generations, and what a change is recorded as. */
import { VarveError } from '#core/errors.ts';
import { isLive } from '#core/memory-state.ts';
import type { WriteRules } from '#core/ports/write-rules.ts';
import type { Memory } from '#core/records/memory.ts';
import type { MemoryChange } from '#core/records/memory-change.ts';

import type { Tables } from './database.ts';
import type { MemoryRow, OwnVector } from './rows.ts';

/** Who a change is by where no principal made it. */
const VARVE = 'varve';
/** Fields that every change changes, or that a history does not keep. */
const NOT_KEPT: ReadonlySet<string> = new Set(['version', 'updatedAt', 'counted', 'vectors']);

export function rowOf({ vector, ...memory }: Memory, now: number): MemoryRow {
  const vectors = vectorsOf(memory.embeddingGeneration, vector);
  return { ...memory, counted: isLive(memory, now), vectors };
}

/** The memory with the vector of its own generation. */
export function memoryOf(row: MemoryRow): Memory {
  const { counted: _, vectors, ...memory } = row;
  const own = vectors.find(({ generation }) => generation === memory.embeddingGeneration);
  return { ...memory, vector: own === undefined ? null : [...own.vector] };
}

/** The one vector of a generation, or none. */
export function vectorsOf(
  generation: string | null,
  vector: readonly number[] | null,
): readonly OwnVector[] {
  if (generation === null || vector === null) return [];
  return [{ generation, vector: vector.map(Math.fround) }];
}

/**
 * Notes the length of a generation at its first vector. Changes nothing where it throws.
 * @throws VarveError INVALID_INPUT for a vector that is zero, not finite in 32 bits, or of another
 * length than those of its generation
 */
export function requireVectors(
  tables: Tables,
  tenant: string,
  vectors: readonly OwnVector[],
): void {
  for (const { generation, vector } of vectors) {
    const dimensions = tables.generations.get(tenant, generation)?.dimensions ?? vector.length;
    if (vector.length !== dimensions) {
      throw new VarveError('INVALID_INPUT', 'The vector has not the length of its generation.', {
        details: { expected: dimensions, found: vector.length },
      });
    }
    if (!vector.every(Number.isFinite) || vector.every((value) => value === 0)) {
      throw new VarveError(
        'INVALID_INPUT',
        'The vector is zero or not finite; it has no direction.',
      );
    }
  }
}

export function noteGenerations(
  tables: Tables,
  tenant: string,
  vectors: readonly OwnVector[],
): void {
  for (const { generation, vector } of vectors) {
    if (tables.generations.get(tenant, generation) !== null) continue;
    tables.generations.put({ tenant, generation, dimensions: vector.length });
  }
}

/** Writes the history of one change; `after` is null for a deletion. */
export function noteChange(
  tables: Tables,
  { before, after }: { before: MemoryRow | null; after: MemoryRow | null },
  { action, rules }: { action: MemoryChange['action']; rules: WriteRules },
): void {
  const memory = after ?? before;
  if (memory === null) return;
  const { tenant, id, layer, scopeId } = memory;
  tables.changes.put({
    tenant,
    memoryId: id,
    layer,
    scopeId,
    version: after === null ? memory.version + 1 : after.version,
    at: rules.now,
    principal: rules.by ?? VARVE,
    action,
    before: before === null || after === null ? {} : differing(before, after),
  });
}

/** The fields of `before` that `after` has otherwise. */
function differing(before: MemoryRow, after: MemoryRow): Record<string, unknown> {
  const now: ReadonlyMap<string, unknown> = new Map(Object.entries(after));
  return Object.fromEntries(
    Object.entries(before).filter(
      ([name, value]) =>
        !NOT_KEPT.has(name) && JSON.stringify(value) !== JSON.stringify(now.get(name)),
    ),
  );
}
