/** Computes the state of a memory at a time and the result of a patch, the same in every store. */
import { canonicalJson } from '../hash.ts';
import type { Memory, MemoryPatch } from '../records/memory.ts';
import { unitedTags } from './memory-key.ts';

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

/** What a repeat may add to a memory with the same text. */
type Repeat = Pick<Memory, 'tags' | 'metadata' | 'expiresAt' | 'validFrom' | 'utcOffset'>;

/**
 * Returns the memory after its text was added again: with the tags and the metadata of both, and
 * the expiry that the repeat gives, if any. The same memory if the repeat adds nothing.
 * @param isSaidAgain whether it also takes over the later time
 */
export function repeatedMemory<T extends Omit<Memory, 'vector'>>(
  known: T,
  repeat: Repeat,
  { now, isSaidAgain }: { readonly now: number; readonly isSaidAgain: boolean },
): T {
  const tags = unitedTags(known.tags, repeat.tags);
  const metadata = mergedMetadata(known.metadata, repeat.metadata);
  const expiresAt = repeat.expiresAt ?? known.expiresAt;
  const isLater = isSaidAgain && isSaidLater(known, repeat, now);
  const isSame =
    !isLater &&
    expiresAt === known.expiresAt &&
    tags.join('\n') === known.tags.toSorted().join('\n') &&
    canonicalJson(metadata) === canonicalJson(known.metadata);
  if (isSame) return known;
  const { validFrom, utcOffset } = isLater ? repeat : known;
  const after = { ...known, tags, metadata, expiresAt, validFrom, utcOffset };
  return { ...after, version: known.version + 1, updatedAt: now };
}

/**
 * Whether a repeat gives the memory another time: a later one that is not to come. A memory whose
 * time is to come holds from the repeat on.
 */
export function isSaidLater(
  known: Pick<Memory, 'validFrom'>,
  repeat: Pick<Memory, 'validFrom'>,
  now: number,
): boolean {
  if (repeat.validFrom > now) return false;
  return repeat.validFrom > known.validFrom || known.validFrom > now;
}

function mergedMetadata(
  before: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged = Object.entries({ ...before, ...patch });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}
