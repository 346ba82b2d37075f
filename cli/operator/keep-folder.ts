/**
 * A policy folder kept applied, and what the installation has in Temporal beside it: by
 * `varve start`, and by `varve operator --from-folder`.
 */
import type { Log } from '#core/ports/platform.ts';
import type { MetricsPage } from '#core/ports/metrics.ts';
import { NO_OPERATOR_METRICS } from '#core/ports/operator-metrics.ts';
import type { RefreshLink } from '#operator/cluster/context.ts';
import type { ReconcileOptions } from '#operator/folder/reconcile.ts';
import { watchFolder, type Round } from '#operator/folder/watch-folder.ts';
import { lookNowAndThen, schedulesStep } from '#operator/cluster/periodic-sync.ts';
import { createTimers } from '#providers/node/timers.ts';
import type { TemporalPart } from './temporal-part.ts';

/** A folder has no leaders, so that its word is the earliest. */
const TERM = 0;

export interface KeptFolder extends Omit<ReconcileOptions, 'refreshes'> {
  readonly dir: string;
  /** Null where none is known: then no worker is woken, and no schedule is kept. */
  readonly temporal: Omit<TemporalPart, typeof Symbol.asyncDispose> | null;
  /** Called after every look at the folder. */
  readonly onRound?: ((round: Round) => void) | undefined;
}

/** Resolves when the signal is aborted. */
export async function keepFolder(
  { temporal, onRound = () => undefined, ...folder }: KeptFolder,
  signal: AbortSignal,
): Promise<void> {
  const { log } = folder.platform;
  if (temporal === null) return watchFolder({ ...folder, signal, onRound });
  const refreshes = withoutTimers(temporal.refreshes, log);
  const look = (ending: AbortSignal) => temporal.ensureInstallation(TERM, ending);
  // A folder has no status: the log and the metrics report it.
  const schedules = schedulesStep(look, () => undefined);
  const looking = { timers: createTimers(), log, metrics: folder.metrics ?? NO_OPERATOR_METRICS };
  await Promise.all([
    watchFolder({ ...folder, refreshes, signal, onRound }),
    lookNowAndThen(schedules, looking, signal),
  ]);
}

/** One page covers the store and the reconciles of the folder. */
export function withOperatorPage(page: MetricsPage, operator: MetricsPage): MetricsPage {
  return {
    ...page,
    render: async (others) => `${await page.render(others)}${await operator.render()}`,
  };
}

/** A server that is away holds up no tenant: the wish is in the store, and the tick finds it. */
function withoutTimers(refreshes: RefreshLink, log: Log): RefreshLink {
  return {
    ...refreshes,
    wake: (tenant) => {
      void refreshes.wake(tenant).catch((error: unknown) => {
        log.warn({ tenant, error }, 'refresh request not delivered; the tick will find it');
      });
      return Promise.resolve();
    },
  };
}
