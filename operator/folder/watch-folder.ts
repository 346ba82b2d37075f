/**
 * Keeps the store in line with a policy folder for as long as the process runs.
 *
 * Flow: reconcile the whole folder, wait for a hint or for the resync interval, repeat.
 * Guarantees: if the folder has a mistake or is absent, the last good policies stay in place; the
 * same report is logged once and not in every round; the signal also ends a long round, and the
 * next start does the rest.
 */
import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, VarveError } from '#core/errors.ts';
import { NO_OPERATOR_METRICS, type OperatorMetrics } from '#core/ports/metrics.ts';
import { FOLDER_RESYNC_MS, CONTINUE_AFTER_MS } from '../resync-intervals.ts';
import { EnforcedPolicies } from '../tenant/enforced-policies.ts';
import {
  describeOutcome,
  needsNoAction,
  needsReport,
  describeProvider,
  isProviderFine,
  isWorthLogging,
} from './outcome-text.ts';
import {
  nothingRead,
  reconcileFolder,
  type ReconcileOptions,
  type ReconcileOutcome,
} from './reconcile-folder.ts';

/** The label of the metrics. */
const CONTROLLER = 'folder';

interface WatchFolderOptions extends ReconcileOptions {
  readonly dir: string;
  readonly signal: AbortSignal;
  /** 30 s if absent. */
  readonly resyncMs?: number;
  /** Called after every completed round, for callers that print it or request a refresh. */
  readonly onRound?: (round: Round) => void;
}

/** The result of one round. */
export type Round =
  | { readonly kind: 'Reconciled'; readonly outcome: ReconcileOutcome }
  /** The folder has mistakes, or the store could not be reached; nothing more was changed. */
  | { readonly kind: 'Failed'; readonly error: VarveError };

/** Resolves when the signal fires. A failure in a round is logged, and the round is retried. */
export async function watchFolder(options: WatchFolderOptions): Promise<void> {
  const { dir, platform, signal, resyncMs = FOLDER_RESYNC_MS } = options;
  const { metrics = NO_OPERATOR_METRICS } = options;
  const enforcedPolicies = options.enforcedPolicies ?? new EnforcedPolicies();
  const lastRead = options.lastRead ?? nothingRead();
  using events = folderEvents(dir);
  let said = '';
  while (!signal.aborted) {
    const round = await oneRound(events, { ...options, enforcedPolicies, lastRead });
    const news = conditionEvents(round);
    if (news !== said && news !== '') logRound(platform.log, round);
    said = news;
    countRound(metrics, round);
    if (signal.aborted) break;
    options.onRound?.(round);
    const hasMore =
      round.kind === 'Reconciled' && (enforcedPolicies.isAnyBegun() || isErasing(round));
    await events.next(hasMore ? CONTINUE_AFTER_MS : resyncMs, signal);
  }
}

/** Runs one round. Only the next round can recover from a failure here, expected or not. */
async function oneRound(
  events: Pick<FolderEvents, 'open'>,
  options: ReconcileOptions,
): Promise<Round> {
  try {
    await events.open();
    return { kind: 'Reconciled', outcome: await reconcileFolder(options) };
  } catch (cause) {
    if (cause instanceof VarveError) return { kind: 'Failed', error: cause };
    const message = 'Reading the policy folder failed unexpectedly; Varve retries.';
    return { kind: 'Failed', error: new VarveError('PROVIDER_ERROR', message, { cause }) };
  }
}

/** Whether there are records for the next step to delete. */
function isErasing({ outcome }: Extract<Round, { kind: 'Reconciled' }>): boolean {
  return outcome.outcomes.some((one) => one.kind === 'Erasing' && one.deleted !== null);
}

/** Counts a round as one reconcile. */
function countRound(metrics: Pick<OperatorMetrics, 'count'>, round: Round): void {
  const isError = round.kind === 'Failed' || hasAnyFailed(round.outcome);
  const result = isError ? 'error' : 'success';
  metrics.count('controller_runtime_reconcile_total', { controller: CONTROLLER, result });
  if (!isError) return;
  metrics.count('controller_runtime_reconcile_errors_total', { controller: CONTROLLER });
}

function hasAnyFailed({ outcomes, providers }: ReconcileOutcome): boolean {
  return [...outcomes, ...providers].some(({ kind }) => kind === 'Failed');
}

/** Returns the news of a round as text. Equal texts are the same news, which is logged once. */
function conditionEvents(round: Round): string {
  if (round.kind === 'Failed') return round.error.message;
  const { outcomes, providers } = round.outcome;
  return [
    ...providers.filter(isWorthLogging).map(describeProvider),
    ...outcomes.filter(needsReport).map(describeOutcome),
  ].join('\n');
}

function logRound(log: ReconcileOptions['platform']['log'], round: Round): void {
  if (round.kind === 'Failed') {
    const { error } = round;
    log.error({ code: error.code, error }, 'folder not applied; the policies stay as they were');
    return;
  }
  const { providers, outcomes } = round.outcome;
  for (const outcome of providers.filter(isWorthLogging)) {
    const { kind, provider } = outcome;
    const level = isProviderFine(outcome) ? 'info' : 'warn';
    log[level]({ outcome: kind, provider }, describeProvider(outcome));
  }
  for (const outcome of outcomes.filter(needsReport)) {
    const { kind, tenant } = outcome;
    log[needsNoAction(outcome) ? 'info' : 'warn'](
      { outcome: kind, tenant },
      describeOutcome(outcome),
    );
  }
}

/** One save in an editor causes several events; they count as one change. */
const DEBOUNCE_MS = 200;
/** A folder that does not exist can't be watched, so it is polled for. */
const ABSENT_POLL_MS = 2_000;

interface FolderEvents extends Disposable {
  /** Begins to watch, or switches to the folder that now has the path. Call it before reading. */
  open(): Promise<void>;
  /** Resolves a moment after the next change, after `timeoutMs`, or when `signal` fires. */
  next(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

/**
 * Hints that a folder changed. Hints may be lost, repeated or late. Only speed depends on them: the
 * loop reads the folder anyway when the wait is over.
 */
function folderEvents(dir: string): FolderEvents {
  let watcher: FSWatcher | null = null;
  let inode: bigint | null = null;
  let isChanged = false;
  let endWait: () => void = () => undefined;

  const close = (): void => {
    watcher?.close();
    watcher = null;
    inode = null;
  };
  const change = (): void => {
    isChanged = true;
    endWait();
  };
  return {
    async open() {
      const current = await inodeOf(dir);
      if (watcher !== null && inode === current) return;
      close();
      if (current === null) return;
      watcher = watchOrPoll(dir, change);
      // The next round reopens a watcher that failed.
      watcher?.on('error', close);
      inode = current;
    },
    async next(timeoutMs, signal) {
      const limitMs = watcher === null ? Math.min(timeoutMs, ABSENT_POLL_MS) : timeoutMs;
      const timers = new AbortController();
      endWait = () => timers.abort();
      signal.addEventListener('abort', endWait, { once: true });
      if (!isChanged && !signal.aborted) await pause(limitMs, timers.signal);
      signal.removeEventListener('abort', endWait);
      endWait = () => undefined;
      if (isChanged) await pause(DEBOUNCE_MS, signal);
      // Reset before the folder is read, so that a change during the reading is seen after it.
      isChanged = false;
    },
    [Symbol.dispose]: close,
  };
}

/** Returns null if the system has no watches left; the folder is then polled. */
function watchOrPoll(dir: string, change: () => void): FSWatcher | null {
  try {
    return watch(dir, { persistent: false }, change);
  } catch (error) {
    if (codeOf(error) !== undefined) return null;
    throw error;
  }
}

/** Identifies the folder itself: one that was removed and made again is another folder. */
async function inodeOf(dir: string): Promise<bigint | null> {
  try {
    return (await stat(dir, { bigint: true })).ino;
  } catch (error) {
    if (codeOf(error) !== undefined) return null;
    throw error;
  }
}

/** Waits; a signal that ends the wait is not a failure. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
