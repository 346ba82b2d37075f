/** Computes the state of a memory at a time and the result of a patch, the same in every store. */
import type { Memory, MemoryPatch } from '../records/memory.ts';

/** Returns when the memory expires as a source, if it does. */
export function expiryOf(memory: Pick<Memory, 'expiresAt' | 'validTo'>): number | null {
  const { expiresAt, validTo } = memory;
  if (expiresAt === null || validTo === null) return expiresAt ?? validTo;
  return Math.min(expiresAt, validTo);
}

export function isLive(
  memory: Pick<Memory, 'state' | 'expiresAt' | 'validTo'>,
  now: number,
): boolean {
  const expiry = expiryOf(memory);
  return memory.state === 'active' && (expiry === null || expiry > now);
}

/**
 * Returns the memory after a patch at `now`; if the patch changes the content, it brings the
 * vector.
 */
export function patchedMemory<T extends Omit<Memory, 'vector'>>(
  before: T,
  patch: MemoryPatch,
  now: number,
): T {
  const { vector: _, ...content } = patch.content ?? { vector: null };
  return {
    ...before,
    ...content,
    tags: patch.tags === undefined ? before.tags : [...patch.tags],
    metadata: mergedMetadata(before.metadata, patch.metadata ?? {}),
    version: before.version + 1,
    updatedAt: now,
  };
}

/** Returns the metadata of both; a null value removes its field. */
export function mergedMetadata(
  before: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged = Object.entries({ ...before, ...patch });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}
