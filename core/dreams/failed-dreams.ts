/**
 * Dreams that may have been paid for and came to nothing, counted: a model that cannot make
 * anything of some content would else be paid for it every night, for ever.
 *
 * What a model answered in vain is held against the oldest block that no dream has read: after so
 * many times the dream without a model stands in, and where that comes to nothing too, the block is
 * set aside and the rest goes on. A call that failed says nothing of the content, so after so many
 * in a row dreams pause until a block comes.
 */
import type { ErrorCode } from '../error-codes.ts';
import { isUnavailable } from '../refresh/failure-backoff.ts';
import type { Document } from '../records/document.ts';
import type { DreamOutcome } from '../records/dream-outcome.ts';
import type { SubjectRecord } from '../records/subject-record.ts';

/** Dreams of one kind; as often as an item of a summary is tried (design 7). */
export const REFUSALS_MAX = 3;

export type BlockPlace = Pick<Document, 'path' | 'version'>;

export interface TriedDream {
  readonly dreamId: string;
  readonly outcome: DreamOutcome;
  /** Of a failure. */
  readonly code?: ErrorCode;
  /** The oldest block that it was to read; absent where it came to no call. */
  readonly oldest?: BlockPlace;
}

type Counted = Pick<SubjectRecord, 'refused' | 'announcedAt'>;

/** What is remembered once a dream ended; what ends well forgets it. */
export function refusedAfter(
  { refused, announcedAt }: Counted,
  { dreamId, outcome, code, oldest }: TriedDream,
): SubjectRecord['refused'] {
  if (isOfUse(outcome)) return null;
  const isAnswer = outcome === 'LowGrounding' || code === 'MODEL_OUTPUT_INVALID';
  const isLost = !isAnswer && code !== undefined && isPaid(code);
  if ((!isAnswer && !isLost) || oldest === undefined) return refused;
  if (refused?.dreamId === dreamId) return refused;
  const { path, version } = oldest;
  const isSame = refused?.path === path && refused.version === version;
  const { answers, failures } = isSame ? refused : { answers: 0, failures: 0 };
  const counts = isAnswer
    ? { answers: answers + 1, failures: 0 }
    : { answers, failures: failures + 1 };
  return { dreamId, path, version, announcedAt, ...counts };
}

/** Whether scheduled dreams skip the subject until a block comes or a caller requests a dream. */
export function isPaused({ refused, announcedAt }: Counted): boolean {
  return refused?.announcedAt === announcedAt && refused.failures >= REFUSALS_MAX;
}

/** The block that no dream by time reads any more; null where there is none. */
export function blockToSetAside({ refused }: Pick<SubjectRecord, 'refused'>): BlockPlace | null {
  if (refused === null || refused.answers <= REFUSALS_MAX) return null;
  const { path, version } = refused;
  return { path, version };
}

/** Whether the model made nothing of this block so often that the dream without one stands in. */
export function needsFallback(
  { refused }: Pick<SubjectRecord, 'refused'>,
  { path, version }: BlockPlace,
): boolean {
  const isSame = refused?.path === path && refused.version === version;
  return isSame && refused.answers >= REFUSALS_MAX;
}

/** An outage ends without an intervention and costs nothing; a call that timed out may cost. */
function isPaid(code: ErrorCode): boolean {
  return code === 'TIMEOUT' || (!isUnavailable(code) && code !== 'PROVIDER_REJECTED');
}

/** Of a model that answered and was understood. */
function isOfUse(outcome: DreamOutcome): boolean {
  return outcome === 'Dreamed' || outcome === 'Unchanged' || outcome === 'Waiting';
}
