/** What becomes of a subject whose proposal is outdated. */
import type { Proposal } from '../records/proposal.ts';
import type { SubjectRecord } from '../records/subject-record.ts';

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
