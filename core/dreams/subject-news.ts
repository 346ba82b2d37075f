/** When it is known that a subject has nothing new. */
import type { SubjectRecord } from '../records/subject-record.ts';

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
