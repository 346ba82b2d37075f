/** A memory as an answer shows it: without its vector unless that is asked for. */
import type { Memory } from '#core/records/memory.ts';
import type { ShownMemory } from './operations/answers.ts';

export function shownMemory(memory: Memory, includeVector: boolean): ShownMemory {
  if (includeVector) return memory;
  const { vector: _, ...shown } = memory;
  return shown;
}
