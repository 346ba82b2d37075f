/** Decides what becomes of a memory whose text is added again. */
import { canonicalJson } from '../hash.ts';
import type { Memory } from '../records/memory.ts';
import { mergedTags } from './memory-key.ts';
import { mergedMetadata } from './memory-lifecycle.ts';

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
  const tags = mergedTags(known.tags, repeat.tags);
  const metadata = mergedMetadata(known.metadata, repeat.metadata);
  const expiresAt = repeat.expiresAt ?? known.expiresAt;
  const isLater = isSaidAgain && isSaidLater(known, repeat, now);
  const isSame =
    !isLater &&
    expiresAt === known.expiresAt &&
    tags.join('\n') === known.tags.toSorted().join('\n') &&
    canonicalJson(metadata) === canonicalJson(known.metadata);
  if (isSame) return known;
  const time = isLater ? timeOf(known, repeat) : {};
  const after = { ...known, tags, metadata, expiresAt, ...time };
  return { ...after, version: known.version + 1, updatedAt: now };
}

function timeOf(known: Repeat, { validFrom, utcOffset }: Repeat): Partial<Repeat> {
  const isUtc = known.utcOffset === undefined && utcOffset === undefined;
  return isUtc ? { validFrom } : { validFrom, utcOffset: utcOffset ?? 0 };
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
