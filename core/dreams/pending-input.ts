/** Decides whether a subject has something new to dream of. */
import type { SubjectRecord } from '../records/subject-record.ts';
import type { Proposal } from '../records/proposal.ts';

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
