/** Converts between a memory as callers see it and as it is stored. */
import { historyStart } from '#core/sources/memory-history.ts';
import { isLive } from '#core/sources/memory-lifecycle.ts';
import type { AddRules } from '#core/ports/write-rules-and-outcomes.ts';
import type { Memory } from '#core/records/memory.ts';
import type { StoredMemory } from './record-kinds-and-indexes.ts';

/** Maximum memories that one memory is recorded to have ended. */
export const ENDED_MAX = 100;

/** Returns the memory as callers see it, with its own vector. */
export function memoryOf(stored: StoredMemory): Memory {
  const own = stored.vectors?.find(({ generation }) => generation === stored.embeddingGeneration);
  return { ...withoutVector(stored), vector: own === undefined ? null : [...own.vector] };
}

/**
 * Returns a memory without its vectors, which follow from the content, and the store's own fields.
 */
export function withoutVector(
  stored: Omit<StoredMemory, 'vectors'> & Partial<StoredMemory>,
): Omit<Memory, 'vector'> {
  const {
    counted: _,
    historyStart: _1,
    ended: _2,
    vectors: _3,
    mentionedBy: _4,
    ...memory
  } = stored;
  return memory;
}

export function storedMemory(memory: Memory, rules: AddRules): StoredMemory {
  const { vector: _, ...rest } = memory;
  const counted = isLive(memory, rules.now);
  const start = historyStart(memory, rules);
  const stored = { ...rest, counted, historyStart: start, vectors: vectorsOf(memory) };
  return { ...stored, ...endedBy([], rules.supersedes) };
}

/** A memory that ends nothing keeps no list. */
export function endedBy(
  before: readonly string[],
  more: readonly string[] = [],
): Pick<StoredMemory, 'ended'> {
  const ended = [...new Set([...before, ...more])].slice(-ENDED_MAX);
  return ended.length === 0 ? {} : { ended };
}

/** Empty if the memory has no vector, or no generation to compare it in. */
export function vectorsOf({
  vector,
  embeddingGeneration,
}: Pick<Memory, 'vector' | 'embeddingGeneration'>): StoredMemory['vectors'] {
  if (vector === null || embeddingGeneration === null) return [];
  return [{ generation: embeddingGeneration, vector }];
}
