/** When it is known that a subject has nothing new. */
import type { SubjectRecord } from '../records/subject-record.ts';
import type { Proposal } from '../records/proposal.ts';

export interface LookedAt {
  /** Of the subject's record when its files were read, and when that was. */
  readonly subjectVersion: number;
  readonly gatheredAt: number;
}

interface LeftBlocks extends Pick<LookedAt, 'subjectVersion'> {
  /** Whether there are blocks that it did not read: for want of room, or of a day to come. */
  readonly hasLeft: boolean;
}

/**
 * Whether a further dream finds something new: what the last one left, and what came since. One
 * commit announces and writes a block, so a reader of the record has all its blocks.
 */
export function hasNewAfter(
  { hasNew, version }: Pick<SubjectRecord, 'hasNew' | 'version'>,
  { subjectVersion, hasLeft }: LeftBlocks,
): boolean {
  return hasLeft || (hasNew && version !== subjectVersion);
}

// What becomes of a subject whose proposal is outdated.

/**
 * What it was made of is new again: the next round dreams of it over what there is by then. Null
 * where the record says so already.
 */
export function newsOfOutdated(
  record: SubjectRecord,
  { contentHash }: Pick<Proposal, 'contentHash'>,
): SubjectRecord | null {
  const isMarked = record.processedHash === contentHash;
  if (record.hasNew && !isMarked) return null;
  return { ...record, processedHash: isMarked ? null : record.processedHash, hasNew: true };
}
