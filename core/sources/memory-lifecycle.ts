/** Computes the state of a memory at a time and the result of a patch, the same in every store. */
import { canonicalJson } from '../hash.ts';
import type { Memory, MemoryPatch } from '../records/memory.ts';

/** Returns when the memory expires as a source, if it does. */
export function expiryOf(memory: Pick<Memory, 'expiresAt' | 'validTo'>): number | null {
  const { expiresAt, validTo } = memory;
  if (expiresAt === null || validTo === null) return expiresAt ?? validTo;
  return Math.min(expiresAt, validTo);
}

/** Whether its own expiry is over: nobody finds it anymore, whatever its state is. */
export function hasExpired({ expiresAt }: Pick<Memory, 'expiresAt'>, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
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
 * vector. The same memory if the patch changes nothing.
 */
export function patchedMemory<T extends Omit<Memory, 'vector'>>(
  before: T,
  patch: MemoryPatch,
  now: number,
): T {
  const { vector: _, ...content } = patch.content ?? { vector: null };
  const tags = patch.tags === undefined ? before.tags : [...patch.tags];
  const metadata = mergedMetadata(before.metadata, patch.metadata ?? {});
  const set = { ...content, tags, metadata };
  const had = Object.keys(set).map((field) => [field, before[field as keyof T]]);
  if (canonicalJson(set) === canonicalJson(Object.fromEntries(had))) return before;
  return { ...before, ...set, version: before.version + 1, updatedAt: now };
}

/** Returns the metadata of both; a null value removes its field. */
export function mergedMetadata(
  before: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged = Object.entries({ ...before, ...patch });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}
