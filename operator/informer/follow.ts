/** One watch from a version until it ends, whoever ends it. */
import { VarveError } from '#core/errors.ts';
import type {
  KubernetesApi,
  ListOptions,
  ResourceType,
  WatchEvent,
  KubernetesObject,
} from '#core/ports/kubernetes-api.ts';
import { afterTime, type Timers } from '../timers.ts';

export interface Follow {
  readonly type: ResourceType;
  readonly selection: ListOptions;
  readonly version: string;
  readonly timeoutSeconds: number;
  /** Longest silence, in milliseconds; the server sends a bookmark a minute. */
  readonly idleMs: number;
  /** When something was heard last, by the clock that never goes back. */
  readonly heardAt: () => number;
  /** Takes an event in; an interruption ends the watch. */
  readonly take: (event: WatchEvent) => Interruption | null;
  readonly signal: AbortSignal;
}

export interface EndOfWatch extends Interruption {
  /** The failure that was the end. */
  readonly error?: unknown;
}

/** Null where the signal is aborted. Never throws. */
export async function follow(
  { api, timers }: { readonly api: Pick<KubernetesApi, 'watch'>; readonly timers: Timers },
  watch: Follow,
): Promise<EndOfWatch | null> {
  const { type, selection, version, timeoutSeconds, signal } = watch;
  const silence = new AbortController();
  const done = new AbortController();
  const openedAt = timers.timer();
  const listen = () => {
    const leftMs = watch.idleMs - (timers.timer() - Math.max(openedAt, watch.heardAt()));
    if (leftMs <= 0) silence.abort();
    else afterTime(timers, { ms: leftMs, signal: done.signal }, listen);
  };
  listen();
  const ended = AbortSignal.any([signal, silence.signal]);
  const given = () => {
    if (signal.aborted) return null;
    return silence.signal.aborted ? interruptionOf('Idle') : interruptionOf('Ended');
  };
  try {
    const options = { ...selection, resourceVersion: version, timeoutSeconds };
    for await (const event of api.watch(type, options, ended)) {
      // What was under way when it was abandoned no longer counts: a list may have begun.
      if (ended.aborted) return given();
      const interruption = watch.take(event);
      if (interruption !== null) return interruption;
    }
    return given();
  } catch (error) {
    return ended.aborted ? given() : { ...failureInterruption(error), error };
  } finally {
    done.abort();
    // What listens to a signal made of others is kept until one of them is aborted.
    silence.abort();
  }
}

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

interface Interruption {
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

/** Why a list or a watch ended, and what follows from it. Pure. */
function interruptionOf(reason: InterruptionReason, retryAfterMs = 0): Interruption {
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
