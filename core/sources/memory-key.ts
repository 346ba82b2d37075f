/** Keys of memories: one live memory of a scope has each (design 6.4). */
import { TAGS_MAX, type Memory } from '../records/memory.ts';

const CONTENT_PREFIX = 'content:';

/** The key by which a content is in its scope once. */
export function contentKey(contentHash: string): string {
  return `${CONTENT_PREFIX}${contentHash}`;
}

/** The key after a change of content: one that stands for the content follows it. */
export function keyAfter(
  before: Pick<Memory, 'key' | 'contentHash'>,
  contentHash: string,
): string | null {
  return before.key === contentKey(before.contentHash) ? contentKey(contentHash) : before.key;
}

/** The tags of two memories that became one, sorted, at most `TAGS_MAX`. */
export function unitedTags(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])].toSorted().slice(0, TAGS_MAX);
}
