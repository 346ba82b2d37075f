/** `varve worker`: runs workflows and activities; `varve start` runs it as a child process. */
import { createLog } from '#providers/node/log.ts';
import { openSecrets } from '../model-providers/provider-key.ts';
import { stackPaths, openLogFile } from '../installation-files.ts';
import { openMetricsPort } from '../probes/metrics-port.ts';
import { runWorker } from '../stack/run-worker.ts';
import { workerGrace, type WorkerRole } from '../worker-roles-and-grace.ts';
import { sendMetrics } from '../stack/worker-child.ts';
import { endWithin, shutdownSignal } from '../shutdown.ts';
import { openPartTracing } from '../tracing-settings.ts';
import type { Config } from '../config.ts';
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';

/** @throws VarveError INVALID_INPUT if the address of a server is missing */
export async function workerCommand(config: Config, role: WorkerRole): Promise<void> {
  if (config.temporalAddress === null) {
    const message =
      'varve worker needs TEMPORAL_ADDRESS, the Temporal server to work for. Set it to ' +
      'HOST:PORT, or run varve start, which brings a server and a worker.';
    throw new VarveError('INVALID_INPUT', message);
  }
  // A terminal sends Ctrl-C to children too, but the stack itself ends its worker, after the API.
  const isChild = process.send !== undefined;
  const signal = shutdownSignal(isChild ? ['SIGTERM'] : undefined);
  // The stack waits exactly this long for its worker.
  const grace = workerGrace(isChild ? null : config.graceSeconds);
  endWithin(signal, grace.endWithinMs);
  using log = logOf(config, isChild);
  await using tracing = await openPartTracing(config.environment, { part: 'varve-worker', log });
  await using secrets = openSecrets(config);
  await runWorker({
    dataDir: config.dataDir,
    settings: config.settings,
    address: config.temporalAddress,
    security: config.temporalSecurity,
    namespace: config.temporalNamespace,
    log,
    tracing,
    signal,
    graceMs: grace.activitiesMs,
    role,
    secrets,
    workflowBundle: config.workflowBundle,
    host: config.host,
    probePort: config.probePort,
    // No API could show the metrics of a separate worker.
    ...(isChild ? {} : { openMetrics: (page) => openMetricsPort(page, config, log) }),
    onReady: (page) => {
      if (isChild) sendMetrics(page);
      process.send?.({ kind: 'Ready' });
    },
  });
}

/**
 * The log of a separate worker goes to standard output, where a supervisor collects it. A child
 * logs to a file, since it shares the terminal of its parent.
 */
function logOf({ dataDir, logLevel: level }: Config, isChild: boolean): Log & Disposable {
  if (isChild) return openLogFile(stackPaths(dataDir).workerLog, level);
  return {
    ...createLog({ level, destination: process.stdout }),
    // Standard output ends with the process, so there is nothing to close.
    [Symbol.dispose]: () => undefined,
  };
}
