/** The worker process: parts, workflow bundle and Temporal worker, until it is asked to end. */
import { createActivities } from '#activities/create-activities.ts';
import { forTemporal, temporalCall } from '#activities/heartbeats-and-failures.ts';
import type { RefreshActivities, TickActivities } from '#core/refresh/refresh-contract.ts';
import type { MetricsPage } from '#core/ports/metrics.ts';
import type { Log } from '#core/ports/platform.ts';
import type { Tracing } from '#core/ports/tracing.ts';
import type { SecretSource } from '#core/ports/secret-source.ts';
import { createTimers } from '#providers/node/timers.ts';
import { connectTemporal, type TemporalClient } from '#providers/temporal/client.ts';
import type { TemporalSecurity } from '#providers/temporal/connection-security.ts';
import { installRuntime, startWorker, type RunningWorker } from '#providers/temporal/worker.ts';
import { openParts, type Parts, type PartsOptions } from '../composition-root.ts';
import { startWorkerProbes } from '../probes/health-checks.ts';
import { aborted } from '../shutdown.ts';
import { callsModels, runsWorkflows, type WorkerRole } from '../worker-roles-and-grace.ts';
import { loadWorkflows } from './workflow-bundle.ts';

/** Other machines cannot reach it. */
const LOOPBACK = '127.0.0.1';

export interface RunWorkerOptions {
  readonly dataDir: string;
  readonly settings?: PartsOptions['settings'];
  readonly address: string;
  readonly namespace: string;
  /** Security of the connection to Temporal; unprotected if absent. */
  readonly security?: TemporalSecurity | null;
  readonly log: Log;
  /** Nothing is traced if absent. */
  readonly tracing?: Tracing;
  readonly signal: AbortSignal;
  /** Milliseconds that work under way may still take after the signal; 5 s if absent. */
  readonly graceMs?: number;
  /** What the worker takes on; everything if absent. */
  readonly role?: WorkerRole;
  /** Source of the keys of ModelProviders; used only by a worker that calls models. */
  readonly secrets?: SecretSource;
  /** The workflows as `varve bundle` wrote them; bundled now if absent. */
  readonly workflowBundle?: string | null;
  /** The address of the probe port; loopback if absent. */
  readonly host?: string;
  /** The port where it answers `/healthz` and `/readyz`; none if absent. */
  readonly probePort?: number | null;
  /** Serves the metrics of this process; nothing does if absent. */
  readonly openMetrics?: (page: MetricsPage) => Promise<AsyncDisposable | null>;
  /** Called once it polls, with the counters of the process. */
  readonly onReady: (page: MetricsPage) => void;
  readonly model?: PartsOptions['model'];
  /** Wraps the activities; for tests that stop the worker in the middle. */
  readonly around?: (
    activities: RefreshActivities & TickActivities,
  ) => RefreshActivities & TickActivities;
}

/** Runs until the signal. Resolves after an orderly end; rejects if the worker died. */
export async function runWorker(options: RunWorkerOptions): Promise<void> {
  const { dataDir, settings, address, namespace, log, signal, model, role = 'all' } = options;
  installRuntime(log);
  await using held = new AsyncDisposableStack();
  const secrets = callsModels(role) ? options.secrets : undefined;
  // First, since bundling blocks the thread for longer than a connection waits.
  const bundle = runsWorkflows(role)
    ? await loadWorkflows(options.workflowBundle ?? null, log)
    : null;
  const { security = null, tracing } = options;
  const ofTests = model === undefined ? {} : { model };
  const parts = held.use(await openParts({ dataDir, log, tracing, settings, secrets, ...ofTests }));
  const client = held.use(await connectTemporal({ address, namespace, security, tracing }));
  const plain = createActivities(parts, client, temporalCall);
  const activities = forTemporal(options.around?.(plain) ?? plain, log);
  held.use((await options.openMetrics?.(parts.metricsPage)) ?? null);
  if (callsModels(role)) held.use(await modelChecks(parts));
  const { graceMs } = options;
  const grace = graceMs === undefined ? {} : { graceMs };
  const polled = { bundle, callsModels: callsModels(role), ...grace };
  const worker = held.use(
    await startWorker({ address, namespace, security, tracing, ...polled, activities, log }),
  );
  held.use(await probes(options, { parts, client, worker }));
  options.onReady(parts.metricsPage);
  await Promise.race([worker.finished, aborted(signal)]);
}

async function modelChecks({ modelProviders: providers, store, platform }: Parts) {
  const { startModelChecks } = await import('../model-providers/model-checks.ts');
  const { clock, log } = platform;
  const records = store.modelProviders;
  return startModelChecks({ providers, records, clock, log, timers: createTimers() });
}

/** Does nothing if no port is set. */
async function probes(
  { probePort, host = LOOPBACK }: RunWorkerOptions,
  { parts, client, worker }: { parts: Parts; client: TemporalClient; worker: RunningWorker },
): Promise<AsyncDisposable | null> {
  if (probePort == null) return null;
  const { store, platform } = parts;
  return startWorkerProbes({
    clock: platform.clock,
    host,
    port: probePort,
    store,
    client,
    worker,
    timers: createTimers(),
  });
}
