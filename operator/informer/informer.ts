/**
 * Keeps a cache equal to the server's objects of one kind (list, then watch).
 *
 * Flow:
 * 1. List in pages of 500; the list replaces the cache.
 * 2. Watch from the list's version, with bookmarks, for about 290 s at a time.
 * 3. A watch that ends continues from the version it reached. A version that the server no longer
 *    has (410), or an answer that can't be understood, leads to a new list.
 * 4. After ten minutes a new list is made in any case: nothing else reveals an event that got lost
 *    on the way.
 *
 * Guarantees: `run` ends only with its signal, and then soon; no failure of the server or of a
 * listener ends it earlier. Listeners hear of a change after the cache has it. A listener that
 * failed for an object gets it again with the next list.
 *
 * Assumptions: the server's own order of versions (object-cache.ts). Listeners only add keys to
 * queues: they are called one after the other, and nothing waits for them.
 *
 * Numbers: from client-go's tools/cache/informer.go; the length of a watch from kube-rs's
 * watcher.rs; the limit of silence is one bookmark a minute plus some slack.
 */
import { backoffDelay } from '#core/exponential-delay.ts';
import { VarveError } from '#core/errors.ts';
import type {
  KubernetesApi,
  KubernetesObject,
  ListOptions,
  ResourceType,
  WatchEvent,
} from '#core/ports/kubernetes-api.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { Log, Timers } from '#core/ports/platform.ts';
import { afterTime } from '../timers.ts';
import {
  type CachedObjects,
  type ObjectCache,
  type ObjectChange,
  type ObjectIndex,
  createObjectCache,
  objectKey,
  newerVersion,
} from './object-cache.ts';

// A whole list, page by page, as of one moment: the token that continues a list names its version.

/** Objects of a page, as in client-go. */
const PAGE_SIZE = 500;
/** 100,000 objects, more than one process can hold of Varve's kinds. */
const PAGES_MAX = 200;

/**
 * @throws VarveError CONFLICT (410) if reading the pages took longer than the server keeps
 * versions; PROVIDER_ERROR if there are too many pages
 */
async function listAll(
  api: Pick<KubernetesApi, 'list'>,
  { type, selection }: { readonly type: ResourceType; readonly selection: ListOptions },
  signal: AbortSignal,
) {
  const objects: KubernetesObject[] = [];
  let next: { readonly continueToken?: string } = {};
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const options = { ...selection, limit: PAGE_SIZE, ...next };
    const { items, resourceVersion, continueToken } = await api.list(type, options, signal);
    objects.push(...items);
    if (continueToken === null) return { version: resourceVersion, objects };
    next = { continueToken };
  }
  throw new VarveError(
    'PROVIDER_ERROR',
    `There are more than ${String(PAGES_MAX * PAGE_SIZE)} objects of the kind ${type.kind}. ` +
      'Run several operators, each with some of the namespaces.',
    { details: { kind: type.kind } },
  );
}

// Notifies a listener of changes; if it throws for an object, it is notified again later.

/**
 * Objects remembered because the listener failed for them; further ones wait for their next change.
 */
const FAILED_MAX = 10_000;

function createChangeListener({
  type,
  onChange,
  log,
}: Pick<InformerOptions, 'type' | 'onChange' | 'log'>) {
  const failed = new Map<string, ObjectChange>();
  const notify = (change: ObjectChange): void => {
    const metadata = (change.new ?? change.old)?.metadata;
    if (metadata === undefined) return;
    const { namespace, name } = metadata;
    const key = objectKey(metadata);
    failed.delete(key);
    try {
      onChange(change);
    } catch (error) {
      log.error({ error, kind: type.kind, namespace, name }, 'failed to queue change');
      if (failed.size < FAILED_MAX) failed.set(key, change);
    }
  };
  return {
    notify,
    /** Notifies of the changes of a list, and again of those that the listener failed for. */
    notifyAll(changes: readonly ObjectChange[]): void {
      const again = [...failed.values()];
      // If an object has a newer change too, that change comes later and replaces this one.
      for (const change of [...again, ...changes]) notify(change);
    },
  };
}

/**
 * How long the server keeps a watch open, plus or minus the spread, so that not all end at once.
 */
const WATCH_SECONDS = 290;
const WATCH_SECONDS_SPREAD = 20;
export const IDLE_MS_MAX = 75_000;
export const RELIST_AFTER_MS = 10 * 60 * 1_000;
/** Watches in a row without an event: the version may be one that the server never reaches. */
const SILENT_WATCHES_MAX = 5;
/** After a watch that ends normally but sooner than this, there is a pause before the next one. */
const SHORT_WATCH_MS = 1_000;

export interface InformerOptions {
  readonly api: Pick<KubernetesApi, 'list' | 'watch'>;
  readonly type: ResourceType;
  /** All namespaces if absent. */
  readonly selection?: Pick<ListOptions, 'namespace' | 'fieldSelector'>;
  readonly indexes?: Readonly<Record<string, ObjectIndex>>;
  readonly onChange: (change: ObjectChange) => void;
  readonly timers: Timers;
  readonly metrics: OperatorMetrics;
  readonly log: Log;
  /** Longest silence, in milliseconds; the server sends a bookmark every minute. */
  readonly idleMs?: number;
  readonly relistAfterMs?: number;
}

export interface Informer {
  readonly type: ResourceType;
  readonly objects: CachedObjects;
  /** Whether a whole list was taken over and passed to the listeners. */
  hasSynced(): boolean;
  /** When the server last sent something, by the timer of `timers`; null before the first list. */
  lastHeardAt(): number | null;
  /** When a list or a watch last began or ended, even in failure; null before the first. */
  lastTriedAt(): number | null;
  /** Resolves when the signal is aborted. Only one run at a time. */
  run(signal: AbortSignal): Promise<void>;
}

export function createInformer(options: InformerOptions): Informer {
  const { type } = options;
  const cache = createObjectCache(options.indexes);
  const state: State = {
    heardAt: null,
    triedAt: null,
    version: null,
    listedAt: 0,
    silentWatches: 0,
  };
  const session: Session = { options, cache, state, listener: createChangeListener(options) };
  return {
    type,
    objects: cache,
    hasSynced: () => state.heardAt !== null,
    lastHeardAt: () => state.heardAt,
    lastTriedAt: () => state.triedAt,
    run: (signal) => run(session, signal),
  };
}

interface State {
  /** Null before the first list was taken over. */
  heardAt: number | null;
  triedAt: number | null;
  /** The version from which the next watch begins; null if a list is due. */
  version: string | null;
  listedAt: number;
  silentWatches: number;
}

interface Session {
  readonly options: InformerOptions;
  readonly cache: ObjectCache;
  readonly state: State;
  readonly listener: ReturnType<typeof createChangeListener>;
}

async function run(session: Session, signal: AbortSignal): Promise<void> {
  const { options, state } = session;
  const { timers } = options;
  let failures = NO_FAILURES;
  while (!signal.aborted) {
    const startedAt = timers.timer();
    state.triedAt = startedAt;
    const end = await listAndWatch(session, signal);
    state.triedAt = timers.timer();
    if (end === null) return;
    if (isListDue(end, session)) state.version = null;
    const isShort = timers.timer() - startedAt < SHORT_WATCH_MS;
    if (end.reason === 'Ended' && !isShort) {
      report(options, end, 0);
      continue;
    }
    failures = oneMore(failures, timers.timer());
    const delayMs = Math.max(end.retryAfterMs, reconnectDelayMs(failures, timers.random()));
    report(options, end, delayMs);
    // Rejects only when the signal is aborted, which ends the loop.
    await timers.wait(delayMs, signal).catch(() => undefined);
  }
}

/** Returns null if the signal was aborted. */
async function listAndWatch(session: Session, signal: AbortSignal): Promise<EndOfWatch | null> {
  const { state } = session;
  try {
    state.version ??= await list(session, signal);
  } catch (error) {
    return signal.aborted ? null : { ...failureInterruption(error), isListDue: true, error };
  }
  return watch(session, state.version, signal);
}

/** Lists all objects into the cache. Returns its new version. */
async function list({ options, cache, state, listener }: Session, signal: AbortSignal) {
  const { api, type, selection = {}, timers } = options;
  const { version, objects } = await listAll(api, { type, selection }, signal);
  signal.throwIfAborted();
  listener.notifyAll(cache.replace(objects, version));
  state.heardAt = timers.timer();
  state.listedAt = state.heardAt;
  state.silentWatches = 0;
  return version;
}

/** How long the next watch lasts; at most until the next list is due. */
function watchSeconds({ timers, relistAfterMs }: InformerOptions, listedAt: number): number {
  const spread = (timers.random() * 2 - 1) * WATCH_SECONDS_SPREAD;
  const untilListMs = listedAt + (relistAfterMs ?? RELIST_AFTER_MS) - timers.timer();
  return Math.max(1, Math.ceil(Math.min(WATCH_SECONDS + spread, untilListMs / 1_000)));
}

function isListDue({ isListDue: isAsked }: EndOfWatch, { options, state }: Session): boolean {
  const listAgeMs = options.timers.timer() - state.listedAt;
  return (
    isAsked ||
    listAgeMs >= (options.relistAfterMs ?? RELIST_AFTER_MS) ||
    state.silentWatches >= SILENT_WATCHES_MAX
  );
}

function report({ type, metrics, log }: InformerOptions, end: EndOfWatch, delayMs: number): void {
  const { reason, error } = end;
  metrics.count('watch_reconnects_total', { kind: type.kind, reason });
  const fields = { kind: type.kind, reason, delayMs, ...(error === undefined ? {} : { error }) };
  if (reason === 'Ended') log.debug(fields, 'watch ended; reopening');
  else log.warn(fields, 'watch interrupted; reopening');
}

const FIRST_MS = 800;
/** With the largest jitter it is 30 s. */
const DOUBLED_MS_MAX = 20_000;
const JITTER = 0.5;
const HEALTHY_MS = 120_000;

interface Failures {
  /** Failures in a row, including the latest. */
  readonly count: number;
  /** When the latest one was, by the monotonic clock. */
  readonly at: number;
}

/**
 * The state without a failure. The delay before the next list or watch begins at 0.8 s and doubles
 * up to 30 s; it starts over after two healthy minutes (client-go, tools/cache/informer.go).
 */
const NO_FAILURES: Failures = { count: 0, at: 0 };

function oneMore({ count, at }: Failures, now: number): Failures {
  return { count: now - at >= HEALTHY_MS ? 1 : count + 1, at: now };
}

/**
 * @param failures at least one
 * @param random at least 0 and below 1, so that many clients do not come back at the same moment
 */
function reconnectDelayMs({ count }: Failures, random: number): number {
  const backoff = backoffDelay(count, { firstMs: FIRST_MS, mostMs: DOUBLED_MS_MAX });
  return backoff * (1 + JITTER * random);
}

// One watch from a version, until either side ends it.

interface EndOfWatch extends Interruption {
  /** The failure that ended the watch. */
  readonly error?: unknown;
}

/** Returns null if the signal is aborted. Never throws. */
async function watch(
  session: Session,
  from: string,
  signal: AbortSignal,
): Promise<EndOfWatch | null> {
  const { options, state } = session;
  const { api, type, selection = {}, timers, idleMs = IDLE_MS_MAX } = options;
  state.silentWatches += 1;
  const silence = new AbortController();
  const done = new AbortController();
  const openedAt = timers.timer();
  const listen = () => {
    const leftMs = idleMs - (timers.timer() - Math.max(openedAt, state.heardAt ?? 0));
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
    const timeoutSeconds = watchSeconds(options, state.listedAt);
    const watched = { ...selection, resourceVersion: from, timeoutSeconds };
    for await (const event of api.watch(type, watched, ended)) {
      // Events of an abandoned watch no longer count: a new list may have begun.
      if (ended.aborted) return given();
      const interruption = take(session, from, event);
      if (interruption !== null) return interruption;
    }
    return given();
  } catch (error) {
    return ended.aborted ? given() : { ...failureInterruption(error), error };
  } finally {
    done.abort();
    // Releases listeners: a combined signal is kept alive until one of its sources is aborted.
    silence.abort();
  }
}

/** Handles an event. An interruption as the result ends the watch. */
function take(
  { options: { timers }, cache, state, listener }: Session,
  from: string,
  { type: name, object }: WatchEvent,
): Interruption | null {
  state.heardAt = timers.timer();
  if (name === 'ERROR') return statusInterruption(object);
  state.silentWatches = 0;
  if (name !== 'BOOKMARK') {
    const change = name === 'DELETED' ? cache.remove(object) : cache.put(object);
    if (change !== null) listener.notify(change);
  }
  state.version = newerVersion(state.version ?? from, object.metadata.resourceVersion);
  return null;
}

/** The values of the label `reason` of watch_reconnects_total. */
type InterruptionReason =
  /** The server closed it normally when its time was over. */
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
  /** The answer was unreadable, or this program has a mistake. */
  | 'Failed';

interface Interruption {
  readonly reason: InterruptionReason;
  /** Whether only a new list shows the state; otherwise the watch continues from its version. */
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
/** After these, the version that was reached is still valid. */
const CONTINUED: ReadonlySet<InterruptionReason> = new Set([
  'Ended',
  'Idle',
  'RateLimited',
  'Disconnected',
]);
/** These are not broken connections, although no status came. */
const UNREADABLE: ReadonlySet<unknown> = new Set(['AnswerInvalid', 'AnswerTooLong']);

/** Why a list or a watch ended, and what follows from it. Pure. */
function interruptionOf(reason: InterruptionReason, retryAfterMs = 0): Interruption {
  return { reason, isListDue: !CONTINUED.has(reason), retryAfterMs };
}

/** Returns what a failed list or watch means. */
function failureInterruption(error: unknown): Interruption {
  if (!(error instanceof VarveError)) return interruptionOf('Failed');
  const { httpStatus, reason, retryAfterMs } = error.details;
  if (typeof httpStatus !== 'number' || UNREADABLE.has(reason)) return interruptionOf('Failed');
  return interruptionOf(STATUS_REASONS.get(httpStatus) ?? 'ServerError', pauseOf(retryAfterMs));
}

/** Returns what an ERROR event means; its object is a Status. */
function statusInterruption(status: KubernetesObject): Interruption {
  const { code, reason, details } = status;
  // The server uses both words for an old version whose changes are gone.
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
