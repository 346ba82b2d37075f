/** `varve worker`: runs workflows and activities; `varve start` runs it as a child. */
import { stackPaths } from '../stack/paths.ts';
import { openLogFile } from '../stack/log-file.ts';
import { runWorker } from '../stack/run-worker.ts';
import { shutdownSignal } from '../shutdown.ts';
import type { Config } from '../config.ts';
import { VarveError } from '#core/errors.ts';

/** @throws VarveError INVALID_INPUT without the address of a server */
export async function workerCommand(config: Config): Promise<void> {
  if (config.temporalAddress === null) {
    const message = 'A worker needs TEMPORAL_ADDRESS, the server it works for.';
    throw new VarveError('INVALID_INPUT', message);
  }
  // A terminal sends Ctrl-C to children too; the stack ends its worker itself, after the API.
  const isChild = process.send !== undefined;
  const signal = shutdownSignal(isChild ? ['SIGTERM'] : undefined);
  using log = openLogFile(stackPaths(config.dataDir).workerLog, config.logLevel);
  await runWorker({
    dataDir: config.dataDir,
    settings: config.settings,
    address: config.temporalAddress,
    namespace: config.temporalNamespace,
    log,
    signal,
    onReady: () => process.send?.({ kind: 'Ready' }),
  });
}
