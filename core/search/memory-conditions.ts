/** Decides whether a search may find a memory: the single definition of `MemoryConditions`. */
import { expiryOf } from '../sources/memory-lifecycle.ts';
import type { Memory } from '../records/memory.ts';
import { matchesFilter } from './filter-match.ts';
import type { MemoryConditions } from './scope-search.ts';

/** The fields that the conditions examine. */
export interface Conditioned extends Pick<Memory, 'state' | 'kind' | 'tags' | 'metadata'> {
  /** `hiddenFrom` of the memory; null if time alone never hides it. */
  readonly endsAt: number | null;
}

/**
 * Returns the time from which no search finds a memory, in milliseconds since the epoch. A
 * superseded memory is already no longer true, so only its expiry hides it from searches for past
 * truths.
 */
export function hiddenFrom(memory: Pick<Memory, 'state' | 'expiresAt' | 'validTo'>): number | null {
  return memory.state === 'superseded' ? memory.expiresAt : expiryOf(memory);
}

/** Returns whether a search or list with these conditions may return the memory. */
export function meetsConditions(memory: Conditioned, conditions: MemoryConditions): boolean {
  return (
    isFindable(memory, conditions) &&
    (conditions.kind === null || memory.kind === conditions.kind) &&
    (conditions.tags.length === 0 || memory.tags.some((tag) => conditions.tags.includes(tag))) &&
    (conditions.filter === null || matchesFilter(conditions.filter, memory.metadata))
  );
}

function isFindable(
  { state, endsAt }: Pick<Conditioned, 'state' | 'endsAt'>,
  { now, latestOnly }: MemoryConditions,
): boolean {
  if (endsAt !== null && endsAt <= now) return false;
  return state === 'active' || (state === 'superseded' && !latestOnly);
}
