/**
 * A keyed workqueue with its workers.
 *
 * Flow: watchers add the keys of what changed → `start` lets workers take them → a reconcile ends
 * in one of three results → the key is forgotten, or put back for later.
 * Guarantees: those of `WorkItems`; at most `workers` reconciles at once; an exception of a
 * reconcile never leaves the queue and is always retried; an exception of the metrics or of
 * `onRoom` is logged and holds up nothing; a reconcile that exceeds its time is cancelled and
 * counts as running until it ends, so its key never runs twice at once.
 * Assumptions: reconciles look at the current state, not at what changed.
 */
import { backoffDelay } from '#core/exponential-delay.ts';
import { VarveError } from '#core/errors.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { Log, Timers } from '#core/ports/platform.ts';
import { createTokenBucket, type TokenBucket } from '#core/token-bucket.ts';
import { afterTime } from '../timers.ts';
import {
  resultOfThrown,
  type Reconcile,
  type ReconcileResult,
  resourceFields,
} from './reconcile-result.ts';
import { KEYS_MAX, WorkItems, type Priority, type WorkItem } from './work-items.ts';

/**
 * How long a key waits after a failure. Both limits and their numbers are the defaults of client-go
 * (util/workqueue/default_rate_limiters.go): per key 5 ms doubling up to 1,000 s, and ten failures
 * a second over all keys with a burst of 100. The longer wait counts.
 */
const FIRST_DELAY_MS = 5;
const DELAY_MS_MAX = 1_000_000;
/** Shortens a wait by up to this share, so that keys that failed together come back apart. */
const JITTER = 0.2;
/** At most a tenth later, so that keys that were listed together do not stay in step. */
const REQUEUE_SPREAD = 0.1;

/** @param failures failures of the key in a row, including the latest: at least 1 */
function retryDelayMs(failures: number, random: number): number {
  const delay = backoffDelay(failures, { firstMs: FIRST_DELAY_MS, mostMs: DELAY_MS_MAX });
  return delay * (1 - JITTER * random);
}

/** Returns the delay, never shorter than requested. */
function requeueDelayMs(ms: number, random: number): number {
  return Math.max(0, ms) * (1 + REQUEUE_SPREAD * random);
}

/** Returns the delay that the other side asked for, bounded; 0 if it asked for none. */
function askedDelayMs(details: Readonly<Record<string, unknown>>): number {
  const asked = details['retryAfterMs'];
  if (typeof asked !== 'number' || !Number.isFinite(asked)) return 0;
  return Math.min(Math.max(0, asked), DELAY_MS_MAX);
}

/** The limit of a reconcile, as in temporal-worker-controller. */
const RECONCILE_MS_MAX = 5 * 60_000;
/** How long a stop waits for reconciles; the pod's grace period has to be longer. */
const DRAIN_MS_MAX = 30_000;
/** Rate limit of failures over all keys; client-go's numbers. */
const RETRIES = { perSecond: 10, burst: 100 };
/** Timers of Node overflow at 24.8 days, so a longer wait is split. */
const SLEEP_MS_MAX = 3_600_000;

export interface WorkqueueOptions {
  /** Label of the metrics, e.g. `memorytenant`. */
  readonly name: string;
  readonly reconcile: Reconcile;
  /** Reconciles that may run at the same time. */
  readonly workers: number;
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: OperatorMetrics;
  /** Called when a queue that had to refuse keys has room again: list everything once more. */
  readonly onRoom?: () => void;
  /** `RECONCILE_MS_MAX` if absent. */
  readonly reconcileMsMax?: number;
  /** `KEYS_MAX` if absent. */
  readonly keysMax?: number;
}

export interface RunningKey {
  readonly key: string;
  readonly forMs: number;
}

interface Run {
  readonly startedAt: number;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

export class Workqueue {
  readonly name: string;
  readonly #options: WorkqueueOptions;
  readonly #items: WorkItems;
  readonly #retries: TokenBucket;
  readonly #measured: ReturnType<typeof createWorkqueueMetrics>;
  readonly #failures = new Map<string, number>();
  readonly #runs = new Map<string, Run>();
  readonly #reconcileMsMax: number;
  readonly #keysMax: number;
  #state: 'Held' | 'Working' | 'Stopped' = 'Held';
  #hasRefused = false;
  #alarm = new AbortController();
  #alarmAt: number | null = null;

  constructor(options: WorkqueueOptions) {
    const { name, timers, keysMax = KEYS_MAX, reconcileMsMax = RECONCILE_MS_MAX } = options;
    this.name = name;
    this.#options = options;
    this.#keysMax = keysMax;
    this.#items = new WorkItems(keysMax);
    this.#retries = createTokenBucket(RETRIES, timers.timer());
    this.#measured = createWorkqueueMetrics(options);
    this.#reconcileMsMax = reconcileMsMax;
  }

  /** Requests a reconcile of a key. Before `start`, keys gather; after a stop, they are dropped. */
  add(key: string, options: { priority?: Priority; delayMs?: number } = {}): void {
    if (this.#state === 'Stopped') return;
    const { priority = 'Change', delayMs = 0 } = options;
    const readyAt = this.#options.timers.timer() + Math.max(0, delayMs);
    const added = this.#items.add(key, { priority, readyAt });
    if (added === 'Full' && !this.#hasRefused) {
      this.#options.log.error(
        { queue: this.name, keysMax: this.#keysMax },
        'queue full; will list everything again when it has room',
      );
    }
    this.#hasRefused ||= added === 'Full';
    this.#measured.added(added);
    this.#pump();
  }

  /** Starts the workers. When the signal is aborted, everything that runs is cancelled at once. */
  start(signal: AbortSignal): void {
    if (this.#state !== 'Held') return;
    this.#state = signal.aborted ? 'Stopped' : 'Working';
    signal.addEventListener('abort', () => this.#abandon(), { once: true });
    this.#measured.workers(0);
    this.#pump();
  }

  /**
   * Takes no more keys and waits for running reconciles; those that do not end in time are
   * cancelled. Repeatable. `isDrained` says whether everything ended without a cancellation.
   */
  async stop(drainMsMax = DRAIN_MS_MAX): Promise<{ readonly isDrained: boolean }> {
    this.#state = 'Stopped';
    this.#alarm.abort();
    const patience = new AbortController();
    const over = new Promise<void>((resolve) => {
      afterTime(this.#options.timers, { ms: drainMsMax, signal: patience.signal }, resolve);
    });
    await Promise.race([Promise.all([...this.#runs.values()].map(({ ended }) => ended)), over]);
    patience.abort();
    const isDrained = this.#runs.size === 0;
    this.#abandon();
    return { isDrained };
  }

  /** The keys that run now, longest first. */
  running(): readonly RunningKey[] {
    const now = this.#options.timers.timer();
    return [...this.#runs]
      .map(([key, { startedAt }]) => ({ key, forMs: now - startedAt }))
      .toSorted((a, b) => b.forMs - a.forMs);
  }

  /** Reconciles that exceed their time and did not end when they were cancelled. */
  stuck(graceMs: number): readonly RunningKey[] {
    return this.running().filter(({ forMs }) => forMs > this.#reconcileMsMax + graceMs);
  }

  /** Counts of keys that could run now, and of all keys that still have to run. */
  timers(): { readonly ready: number; readonly all: number } {
    return { ready: this.#items.depth, all: this.#items.size };
  }

  #abandon(): void {
    this.#state = 'Stopped';
    this.#alarm.abort();
    for (const { abort } of this.#runs.values()) abort.abort();
  }

  #pump(): void {
    if (this.#state !== 'Working') return;
    const now = this.#options.timers.timer();
    while (this.#runs.size < this.#options.workers) {
      const item = this.#items.take(now);
      if (item === null) break;
      this.#run(item, now);
    }
    this.#callForKeys();
    this.#setAlarm(now);
    this.#measured.depth(this.#items.depth);
  }

  #run(item: WorkItem, startedAt: number): void {
    const { key } = item;
    const abort = new AbortController();
    const ended = this.#reconcile(item, abort)
      .then((result) => this.#settle(key, result))
      .finally(() => {
        this.#items.finish(key);
        this.#runs.delete(key);
        this.#measured.workers(this.#runs.size);
        this.#measured.worked(this.#options.timers.timer() - startedAt);
        this.#pump();
      });
    this.#runs.set(key, { startedAt, abort, ended });
    this.#measured.taken(startedAt - item.readyAt, this.#runs.size);
  }

  async #reconcile({ key }: WorkItem, abort: AbortController): Promise<ReconcileResult> {
    const { timers, reconcile } = this.#options;
    const attempt = (this.#failures.get(key) ?? 0) + 1;
    const limit = new AbortController();
    afterTime(timers, { ms: this.#reconcileMsMax, signal: limit.signal }, () => {
      this.#measured.timedOut(key);
      abort.abort(
        new VarveError(
          'TIMEOUT',
          'This reconcile took too long and was stopped; the operator retries it.',
        ),
      );
    });
    try {
      return await reconcile({ key, attempt, signal: abort.signal });
    } catch (thrown) {
      const { result, isPanic } = resultOfThrown(thrown);
      if (isPanic) this.#measured.panicked(key, result.error);
      return result;
    } finally {
      limit.abort();
    }
  }

  #settle(key: string, result: ReconcileResult): void {
    if (this.#state === 'Stopped' && isCancelled(result)) return;
    this.#measured.reconciled(key, result);
    const { timers } = this.#options;
    const now = timers.timer();
    const failures = (this.#failures.get(key) ?? 0) + 1;
    const isFailing =
      result.kind === 'Retry' || (result.kind === 'RequeueAfter' && result.isFailing);
    if (isFailing === true) this.#failures.set(key, failures);
    else this.#failures.delete(key);
    if (result.kind === 'RequeueAfter') {
      const readyAt = now + requeueDelayMs(result.ms, timers.random());
      this.#items.putBack(key, { priority: 'Listed', readyAt });
    }
    if (result.kind !== 'Retry') return;
    const delay = Math.max(
      retryDelayMs(failures, timers.random()),
      askedDelayMs(result.error.details),
      this.#retries.reserve(now),
    );
    this.#items.putBack(key, { priority: 'Change', readyAt: now + delay });
  }

  /** Waits until the queue is half empty, so that a full queue does not list again and again. */
  #callForKeys(): void {
    if (!this.#hasRefused || this.#items.size > this.#keysMax / 2) return;
    this.#hasRefused = false;
    try {
      this.#options.onRoom?.();
    } catch (error) {
      // The refused keys are still missing, so the next key triggers another call.
      this.#hasRefused = true;
      this.#options.log.error({ queue: this.name, error }, 'failed to list refused keys');
    }
  }

  #setAlarm(now: number): void {
    const at = this.#runs.size < this.#options.workers ? this.#items.nextAt() : null;
    if (at === this.#alarmAt) return;
    this.#alarm.abort();
    this.#alarm = new AbortController();
    this.#alarmAt = at;
    if (at === null) return;
    const ms = Math.min(Math.max(0, at - now), SLEEP_MS_MAX);
    afterTime(this.#options.timers, { ms, signal: this.#alarm.signal }, () => {
      this.#alarmAt = null;
      this.#pump();
    });
  }
}

/** Whether a reconcile ended because it was cancelled, which is not a failure. */
function isCancelled(result: ReconcileResult): boolean {
  return result.kind === 'Retry' && result.error.code === 'CANCELLED';
}

type MetricsOptions = Pick<WorkqueueOptions, 'name' | 'workers' | 'log' | 'metrics'>;

/** The value of the label `result`, as in controller-runtime. */
const RESULTS = {
  Done: 'success',
  RequeueAfter: 'requeue_after',
  Retry: 'error',
} as const satisfies Readonly<Record<ReconcileResult['kind'], string>>;

/**
 * What a workqueue reports about itself: metrics with the established names, and log lines.
 * Failures of the metrics are never thrown.
 */
function createWorkqueueMetrics(given: MetricsOptions) {
  const options = { ...given, metrics: containedMetrics(given.metrics, given.log) };
  const { name, metrics } = options;
  const [queue, controller] = [{ name }, { controller: name }];
  return {
    added(outcome: 'Added' | 'Known' | 'Full'): void {
      if (outcome === 'Added') metrics.count('workqueue_adds_total', queue);
      if (outcome === 'Full') metrics.count('workqueue_refusals_total', queue);
    },
    depth: (keys: number) => metrics.set('workqueue_depth', queue, keys),
    workers(active: number): void {
      metrics.set('controller_runtime_max_concurrent_reconciles', controller, options.workers);
      metrics.set('controller_runtime_active_workers', controller, active);
    },
    taken(waitedMs: number, active: number): void {
      metrics.observe('workqueue_queue_duration_seconds', queue, Math.max(0, waitedMs) / 1_000);
      metrics.set('controller_runtime_active_workers', controller, active);
    },
    worked(forMs: number): void {
      metrics.observe('workqueue_work_duration_seconds', queue, forMs / 1_000);
      metrics.observe('controller_runtime_reconcile_time_seconds', controller, forMs / 1_000);
    },
    reconciled: (key: string, result: ReconcileResult) => reportResult(key, result, options),
    timedOut(key: string): void {
      metrics.count('controller_runtime_reconcile_timeouts_total', controller);
      options.log.warn({ controller: name, ...resourceFields(key) }, 'reconcile timed out');
    },
    panicked(key: string, error: VarveError): void {
      metrics.count('controller_runtime_reconcile_panics_total', controller);
      options.log.error(
        { controller: name, ...resourceFields(key), error },
        'reconcile failed; will retry',
      );
    },
  };
}

function reportResult(key: string, result: ReconcileResult, options: MetricsOptions): void {
  const { name, log, metrics } = options;
  const controller = { controller: name };
  metrics.count('controller_runtime_reconcile_total', {
    ...controller,
    result: RESULTS[result.kind],
  });
  if (result.kind !== 'Retry') return;
  const { code, message } = result.error;
  metrics.count('controller_runtime_reconcile_errors_total', controller);
  metrics.count('workqueue_retries_total', { name });
  // Another process wrote first, which is normal now and then.
  const level = code === 'CONFLICT' ? 'debug' : 'warn';
  const fields = { controller: name, ...resourceFields(key), code, error: message };
  log[level](fields, 'reconcile failed; will retry');
}

// Metrics that cannot hold up the queue: their failure is logged and goes no further.

/** Returns the same metrics, with methods that never throw. */
function containedMetrics(metrics: OperatorMetrics, log: Log): OperatorMetrics {
  const contained = (metric: string, report: () => void): void => {
    try {
      report();
    } catch (error) {
      log.error({ metric, error }, 'failed to record metric');
    }
  };
  return {
    count: (name, labels, by) => contained(name, () => metrics.count(name, labels, by)),
    observe: (name, labels, value) => contained(name, () => metrics.observe(name, labels, value)),
    set: (name, labels, value) => contained(name, () => metrics.set(name, labels, value)),
  };
}
