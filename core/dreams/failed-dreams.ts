/**
 * Counts dreams that may have cost money without a result. Otherwise a model that fails on some
 * content would be paid for it every night, forever.
 *
 * Unusable answers count against the oldest block that no dream has read. After `REFUSALS_MAX` of
 * them, the dream without a model is the fallback. If that gives nothing either, the block is set
 * aside and dreams continue with the rest. Failed calls show nothing about the content, so after
 * `REFUSALS_MAX` in a row dreams pause until a new block comes.
 */
import type { ErrorCode } from '../error-codes.ts';
import { isUnavailable } from '../refresh/retries-and-dead-letters.ts';
import type { Document } from '../records/document.ts';
import type { DreamOutcome } from '../records/dream-outcome.ts';
import type { SubjectRecord } from '../records/subject-record.ts';

/** Maximum dreams of each kind; the same as the tries for an item of a summary (design 7). */
export const REFUSALS_MAX = 3;

export type BlockPlace = Pick<Document, 'path' | 'version'>;

export interface TriedDream {
  readonly dreamId: string;
  readonly outcome: DreamOutcome;
  /** The code of a failure. */
  readonly code?: ErrorCode;
  /** The oldest block that it had to read; absent if it made no call. */
  readonly oldest?: BlockPlace;
}

type Counted = Pick<SubjectRecord, 'refused' | 'announcedAt'>;

/** Returns the counts to keep after a dream ended; a dream that ends well clears them. */
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
export function isSkippedByScheduledDreams({ refused, announcedAt }: Counted): boolean {
  return refused?.announcedAt === announcedAt && refused.failures >= REFUSALS_MAX;
}

/** Returns the block that scheduled dreams no longer read; null if there is none. */
export function blockToSetAside({ refused }: Pick<SubjectRecord, 'refused'>): BlockPlace | null {
  if (refused === null || refused.answers <= REFUSALS_MAX) return null;
  const { path, version } = refused;
  return { path, version };
}

/** Whether the model failed on this block so often that the dream without a model replaces it. */
export function needsFallback(
  { refused }: Pick<SubjectRecord, 'refused'>,
  { path, version }: BlockPlace,
): boolean {
  const isSame = refused?.path === path && refused.version === version;
  return isSame && refused.answers >= REFUSALS_MAX;
}

/** Whether a failure may have cost money: an outage costs nothing, but a timed-out call may. */
function isPaid(code: ErrorCode): boolean {
  return code === 'TIMEOUT' || (!isUnavailable(code) && code !== 'PROVIDER_REJECTED');
}

/** Whether the model answered and the answer could be used. */
function isOfUse(outcome: DreamOutcome): boolean {
  return outcome === 'Dreamed' || outcome === 'Unchanged' || outcome === 'Waiting';
}
