/** Waits for a dream that was asked for, wherever it runs. */
import type { Library } from '#api/library.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DreamAnswer, DreamStart, DreamStatusAnswer } from '#api/operations/dream.ts';
import { VarveError } from '#core/errors.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import type { Subject } from '#core/subject.ts';

const LOOK_EVERY_MS = 200;
/** A slow model answers within it, with its tries; a person does not wait longer. */
const WAIT_MS_MAX = 10 * 60_000;
/** Several times what a worker takes to write a version of MEMORY.md. */
const APPLY_MS_MAX = 10_000;

export interface WatchedDream {
  readonly dream: Pick<Library['dream'], 'status'>;
  readonly tenant: string;
  readonly subject: Subject;
  /** As it was before the dream was asked for. */
  readonly before: DreamStatusAnswer;
  readonly started: DreamStart;
  readonly signal: AbortSignal;
}

/**
 * How the dream ended; null where the command is ended before that.
 * @throws VarveError TIMEOUT; the dream goes on
 */
export async function watchDream(watched: WatchedDream): Promise<SubjectRecord['last']> {
  const { dream, tenant, subject, before, started, signal } = watched;
  const end = performance.now() + WAIT_MS_MAX;
  while (performance.now() < end && !signal.aborted) {
    const { last } = await dream.status({ tenant, subject });
    if (last !== null && hasEnded(last, { before, started })) return last;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  if (signal.aborted) return null;
  const message = 'The dream has not ended yet, and goes on. See varve dream status, varve doctor.';
  throw new VarveError('TIMEOUT', message);
}

/** Where a worker applies what is approved, it is done within a moment; or later without us. */
export async function untilApplied(
  { get }: Pick<Library['dream'], 'get'>,
  { tenant, dream }: { readonly tenant: string; readonly dream: DreamAnswer },
): Promise<DreamAnswer> {
  const end = performance.now() + APPLY_MS_MAX;
  let seen = dream;
  while (seen.state === 'Approved' && performance.now() < end) {
    await sleep(LOOK_EVERY_MS);
    seen = (await get({ tenant, id: dream.id })) ?? seen;
  }
  return seen;
}

/** Of a dream that was under way before, the id is not known: any other than the last one. */
function hasEnded(
  { dreamId }: NonNullable<SubjectRecord['last']>,
  { before, started }: Pick<WatchedDream, 'before' | 'started'>,
): boolean {
  return started.dreamId === null ? dreamId !== before.last?.dreamId : dreamId === started.dreamId;
}
