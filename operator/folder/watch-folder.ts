/**
 * Keeps the store at what a policy folder says, for as long as a process runs.
 *
 * Flow: look at the whole folder, reconcile, wait for a hint or for the resync interval, again.
 * Guarantees: a mistake in the folder, or the folder's absence, leaves the last good policies in
 * place; the same report is logged once and not in every round; the signal ends a long round too,
 * and what it left is done after the next start.
 */
import { VarveError } from '#core/errors.ts';
import { folderEvents } from './folder-events.ts';
import { describeOutcome, isNews } from '../outcome.ts';
import { GO_ON_AFTER_MS, Settled } from '../settled.ts';
import { reconcileFolder, type ReconcileOptions, type ReconcileOutcome } from './reconcile.ts';

/** How long a change can go unseen when the system loses the hint of it. */
const RESYNC_MS = 30_000;

export interface WatchFolderOptions extends ReconcileOptions {
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

/** Resolves when the signal fires. Rejects only with errors that are mistakes of the program. */
export async function watchFolder(options: WatchFolderOptions): Promise<void> {
  const { dir, platform, signal, resyncMs = RESYNC_MS } = options;
  const settled = options.settled ?? new Settled();
  const lastRead = options.lastRead ?? { resources: null };
  using events = folderEvents(dir);
  let said = '';
  while (!signal.aborted) {
    await events.open();
    const round = await reconcileOnce({ ...options, settled, lastRead });
    const news = newsOf(round);
    if (news !== said && news !== '') logRound(platform.log, round);
    said = news;
    if (signal.aborted) return;
    options.onRound?.(round);
    const hasMore = round.kind === 'Reconciled' && settled.isAnyBegun();
    await events.next(hasMore ? GO_ON_AFTER_MS : resyncMs, signal);
  }
}

async function reconcileOnce(options: ReconcileOptions): Promise<Round> {
  try {
    return { kind: 'Reconciled', outcome: await reconcileFolder(options) };
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    return { kind: 'Failed', error };
  }
}

/** Equal texts are the same news, which is told once. */
function newsOf(round: Round): string {
  if (round.kind === 'Failed') return round.error.message;
  return round.outcome.outcomes.filter(isNews).map(describeOutcome).join('\n');
}

function logRound(log: ReconcileOptions['platform']['log'], round: Round): void {
  if (round.kind === 'Failed') {
    const { code, message } = round.error;
    log.error({ code }, `The policies stay as they were. ${message}`);
    return;
  }
  for (const outcome of round.outcome.outcomes.filter(isNews)) {
    const { kind, tenant } = outcome;
    const fields = { outcome: kind, tenant };
    if (kind === 'Applied' || kind === 'Kept') log.info(fields, describeOutcome(outcome));
    else log.warn(fields, describeOutcome(outcome));
  }
}
