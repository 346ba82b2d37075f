/** Decides whether a subject has anything new to dream of, before any call (DREAM-04, DREAM-05). */
import { contentHash, type Digest } from '../hash.ts';
import type { Document } from '../records/document.ts';
import type { SubjectRecord } from '../records/subject-record.ts';
import type { BlockPlace } from './failed-dreams.ts';

/**
 * Hashes the content of blocks that no dream has read, file by file. Ids and order do not count, so
 * that a block that was appended twice is not new.
 */
export function newContentHash(
  digest: Digest,
  blocks: readonly Pick<Document, 'path' | 'lines'>[],
): string {
  const lanes = blocks.map(
    ({ path, lines }) =>
      `${path}\n${contentHash(digest, lines.map(({ text }) => text).join('\n'))}`,
  );
  return digest([...new Set(lanes)].toSorted().join('\n'));
}

export type DreamDecision =
  | { readonly kind: 'Skip'; readonly outcome: 'NothingNew' | 'SameContent' | 'DeadLettered' }
  | { readonly kind: 'Go'; readonly contentHash: string; readonly oldest: BlockPlace };

/** @param fresh blocks with content that no dream has read, oldest first */
export function decideDream(
  fresh: readonly Document[],
  { processedHash }: Pick<SubjectRecord, 'processedHash'>,
  digest: Digest,
): DreamDecision {
  const [oldest] = fresh;
  if (oldest === undefined) return { kind: 'Skip', outcome: 'NothingNew' };
  const hash = newContentHash(digest, fresh);
  if (hash === processedHash) return { kind: 'Skip', outcome: 'SameContent' };
  const { path, version } = oldest;
  return { kind: 'Go', contentHash: hash, oldest: { path, version } };
}
