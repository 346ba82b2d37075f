/** `varve worker`: runs workflows and activities; `varve start` runs it as a child process. */
import { randomUUID } from 'node:crypto';
import { createLog } from '#providers/node/log.ts';
import {
  clusterSecrets,
  type ClusterSecrets,
  environmentSecrets,
} from '../model-providers/provider-key.ts';
import { localToken, stackPaths, openLogFile } from '../installation-files.ts';
import { runWorker, type RunWorkerOptions } from '../stack/run-worker.ts';
import { workerGrace, callsModels, type WorkerRole } from '../worker-roles-and-grace.ts';
import { sendMetrics } from '../stack/worker-child.ts';
import { endWithin, shutdownSignal } from '../shutdown.ts';
import { openPartTracing } from '../tracing-settings.ts';
import type { Config } from '../config.ts';
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';

/** @throws VarveError INVALID_INPUT if the address of a server is missing */
export async function workerCommand(config: Config, role: WorkerRole): Promise<void> {
  if (config.temporalAddress === null) {
    const message = 'A worker needs TEMPORAL_ADDRESS, the server it works for.';
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
  await using ofCluster = clusterSecretsOf(config, role);
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
    secrets: ofCluster ?? environmentSecrets(config.environment),
    workflowBundle: config.workflowBundle,
    host: config.host,
    probePort: config.probePort,
    metrics: isChild ? undefined : await ownMetrics(config),
    onReady: (page) => {
      if (isChild) sendMetrics(page);
      process.send?.({ kind: 'Ready' });
    },
  });
}

/** Returns null outside of a cluster, and for a role that reads no keys. */
function clusterSecretsOf(
  { podNamespace, kubeconfig }: Config,
  role: WorkerRole,
): ClusterSecrets | null {
  if (podNamespace === null || !callsModels(role)) return null;
  return clusterSecrets(podNamespace, kubeconfig);
}

/** A separate worker serves its own metrics: no API could show them. */
async function ownMetrics(config: Config): Promise<RunWorkerOptions['metrics']> {
  const { metricsPort: port, dataDir, settings } = config;
  if (port === null) return undefined;
  // An open page is read without a token, and a token file would need a folder of its own.
  if (settings.metricsOpen === true) return { port, token: randomUUID() };
  return { port, token: config.apiToken ?? (await localToken(stackPaths(dataDir).token)) };
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
