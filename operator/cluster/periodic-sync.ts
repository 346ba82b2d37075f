/**
 * Looks at outside state when it begins, and now and then from then on: it sends no word of what
 * changes in it. In a cluster by the leader, beside a folder by whoever keeps that.
 */
import { VarveError } from '#core/errors.ts';
import type { OperatorMetrics } from '#core/ports/operator-metrics.ts';
import type { Log } from '#core/ports/platform.ts';
import { RESYNC_MS, RESYNC_SPREAD } from '../tenant/applied-policies.ts';
import { untilAborted, type Timers } from '../timers.ts';

/** After what could not be looked at. */
export const AFTER_FAILURE_MS = 30_000;
/** A Temporal that lost its state starts nothing that is due until it has its schedules again. */
export const SCHEDULES_MS = 60_000;

export interface Step {
  readonly name: 'providers' | 'schedules' | 'tenants';
  /** Begins the log line of a failure. */
  readonly what: string;
  readonly look: (signal: AbortSignal) => Promise<void>;
  /** Between two looks that went well, but for the spread; `RESYNC_MS` where absent. */
  readonly everyMs?: number;
  /** Told after each look whether there was an answer, be it that somebody else is in the way. */
  readonly onLooked?: (isAnswered: boolean) => void;
}

export interface Looking {
  readonly timers: Pick<Timers, 'random' | 'wait'>;
  readonly log: Log;
  readonly metrics: Pick<OperatorMetrics, 'count' | 'set'>;
}

/** What an installation has in Temporal. */
export function schedulesStep(look: Step['look'], onLooked: (isAnswered: boolean) => void): Step {
  const what = 'The schedules and search attributes of Temporal';
  return { name: 'schedules', what, look, everyMs: SCHEDULES_MS, onLooked };
}

/**
 * Until the signal; then nothing is waited for, also no look that hangs.
 * @throws whatever is a mistake of the program
 */
export async function lookNowAndThen(
  step: Step,
  looking: Looking,
  signal: AbortSignal,
): Promise<void> {
  const { timers, metrics } = looking;
  const { name, everyMs = RESYNC_MS, onLooked = () => undefined } = step;
  while (!signal.aborted) {
    const failure = await looked(step, looking, signal);
    if (signal.aborted) return;
    const isAnswered = failure === null || failure.code === 'CONFLICT';
    metrics.set('installation_step_failing', { step: name }, isAnswered ? 0 : 1);
    onLooked(isAnswered);
    const pauseMs =
      failure === null ? everyMs * (1 + RESYNC_SPREAD * timers.random()) : AFTER_FAILURE_MS;
    // Rejects only when the signal is aborted, which ends the loop.
    await timers.wait(pauseMs, signal).catch(() => undefined);
  }
}

/** The failure, which is logged, or null; what fails because it was cancelled is none. */
async function looked(
  { name, what, look }: Step,
  { log, metrics }: Looking,
  signal: AbortSignal,
): Promise<VarveError | null> {
  try {
    await untilAborted(signal, look);
    return null;
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    const { code, message } = error;
    const told = `${what}: they could not be looked at, which is tried again soon. ${message}`;
    log.warn({ code, step: name }, told);
    metrics.count('installation_failures_total', { step: name });
    return error;
  }
}
