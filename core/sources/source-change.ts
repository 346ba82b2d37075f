/**
 * Computes how adding, changing and removing a memory changes its scope
 * (core/refresh/scope-transitions.ts).
 */
import { sourceLane, type Digest } from '../hash.ts';
import { expiryOf } from './memory-lifecycle.ts';
import type { Memory } from '../records/memory.ts';
import type { DroppedSource } from '../records/scope-record.ts';
import { memorySource } from './source.ts';

/** One write, as its scope sees it. Counts are differences. */
export interface ScopeChange {
  /** Lanes (core/hash.ts) to fold in, of added and of removed sources. */
  readonly lanes: readonly string[];
  readonly sources: number;
  readonly tokens: number;
  /** Bytes of content in UTF-8, for the metric `memory_storage_size`. */
  readonly bytes: number;
  /** Ids that the current summary cites and that were deleted or replaced. */
  readonly dropped: readonly DroppedSource[];
  /** Ids of sources that were added or whose content changed. */
  readonly written: readonly string[];
  /** When the written source expires, if it does. */
  readonly expiresAt: number | null;
  /** Number of writes: a call that appends several turns makes one change per turn. */
  readonly changes?: number;
}

/** A memory, and whether its lane is in the source hash of its scope. */
interface CountedMemory extends Omit<Memory, 'vector'> {
  readonly counted: boolean | 0 | 1;
}

/** Returns null if the memory is not a source of the scope, which then does not see the write. */
export function additionOf(digest: Digest, memory: CountedMemory): ScopeChange | null {
  if (!memory.counted) return null;
  const source = memorySource(memory);
  return {
    lanes: [sourceLane(digest, source)],
    sources: 1,
    tokens: source.tokens,
    bytes: source.bytes,
    dropped: [],
    written: [memory.id],
    expiresAt: expiryOf(memory),
  };
}

/** Returns null if the memory was neither a source nor cited. */
export function removalOf(
  digest: Digest,
  memory: CountedMemory,
  dropped: DroppedSource | null,
): ScopeChange | null {
  const { counted } = memory;
  if (!counted && dropped === null) return null;
  const source = memorySource(memory);
  return {
    lanes: counted ? [sourceLane(digest, source)] : [],
    sources: counted ? -1 : 0,
    tokens: counted ? -source.tokens : 0,
    bytes: counted ? -source.bytes : 0,
    dropped: dropped === null ? [] : [dropped],
    written: [],
    expiresAt: null,
  };
}

/** Returns null if text, day and expiry are the same, or if the memory is not a source. */
export function replacementOf(
  digest: Digest,
  { before, after }: { before: CountedMemory; after: CountedMemory },
  dropped: DroppedSource | null,
): ScopeChange | null {
  const isSame = before.contentHash === after.contentHash && before.tokenCount === after.tokenCount;
  const { counted } = before;
  const [old, next] = [memorySource(before), memorySource(after)];
  const isSameSource = isSame && old.contentHash === next.contentHash;
  if (isSameSource && old.expiresAt === next.expiresAt) return null;
  if (!counted && dropped === null) return null;
  return {
    lanes: counted ? [sourceLane(digest, old), sourceLane(digest, next)] : [],
    sources: 0,
    tokens: counted ? next.tokens - old.tokens : 0,
    bytes: counted ? next.bytes - old.bytes : 0,
    dropped: dropped === null ? [] : [dropped],
    written: counted && !isSame ? [after.id] : [],
    expiresAt: counted ? expiryOf(after) : null,
  };
}
