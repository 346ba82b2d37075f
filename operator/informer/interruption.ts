/** Why a list or a watch ended, and what follows from it. Pure. */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { VarveError } from '#core/errors.ts';

/** The values of the label `reason` of watch_reconnects_total. */
export type InterruptionReason =
  /** By the server, in good order: the time it was given is over. */
  | 'Ended'
  /** Nothing was heard, not even a bookmark. */
  | 'Idle'
  /** The server no longer has the changes since our version. */
  | 'Expired'
  | 'RateLimited'
  | 'Disconnected'
  /** Credentials, permission or the kind itself are missing. */
  | 'Refused'
  | 'ServerError'
  /** What was sent is no answer, or a mistake of this program came up. */
  | 'Failed';

export interface Interruption {
  readonly reason: InterruptionReason;
  /** Whether only a new list shows the state; else the watch goes on where it was. */
  readonly isListDue: boolean;
  /** The pause the server asked for, in milliseconds. */
  readonly retryAfterMs: number;
}

const STATUS_REASONS: ReadonlyMap<number, InterruptionReason> = new Map([
  [0, 'Disconnected'],
  [401, 'Refused'],
  [403, 'Refused'],
  [404, 'Refused'],
  [410, 'Expired'],
  [429, 'RateLimited'],
]);
/** After these the version that was reached is still good. */
const CONTINUED: ReadonlySet<InterruptionReason> = new Set([
  'Ended',
  'Idle',
  'RateLimited',
  'Disconnected',
]);
/** These are no connections that broke, although no status came. */
const UNREADABLE: ReadonlySet<unknown> = new Set(['AnswerInvalid', 'AnswerTooLong']);

export function interruptionOf(reason: InterruptionReason, retryAfterMs = 0): Interruption {
  return { reason, isListDue: !CONTINUED.has(reason), retryAfterMs };
}

/** What a failed list or watch means. */
export function failureInterruption(error: unknown): Interruption {
  if (!(error instanceof VarveError)) return interruptionOf('Failed');
  const { httpStatus, reason, retryAfterMs } = error.details;
  if (typeof httpStatus !== 'number' || UNREADABLE.has(reason)) return interruptionOf('Failed');
  return interruptionOf(STATUS_REASONS.get(httpStatus) ?? 'ServerError', pauseOf(retryAfterMs));
}

/** What an ERROR event means: its object is a Status. */
export function statusInterruption(status: KubernetesObject): Interruption {
  const { code, reason, details } = status;
  // The server says both of the same thing: an old version, and changes that are gone.
  if (reason === 'Expired' || reason === 'Gone') return interruptionOf('Expired');
  const asked =
    typeof details === 'object' && details !== null && 'retryAfterSeconds' in details
      ? details.retryAfterSeconds
      : 0;
  const name = typeof code === 'number' ? STATUS_REASONS.get(code) : undefined;
  return interruptionOf(name ?? 'ServerError', pauseOf(asked) * 1_000);
}

function pauseOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, value) : 0;
}
