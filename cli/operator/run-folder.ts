/** `varve operator --from-folder`: the operator of a cluster, for a folder. */
import { startProbeServer } from '#api/probes.ts';
import { type MetricsPage, NO_OPERATOR_METRICS } from '#core/ports/metrics.ts';
import type { Log } from '#core/ports/platform.ts';
import type { RefreshLink } from '#operator/cluster/cluster-context.ts';
import { checkPeriodically, schedulesStep } from '#operator/cluster/installation-upkeep.ts';
import { FOLDER_CLUSTER } from '#core/records/policy.ts';
import type { ReconcileOptions } from '#operator/folder/reconcile-folder.ts';
import { type Round, watchFolder } from '#operator/folder/watch-folder.ts';
import { createTimers } from '#providers/node/timers.ts';
import { createPrometheusOperatorMetrics } from '#providers/prometheus/operator-exporter.ts';
import { openParts } from '../composition-root.ts';
import type { Config } from '../config.ts';
import { openMetricsPort } from '../probes/metrics-port.ts';
import { temporalPartOf, type TemporalPart } from './temporal-part.ts';

export interface RunFolderOptions {
  readonly config: Config;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called after the first round that applied the whole folder. */
  readonly onReady: (addresses: { readonly metrics: string | null }) => void;
}

/** Keeps the folder of `config.policyDir` applied without Kubernetes, until the signal. */
export async function runFolder({ config, log, signal, onReady }: RunFolderOptions): Promise<void> {
  await using held = new AsyncDisposableStack();
  const { dataDir, settings, policyDir: dir } = config;
  const parts = held.use(await openParts({ dataDir, log, settings }));
  const { metrics, page } = createPrometheusOperatorMetrics(() => undefined);
  const temporal = held.use(temporalPartOf(config, { metrics, log }));
  let isApplied = false;
  const { host, probePort: port } = config;
  // Alive as long as it answers; ready once the folder was applied.
  const fine = { ok: true, findings: [] };
  const notYet = { ok: false, findings: ['the folder is not applied yet; the log says why'] };
  const source = { healthz: () => fine, readyz: () => (isApplied ? fine : notYet) };
  if (port !== null) held.use(await startProbeServer({ host, port, source }));
  const pages = withOperatorPage(parts.metricsPage, page);
  const listening = held.use(await openMetricsPort(pages, config, log));
  const { store, platform, calendar } = parts;
  const onRound = (round: Round): void => {
    const isFirst = round.kind === 'Reconciled' && !isApplied;
    isApplied ||= isFirst;
    if (isFirst) onReady({ metrics: listening?.url ?? null });
  };
  const { releaseNamespace } = config.operator;
  const folder = { dir, clusterId: FOLDER_CLUSTER, releaseNamespace, metrics };
  await keepFolder({ ...folder, store, platform, calendar, temporal, onRound }, signal);
}

/** A folder has no leaders, so it writes with the lowest term. */
const TERM = 0;

/**
 * Options for keeping a policy folder applied, together with what the installation has in Temporal.
 * Used by `varve start` and by `varve operator --from-folder`.
 */
export interface KeptFolder extends Omit<ReconcileOptions, 'refreshes'> {
  readonly dir: string;
  /** Null if no server is known: then no run is signaled, and no schedule is kept. */
  readonly temporal: Omit<TemporalPart, typeof Symbol.asyncDispose> | null;
  /** Called after every round. */
  readonly onRound?: ((round: Round) => void) | undefined;
}

/** Keeps the folder applied. Resolves when the signal is aborted. */
export async function keepFolder(
  { temporal, onRound = () => undefined, ...folder }: KeptFolder,
  signal: AbortSignal,
): Promise<void> {
  const { log } = folder.platform;
  if (temporal === null) return watchFolder({ ...folder, signal, onRound });
  const refreshes = withoutTimers(temporal.refreshes, log);
  const look = (ending: AbortSignal) => temporal.ensureInstallation(TERM, ending);
  // A folder has no status: the log and the metrics report problems.
  const schedules = schedulesStep(look, () => undefined);
  const looking = { timers: createTimers(), log, metrics: folder.metrics ?? NO_OPERATOR_METRICS };
  await Promise.all([
    watchFolder({ ...folder, refreshes, signal, onRound }),
    checkPeriodically(schedules, looking, signal),
  ]);
}

/** Returns one page with the metrics of the store and of the folder's reconciles. */
export function withOperatorPage(page: MetricsPage, operator: MetricsPage): MetricsPage {
  return {
    ...page,
    render: async (others) => `${await page.render(others)}${await operator.render()}`,
  };
}

/**
 * Does not wait for notifications, so an unavailable server holds up no tenant: the refresh request
 * is in the store, and the tick finds it.
 */
function withoutTimers(refreshes: RefreshLink, log: Log): RefreshLink {
  return {
    ...refreshes,
    notify: (tenant) => {
      void refreshes.notify(tenant).catch((error: unknown) => {
        log.warn({ tenant, error }, 'refresh request not delivered; the tick will find it');
      });
      return Promise.resolve();
    },
  };
}
