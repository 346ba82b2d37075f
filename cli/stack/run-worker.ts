/** The worker process: parts, workflow bundle, Temporal worker, until it is asked to end. */
import { fileURLToPath } from 'node:url';
import { createActivities } from '#activities/create-activities.ts';
import { forTemporal, temporalCall } from '#activities/for-temporal.ts';
import type { RefreshActivities, TickActivities } from '#core/contract.ts';
import { startMetricsServer } from '#api/scrape.ts';
import type { MetricsPage } from '#core/ports/metrics.ts';
import type { Log } from '#core/ports/platform.ts';
import { connectTemporal } from '#providers/temporal/client.ts';
import { bundleWorkflows, installRuntime, startWorker } from '#providers/temporal/worker.ts';
import { openParts, type Parts, type PartsOptions } from '../compose.ts';
import { aborted } from '../shutdown.ts';

const METRICS_HOST = '127.0.0.1';
const WORKFLOWS = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));

export interface RunWorkerOptions {
  readonly dataDir: string;
  readonly settings?: PartsOptions['settings'];
  readonly address: string;
  readonly namespace: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Where this process serves its own page of metrics; nowhere where absent. */
  readonly metrics?: { readonly port: number; readonly token: string } | undefined;
  /** Told when it polls, with what the process counts. */
  readonly onReady: (page: MetricsPage) => void;
  readonly model?: PartsOptions['model'];
  /** Stands between the worker and its activities; for tests that stop it in between. */
  readonly around?: (
    activities: RefreshActivities & TickActivities,
  ) => RefreshActivities & TickActivities;
}

/** Resolves after an orderly end; rejects where the worker died. */
export async function runWorker(options: RunWorkerOptions): Promise<void> {
  const { dataDir, settings, address, namespace, log, signal, model } = options;
  installRuntime(log);
  await using held = new AsyncDisposableStack();
  const [parts, client, bundle] = await Promise.all([
    openParts({ dataDir, log, settings, ...(model === undefined ? {} : { model }) }),
    connectTemporal({ address, namespace }),
    bundleWorkflows(WORKFLOWS, log),
  ]);
  held.use(parts);
  held.use(client);
  const plain = createActivities(parts, client, temporalCall);
  const activities = forTemporal(options.around?.(plain) ?? plain, log);
  if (options.metrics !== undefined) held.use(await metricsServer(parts, options.metrics, log));
  const worker = held.use(await startWorker({ address, namespace, bundle, activities, log }));
  options.onReady(parts.metricsPage);
  await Promise.race([worker.finished, aborted(signal)]);
}

function metricsServer(
  { metricsPage: page, isMetricsOpen: isOpen }: Parts,
  { port, token }: { port: number; token: string },
  log: Log,
): Promise<AsyncDisposable> {
  return startMetricsServer({ page, isOpen, token, log, host: METRICS_HOST, port });
}
