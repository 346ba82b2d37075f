/** When it is known that a subject has nothing new. */
import type { SubjectRecord } from '../records/subject-record.ts';

/**
 * From the announcement of a block until it stands in its file, with all tries of a store that is
 * slow. One that is under way for longer is found with the next block.
 */
export const APPEND_MS_MAX = 300_000;

export interface LookedAt {
  /** Of the subject's record when its files were read, and when that was. */
  readonly subjectVersion: number;
  readonly gatheredAt: number;
}

interface LeftBlocks extends LookedAt {
  /** Whether there are blocks that it did not read: for want of room, or of a day to come. */
  readonly hasLeft: boolean;
}

/**
 * Whether something may be new for a dream after another: what that one left, what was announced
 * since, and what was announced so shortly before that it may still be on its way.
 */
export function hasNewAfter(
  { hasNew, announcedAt, version }: Pick<SubjectRecord, 'hasNew' | 'announcedAt' | 'version'>,
  { subjectVersion, gatheredAt, hasLeft }: LeftBlocks,
): boolean {
  const isSeen = version === subjectVersion && announcedAt + APPEND_MS_MAX <= gatheredAt;
  return hasLeft || (hasNew && !isSeen);
}
