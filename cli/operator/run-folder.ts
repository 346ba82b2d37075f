/** A policy folder kept applied: by `varve start`, and by `varve operator --from-folder`. */
import { randomUUID } from 'node:crypto';
import { startProbeServer } from '#api/probes.ts';
import { startMetricsServer } from '#api/scrape.ts';
import { NO_OPERATOR_METRICS } from '#core/ports/operator-metrics.ts';
import type { Log } from '#core/ports/platform.ts';
import { NO_REFRESHES } from '#operator/cluster/cluster-operator.ts';
import type { RefreshLink } from '#operator/cluster/context.ts';
import { FOLDER_CLUSTER, type ReconcileOptions } from '#operator/folder/reconcile.ts';
import { watchFolder, type Round } from '#operator/folder/watch-folder.ts';
import type { Outcome } from '#operator/outcome.ts';
import { openParts, type Parts } from '../compose.ts';
import type { Config } from '../config.ts';
import { localToken } from '../stack/api-token.ts';
import { stackPaths } from '../stack/paths.ts';
import { createTemporalPart, type TemporalPart } from './temporal-part.ts';

export interface RunFolderOptions {
  readonly config: Config;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Told after the first look that applied the whole folder. */
  readonly onReady: (addresses: { readonly metrics: string | null }) => void;
}

/** The folder of `config.policyDir` without Kubernetes, until the signal. */
export async function runFolder({ config, log, signal, onReady }: RunFolderOptions): Promise<void> {
  await using held = new AsyncDisposableStack();
  const { dataDir, settings, policyDir: dir } = config;
  const parts = held.use(await openParts({ dataDir, log, settings }));
  const temporal = temporalOf(config, log);
  if (temporal !== null) held.use(temporal);
  const state = { isApplied: false };
  if (config.probePort !== null) held.use(await probesOf(config, config.probePort, state));
  const metrics = held.use(await metricsOf(parts, config));
  const { store, platform, calendar } = parts;
  const refreshes = temporal?.refreshes ?? NO_REFRESHES;
  const onRound = (round: Round): void => {
    const isFirst = round.kind === 'Reconciled' && !state.isApplied;
    state.isApplied ||= isFirst;
    if (isFirst) onReady({ metrics: metrics?.url ?? null });
  };
  const clusterId = FOLDER_CLUSTER;
  const folder = { dir, store, platform, calendar, clusterId, refreshes, onRound };
  await keepFolder(folder, signal);
}

function temporalOf(config: Config, log: Log): TemporalPart | null {
  const { temporalAddress: address, temporalNamespace: namespace } = config;
  const { temporalSecurity: security } = config;
  if (address === null) return null;
  const connect: Parameters<typeof createTemporalPart>[0]['connect'] = async () => {
    const { connectTemporal } = await import('#providers/temporal/client.ts');
    return connectTemporal({ address, namespace, security });
  };
  return createTemporalPart({ connect, metrics: NO_OPERATOR_METRICS, log });
}

/** Alive as long as it answers; ready once the folder was applied. */
function probesOf(
  { host }: Config,
  port: number,
  state: { readonly isApplied: boolean },
): Promise<AsyncDisposable> {
  const notYet = { ok: false, findings: ['the folder is not applied yet; the log says why'] };
  const fine = { ok: true, findings: [] };
  const readyz = () => (state.isApplied ? fine : notYet);
  return startProbeServer({ host, port, source: { healthz: () => fine, readyz } });
}

/** The page of a worker: what the store holds, without the name of a tenant. Null for no port. */
async function metricsOf(
  { metricsPage: page, isMetricsOpen: isOpen, platform }: Parts,
  { host, apiToken, dataDir, metricsPort: port }: Config,
) {
  if (port === null) return null;
  // An open page is read without a token; a file for one would need a folder of its own.
  const local = isOpen ? randomUUID() : await localToken(stackPaths(dataDir).token);
  const token = apiToken ?? local;
  return startMetricsServer({ page, isOpen, token, log: platform.log, host, port });
}

export interface KeptFolder extends ReconcileOptions {
  readonly refreshes: Pick<RefreshLink, 'wake'>;
  /** Called after every look at the folder. */
  readonly onRound?: (round: Round) => void;
}

/** Resolves when the signal is aborted. */
export async function keepFolder(folder: KeptFolder, signal: AbortSignal): Promise<void> {
  const { refreshes, platform, onRound } = folder;
  const wake = async (outcome: Outcome): Promise<void> => {
    if (!('isWoken' in outcome) || !outcome.isWoken) return;
    const { tenant } = outcome;
    await refreshes.wake(tenant).catch((error: unknown) => {
      platform.log.warn({ tenant, error }, 'wake not delivered; the tick will find it');
    });
  };
  await watchFolder({
    ...folder,
    signal,
    onRound: (round) => {
      if (round.kind === 'Reconciled') void Promise.all(round.outcome.outcomes.map(wake));
      onRound?.(round);
    },
  });
}
