/** `varve worker`: runs workflows and activities; `varve start` runs it as a child. */
import { localToken } from '../stack/api-token.ts';
import { stackPaths } from '../stack/paths.ts';
import { openLogFile } from '../stack/log-file.ts';
import { runWorker, type RunWorkerOptions } from '../stack/run-worker.ts';
import { tellMetrics } from '../stack/worker-metrics.ts';
import { endWithin, shutdownSignal } from '../shutdown.ts';
import type { Config } from '../config.ts';
import { VarveError } from '#core/errors.ts';

/** Above the worker's own shutdown, below the stack's patience: whatever hangs, no orphan stays. */
const END_WITHIN_MS = 12_000;

/** @throws VarveError INVALID_INPUT without the address of a server */
export async function workerCommand(config: Config): Promise<void> {
  if (config.temporalAddress === null) {
    const message = 'A worker needs TEMPORAL_ADDRESS, the server it works for.';
    throw new VarveError('INVALID_INPUT', message);
  }
  // A terminal sends Ctrl-C to children too; the stack ends its worker itself, after the API.
  const isChild = process.send !== undefined;
  const signal = shutdownSignal(isChild ? ['SIGTERM'] : undefined);
  endWithin(signal, END_WITHIN_MS);
  using log = openLogFile(stackPaths(config.dataDir).workerLog, config.logLevel);
  await runWorker({
    dataDir: config.dataDir,
    settings: config.settings,
    address: config.temporalAddress,
    namespace: config.temporalNamespace,
    log,
    signal,
    metrics: isChild ? undefined : await ownMetrics(config),
    onReady: (page) => {
      if (isChild) tellMetrics(page);
      process.send?.({ kind: 'Ready' });
    },
  });
}

/** A worker by itself has no API whose page could tell of it. */
async function ownMetrics({ metricsPort, dataDir }: Config): Promise<RunWorkerOptions['metrics']> {
  if (metricsPort === null) return undefined;
  return { port: metricsPort, token: await localToken(stackPaths(dataDir).token) };
}
