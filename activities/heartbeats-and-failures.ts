/** Wraps activities for a Temporal worker: heartbeats, cancellation and failures. */
import { retryAfterOf, VarveError } from '#core/errors.ts';
import { ERRORS, type ErrorCode } from '#core/error-codes.ts';
import type { Log } from '#core/ports/platform.ts';
import type { ActivityCall } from './refresh-ports.ts';
import { CancelledFailure, Context, ApplicationFailure } from '@temporalio/activity';

/** Well inside every heartbeat timeout in use, so that a slow model call does not look lost. */
const HEARTBEAT_EVERY_MS = 1_000;

type Activities = Readonly<Record<string, (input: never) => Promise<unknown>>>;

/** Last reported progress of each running activity; collected together with its context. */
const reported = new WeakMap<Context, unknown>();

/** Signal and progress of the activity that is running now, for `createActivities`. */
export function temporalCall(): ActivityCall {
  const context = Context.current();
  return {
    signal: context.cancellationSignal,
    report: (counts) => {
      reported.set(context, counts);
    },
  };
}

/** Returns the same activities, each with heartbeats while it works and a code if it fails. */
export function forTemporal<T extends object>(activities: T, log: Log): T {
  const dressed = Object.entries(activities as Activities).map(([name, run]) => [
    name,
    (input: never) => beating(name, () => run(input), log),
  ]);
  return Object.fromEntries(dressed) as T;
}

async function beating(name: string, run: () => Promise<unknown>, log: Log): Promise<unknown> {
  const context = Context.current();
  const timer = setInterval(() => {
    context.heartbeat(reported.get(context));
  }, HEARTBEAT_EVERY_MS);
  try {
    return await run();
  } catch (error) {
    if (context.cancellationSignal.aborted) {
      throw new CancelledFailure('The activity was cancelled.');
    }
    const failure = toApplicationFailure(error);
    log.warn({ activity: name, attempt: context.info.attempt, error }, 'activity failed');
    throw failure;
  } finally {
    clearInterval(timer);
  }
}

/**
 * Returns what a workflow history may contain of a failure: code, message and plain details of a
 * VarveError. The message of any other error may hold memory text, so it is left out. Such an error
 * is a defect, not an outage: after three of them a scope is a dead letter.
 */
export function toApplicationFailure(error: unknown): Error {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  if (error instanceof VarveError) {
    if (error.code === 'CANCELLED') return new CancelledFailure(error.message);
    const retryAfterMs = retryAfterOf(error);
    return ApplicationFailure.create({
      type: error.code,
      message: error.message,
      nonRetryable: !ERRORS[error.code].retryable,
      details: [error.details],
      ...(retryAfterMs === null ? {} : { nextRetryDelay: retryAfterMs }),
    });
  }
  return ApplicationFailure.create({
    type: 'CORRUPT' satisfies ErrorCode,
    message: 'An activity failed unexpectedly; its log line has the details.',
  });
}
