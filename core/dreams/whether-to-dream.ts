/** Decides whether a subject has anything new to dream of, before any call (DREAM-04, DREAM-05). */
import { contentHash, type Digest } from '../hash.ts';
import type { Document } from '../records/document.ts';
import type { SubjectRecord } from '../records/subject-record.ts';
import type { BlockPlace } from './failed-dreams.ts';
import type { Proposal } from '../records/proposal.ts';

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

type DreamDecision =
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

export interface GatheredVersion {
  /** The version of the subject's record when its files were read, and that time. */
  readonly subjectVersion: number;
  readonly gatheredAt: number;
}

interface LeftBlocks extends Pick<GatheredVersion, 'subjectVersion'> {
  /** Whether blocks stayed unread, because there was no room or their day is still to come. */
  readonly hasLeft: boolean;
}

/**
 * Whether another dream would find something new: blocks that the last one left or that came since.
 * One commit announces and writes a block, so that whoever reads the record also sees its blocks.
 */
export function hasNewAfter(
  { hasNew, version }: Pick<SubjectRecord, 'hasNew' | 'version'>,
  { subjectVersion, hasLeft }: LeftBlocks,
): boolean {
  return hasLeft || (hasNew && version !== subjectVersion);
}

/**
 * Marks what an outdated proposal was made from as new again: the next round reads it with
 * everything that exists by then. Returns null if the record already says so.
 */
export function markedNewAgain(
  record: SubjectRecord,
  { contentHash }: Pick<Proposal, 'contentHash'>,
): SubjectRecord | null {
  const isMarked = record.processedHash === contentHash;
  if (record.hasNew && !isMarked) return null;
  return { ...record, processedHash: isMarked ? null : record.processedHash, hasNew: true };
}
