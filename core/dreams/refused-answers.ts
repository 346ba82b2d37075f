/**
 * Answers of no use, counted: a model that cannot make anything of some content would else be paid
 * for it every night, for ever.
 */
import type { ErrorCode } from '../errors.ts';
import type { DreamOutcome } from '../records/dream-outcome.ts';
import type { SubjectRecord } from '../records/subject-record.ts';

/** Dreams over the same content; as often as an item of a summary is tried (design 7). */
export const REFUSALS_MAX = 3;

export interface EndedDream {
  readonly dreamId: string;
  readonly outcome: DreamOutcome;
  /** Of a failure. */
  readonly code?: ErrorCode;
}

/** What is remembered once a dream ended; what ends well forgets it. */
export function refusedAfter(
  { refused, announcedAt }: Pick<SubjectRecord, 'refused' | 'announcedAt'>,
  { dreamId, outcome, code }: EndedDream,
): SubjectRecord['refused'] {
  const isOfNoUse = outcome === 'LowGrounding' || code === 'MODEL_OUTPUT_INVALID';
  if (!isOfNoUse) return isPaid(outcome) ? null : refused;
  if (refused?.dreamId === dreamId) return refused;
  const times = refused?.announcedAt === announcedAt ? refused.times + 1 : 1;
  return { dreamId, announcedAt, times };
}

/** Whether dreams by time leave the subject alone: until a block comes, or somebody asks. */
export function isGivenUp({
  refused,
  announcedAt,
}: Pick<SubjectRecord, 'refused' | 'announcedAt'>): boolean {
  return refused?.announcedAt === announcedAt && refused.times >= REFUSALS_MAX;
}

/** Of a model that answered and was understood. */
function isPaid(outcome: DreamOutcome): boolean {
  return outcome === 'Dreamed' || outcome === 'Unchanged' || outcome === 'Waiting';
}
