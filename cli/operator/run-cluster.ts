/**
 * The operator of a cluster as a process: store, API server, Temporal, probes, metrics.
 *
 * Flow: probes → name the cluster → open the store → run until the signal → drain → release the
 * Lease → close everything in reverse order.
 * Guarantees: a part that does not answer at the start is waited for, and `/readyz` names it.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { startProbeServer, type ProbeSource } from '#api/probes.ts';
import { VarveError } from '#core/errors.ts';
import type { KubernetesApi } from '#core/ports/kubernetes-api.ts';
import type { MetricsPage } from '#core/ports/metrics.ts';
import type { Log, Timers } from '#core/ports/platform.ts';
import { clusterIdOf } from '#operator/cluster/cluster-id.ts';
import { createClusterOperator, type ClusterOperator } from '#operator/cluster/cluster-operator.ts';
import {
  setOperatorGauges,
  liveness,
  readiness,
  type OperatorParts,
} from '#operator/cluster/operator-health.ts';
import { openKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';
import { createTimers } from '#providers/node/timers.ts';
import { createPrometheusOperatorMetrics } from '#providers/prometheus/operator-exporter.ts';
import { openParts } from '../composition-root.ts';
import type { Config } from '../config.ts';
import { openMetricsPort } from '../probes/metrics-port.ts';
import { temporalPartOf } from './temporal-part.ts';
import { backoffDelay } from '#core/exponential-delay.ts';

// Waits for what the operator cannot work without. If the process ended after each failed try,
// restarts would pause for minutes, long after an outage is over.

/** The pause doubles with each try, up to the maximum. */
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 30_000;
/** Up to a fifth longer, so that replicas do not come back together. */
const JITTER = 0.2;

interface Opening {
  readonly timers: Timers;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called with a sentence that names what is missing. */
  readonly onMissing: (finding: string) => void;
}

/**
 * Retries `open` until it succeeds.
 * @param what e.g. `the store`
 * @throws VarveError CANCELLED with the signal; a permanent failure at once
 */
export async function untilOpen<T>(
  what: string,
  open: () => Promise<T>,
  { timers, log, signal, onMissing }: Opening,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    if (signal.aborted) throw new VarveError('CANCELLED', `The wait for ${what} was cancelled.`);
    onMissing(`${what} is not there yet`);
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof VarveError) || !error.retryable) throw error;
      const { code, message } = error;
      const pause = { firstMs: FIRST_PAUSE_MS, mostMs: PAUSE_MS_MAX };
      const pauseMs = backoffDelay(tries, pause) * (1 + JITTER * timers.random());
      onMissing(`${what} does not answer (${code})`);
      const fields = { code, error: message, pauseMs: Math.round(pauseMs) };
      log.warn(fields, `${what} does not answer; trying again`);
      await timers.wait(pauseMs, signal);
    }
  }
}

const USER_AGENT = 'varve-operator';

export interface RunClusterOptions {
  readonly config: Config;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called once it listens and runs. */
  readonly onReady: (addresses: { readonly probes: string | null }) => void;
}

/** @throws VarveError CONFLICT if the Lease was lost: start the process again */
export async function runCluster(options: RunClusterOptions): Promise<void> {
  const { config, log, signal } = options;
  const { leaseName, releaseNamespace, watchNamespaces, requestsPerSecond } = config.operator;
  await using held = new AsyncDisposableStack();
  const timers = createTimers();
  const running: { operator: ClusterOperator | null } = { operator: null };
  const { metrics, page } = createPrometheusOperatorMetrics((all) => {
    if (running.operator === null) return;
    const { queues, parts, unsynced } = running.operator;
    setOperatorGauges(all, { queues, watches: parts.watches, unsynced });
  });
  const api = held.use(
    openKubernetesApi({
      kubeconfig: config.kubeconfig,
      userAgent: USER_AGENT,
      timers,
      metrics,
      ...(requestsPerSecond === null ? {} : { requestsPerSecond, burst: requestsPerSecond * 2 }),
    }),
  );
  const probes = createOperatorProbes();
  const { host, probePort: port } = config;
  const { source } = probes;
  const listening = port === null ? null : await startProbeServer({ host, port, source });
  if (listening !== null) held.use(listening);
  held.use(await metricsOf(page, options));
  const needed = await neededOf(api, options, {
    timers,
    onMissing: (finding) => probes.missing(finding),
  });
  if (needed === null) return;
  const { clusterId } = needed;
  const parts = held.use(needed.parts);
  const temporal = held.use(temporalPartOf(config, { owner: clusterId, metrics, log }));
  if (temporal === null) {
    log.warn({}, 'TEMPORAL_ADDRESS is not set; no refresh is requested and no schedule is kept');
  }
  const operator = createClusterOperator({
    api,
    store: parts.store,
    platform: parts.platform,
    calendar: parts.calendar,
    timers,
    identity: `${config.operator.podName ?? hostname()}_${randomUUID()}`,
    clusterId,
    releaseNamespace,
    namespaces: watchNamespaces,
    leaseName,
    metrics,
    ...(temporal === null
      ? {}
      : {
          refreshes: temporal.refreshes,
          ensureInstallation: (term, stopping) => temporal.ensureInstallation(term, stopping),
        }),
  });
  running.operator = operator;
  probes.running(operator.parts);
  options.onReady({ probes: listening?.url ?? null });
  if ((await operator.run(signal)) === 'Stopped') return;
  const message =
    'The Lease was lost: another operator leads, or the API server did not answer in time. ' +
    'Start this one again.';
  throw new VarveError('CONFLICT', message);
}

/** Opens what the operator cannot work without; null if the signal came first. */
async function neededOf(
  api: KubernetesApi,
  { config, log, signal }: RunClusterOptions,
  hooks: Pick<Opening, 'timers' | 'onMissing'>,
) {
  const opening = { ...hooks, log, signal };
  const { clusterId, releaseNamespace } = config.operator;
  const { dataDir, settings } = config;
  try {
    const id =
      clusterId ??
      (await untilOpen('the API server', () => clusterIdOf(api, releaseNamespace), opening));
    const open = () => openParts({ dataDir, log, settings });
    return { clusterId: id, parts: await untilOpen('the store', open, opening) };
  } catch (error) {
    if (signal.aborted && error instanceof VarveError && error.code === 'CANCELLED') return null;
    throw error;
  }
}

/** Without a configured token, a random one keeps everybody out, unless the page is open. */
export async function metricsOf(
  page: MetricsPage,
  { config, log }: Pick<RunClusterOptions, 'config' | 'log'>,
) {
  return openMetricsPort(page, config, log, async () => {
    const advice = 'set VARVE_API_TOKEN or VARVE_METRICS_OPEN=true';
    log.warn({}, `nobody can read the metrics page; ${advice}`);
    return randomUUID();
  });
}

/** The probes of an operator, which answer even while it waits for other parts. */
interface OperatorProbes {
  readonly source: ProbeSource;
  /** Sets what is missing, as a sentence. */
  missing(finding: string): void;
  /** From now on, the parts determine the answers. */
  running(parts: OperatorParts): void;
}

/** While the process waits for an outage to end, it is alive but not ready. */
export function createOperatorProbes(): OperatorProbes {
  let finding = 'the operator is being started';
  let parts: OperatorParts | null = null;
  return {
    source: {
      healthz: () => (parts === null ? { ok: true, findings: [] } : liveness(parts)),
      readyz: () => (parts === null ? { ok: false, findings: [finding] } : readiness(parts)),
    },
    missing: (found) => {
      finding = found;
    },
    running: (all) => {
      parts = all;
    },
  };
}
