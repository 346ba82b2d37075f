/**
 * Keeps the store at what a policy folder says, for as long as a process runs.
 *
 * Flow: look at the whole folder, reconcile, wait for a hint or for the resync interval, again.
 * Guarantees: a mistake in the folder, or the folder's absence, leaves the last good policies in
 * place; the same report is logged once and not in every round; the signal ends a long round too,
 * and what it left is done after the next start.
 */
import { VarveError } from '#core/errors.ts';
import { NO_OPERATOR_METRICS, type OperatorMetrics } from '#core/ports/operator-metrics.ts';
import type { Log } from '#core/ports/platform.ts';
import { tenantIdOf } from '#crds/memory-tenant.ts';
import { folderEvents, type FolderEvents } from './folder-events.ts';
import { nothingRead, type LastRead } from './last-read.ts';
import { describeOutcome, isFine, isNews } from './outcome.ts';
import { describeProvider, isProviderFine, isProviderNews } from './provider-outcome.ts';
import { GO_ON_AFTER_MS, AppliedPolicies } from '../tenant/applied-policies.ts';
import { reconcileFolder, type ReconcileOptions, type ReconcileOutcome } from './reconcile.ts';

/** How long a change can go unseen when the system loses the hint of it. */
const RESYNC_MS = 30_000;
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
  const { dir, platform, signal, resyncMs = RESYNC_MS } = options;
  const { metrics = NO_OPERATOR_METRICS } = options;
  const appliedPolicies = options.appliedPolicies ?? new AppliedPolicies();
  const lastRead = options.lastRead ?? nothingRead();
  using events = folderEvents(dir);
  let said = '';
  while (!signal.aborted) {
    const round = await oneRound(events, { ...options, appliedPolicies, lastRead });
    const news = newsOf(round);
    if (news !== said && news !== '') logRound(platform.log, round);
    said = news;
    countRound(metrics, round);
    if (signal.aborted) break;
    options.onRound?.(round);
    const hasMore =
      round.kind === 'Reconciled' && (appliedPolicies.isAnyBegun() || isErasing(round));
    await events.next(hasMore ? GO_ON_AFTER_MS : resyncMs, signal);
  }
  tellUnerased(lastRead, platform.log);
}

/** Deletions are known to this process alone, so none are resumed. */
function tellUnerased({ gone }: LastRead, log: Log): void {
  for (const { resource } of gone.values()) {
    if (resource.spec.reclaimPolicy !== 'Erase') continue;
    log.warn({ tenant: tenantIdOf(resource) }, NOT_ERASED);
  }
}

const NOT_ERASED =
  'The tenant was to be erased, and this process ends before it is. What is left of it is kept; ' +
  'put its file back and remove it again to have it erased.';

/** Nobody can end what fails here but the next round, whether it was foreseen or not. */
async function oneRound(
  events: Pick<FolderEvents, 'open'>,
  options: ReconcileOptions,
): Promise<Round> {
  try {
    await events.open();
    return { kind: 'Reconciled', outcome: await reconcileFolder(options) };
  } catch (cause) {
    if (cause instanceof VarveError) return { kind: 'Failed', error: cause };
    const message = 'A look at the policy folder failed unexpectedly; it is tried again.';
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
function newsOf(round: Round): string {
  if (round.kind === 'Failed') return round.error.message;
  const { outcomes, providers } = round.outcome;
  return [
    ...providers.filter(isProviderNews).map(describeProvider),
    ...outcomes.filter(isNews).map(describeOutcome),
  ].join('\n');
}

function logRound(log: ReconcileOptions['platform']['log'], round: Round): void {
  if (round.kind === 'Failed') {
    const { code, message, cause } = round.error;
    log.error(
      cause === undefined ? { code } : { code, cause },
      `The policies stay as they were. ${message}`,
    );
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
