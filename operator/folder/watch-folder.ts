/**
 * Keeps the store at what a policy folder says, for as long as a process runs.
 *
 * Flow: look at the whole folder, reconcile, wait for a hint or for the resync interval, again.
 * Guarantees: a mistake in the folder, or the folder's absence, leaves the last good policies in
 * place; the same report is logged once and not in every round; the signal ends a long round too,
 * and what it left is done after the next start.
 */
import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { VarveError } from '#core/errors.ts';
import { NO_OPERATOR_METRICS, type OperatorMetrics } from '#core/ports/metrics.ts';
import type { Log } from '#core/ports/platform.ts';
import { tenantIdOf } from '#crds/memory-tenant.ts';
import { FOLDER_RESYNC_MS, GO_ON_AFTER_MS } from '../resync.ts';
import { EnforcedPolicies } from '../tenant/enforced-policies.ts';
import {
  describeOutcome,
  isFine,
  isNews,
  describeProvider,
  isProviderFine,
  isProviderNews,
} from './outcome-text.ts';
import {
  nothingRead,
  type LastRead,
  reconcileFolder,
  type ReconcileOptions,
  type ReconcileOutcome,
} from './reconcile-folder.ts';

/** What the metrics call it. */
const CONTROLLER = 'folder';

export interface WatchFolderOptions extends ReconcileOptions {
  readonly dir: string;
  readonly signal: AbortSignal;
  /** 30 s. */
  readonly resyncMs?: number;
  /** Called after every round that came to its end, for those who print or kick a refresh. */
  readonly onRound?: (round: Round) => void;
}

/** What one look at the folder came to. */
export type Round =
  | { readonly kind: 'Reconciled'; readonly outcome: ReconcileOutcome }
  /** The folder has mistakes, or the store could not be reached; nothing more was changed. */
  | { readonly kind: 'Failed'; readonly error: VarveError };

/** Resolves when the signal fires. What goes wrong in a round is logged, and tried again. */
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
    await events.next(hasMore ? GO_ON_AFTER_MS : resyncMs, signal);
  }
  warnOfUnerased(lastRead, platform.log);
}

/** Deletions are known to this process alone, so none are resumed. */
function warnOfUnerased({ gone }: LastRead, log: Log): void {
  for (const { resource } of gone.values()) {
    if (resource.spec.reclaimPolicy !== 'Erase') continue;
    log.warn({ tenant: tenantIdOf(resource) }, NOT_ERASED);
  }
}

const NOT_ERASED =
  'tenant not erased before the end of this process; what is left of it is kept: put its file ' +
  'back and remove it again to erase it';

/** Only the next round can recover from a failure here, expected or not. */
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

/** Whether there are records that the next step deletes. */
function isErasing({ outcome }: Extract<Round, { kind: 'Reconciled' }>): boolean {
  return outcome.outcomes.some((one) => one.kind === 'Erasing' && one.deleted !== null);
}

/** A look at the folder is one reconcile. */
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

/** Equal texts are the same news, which is logged once. */
function conditionEvents(round: Round): string {
  if (round.kind === 'Failed') return round.error.message;
  const { outcomes, providers } = round.outcome;
  return [
    ...providers.filter(isProviderNews).map(describeProvider),
    ...outcomes.filter(isNews).map(describeOutcome),
  ].join('\n');
}

function logRound(log: ReconcileOptions['platform']['log'], round: Round): void {
  if (round.kind === 'Failed') {
    const { error } = round;
    log.error({ code: error.code, error }, 'folder not applied; the policies stay as they were');
    return;
  }
  for (const outcome of round.outcome.providers.filter(isProviderNews)) {
    const fields = { outcome: outcome.kind, provider: outcome.provider };
    if (isProviderFine(outcome)) log.info(fields, describeProvider(outcome));
    else log.warn(fields, describeProvider(outcome));
  }
  for (const outcome of round.outcome.outcomes.filter(isNews)) {
    const fields = { outcome: outcome.kind, tenant: outcome.tenant };
    if (isFine(outcome)) log.info(fields, describeOutcome(outcome));
    else log.warn(fields, describeOutcome(outcome));
  }
}

/** One save of an editor is several events; they are one change. */
const DEBOUNCE_MS = 200;
/** A folder that is not there can't be watched, so it is looked for. */
const ABSENT_POLL_MS = 2_000;

interface FolderEvents extends Disposable {
  /** Begins to watch, or watches the folder that now has the name. Call before reading it. */
  open(): Promise<void>;
  /** Resolves a moment after the next change, after `timeoutMs`, or when `signal` fires. */
  next(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

/**
 * Hints that a folder changed. Hints may be lost, repeated or late: the waiting loop reads the
 * folder anyway when the wait is over, so only speed depends on them.
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
      // A watcher that failed is opened again by the next round.
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
      // Forgotten before the folder is read, so that a change during the reading is seen after it.
      isChanged = false;
    },
    [Symbol.dispose]: close,
  };
}

/** Null where the system has no watches left; the folder is then looked at from time to time. */
function watchOrPoll(dir: string, change: () => void): FSWatcher | null {
  try {
    return watch(dir, { persistent: false }, change);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

/** A folder that was removed and made again is another one, whatever its name. */
async function inodeOf(dir: string): Promise<bigint | null> {
  try {
    return (await stat(dir, { bigint: true })).ino;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
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
