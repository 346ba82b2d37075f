/** Keys of memories: at most one live memory of a scope has each key (design 6.4). */
import { TAGS_MAX, type Memory } from '../records/memory.ts';

const CONTENT_PREFIX = 'content:';

/** Returns the key that makes a content unique in its scope. */
export function contentKey(contentHash: string): string {
  return `${CONTENT_PREFIX}${contentHash}`;
}

/** Returns the key after a change of content: a content key follows the content. */
export function keyAfter(
  before: Pick<Memory, 'key' | 'contentHash'>,
  contentHash: string,
): string | null {
  return before.key === contentKey(before.contentHash) ? contentKey(contentHash) : before.key;
}

/** Returns the merged tags of two memories, sorted, at most `TAGS_MAX`. */
export function mergedTags(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])].toSorted().slice(0, TAGS_MAX);
}
