/** `varve operator`: keeps the store at what resources declare, in a cluster or in a folder. */
import { createLog } from '#providers/node/log.ts';
import type { Log } from '#core/ports/platform.ts';
import type { Config } from '../config.ts';
import { printReady } from '../json-lines.ts';
import { endWithin, shutdownSignal } from '../shutdown.ts';

/** Longer than the waits for reconciles and for the Lease; shorter than the pod's grace period. */
const END_WITHIN_MS = 40_000;

/** @throws VarveError INVALID_INPUT for a wrong setting, CONFLICT if the Lease was lost */
export async function operatorCommand(config: Config, mode: 'Cluster' | 'Folder'): Promise<void> {
  const signal = shutdownSignal();
  endWithin(signal, END_WITHIN_MS);
  const log = createLog({ level: config.logLevel, destination: process.stdout });
  await (mode === 'Folder' ? folder(config, log, signal) : cluster(config, log, signal));
}

async function cluster(config: Config, log: Log, signal: AbortSignal): Promise<void> {
  const { runCluster } = await import('../operator/run-cluster.ts');
  await runCluster({ config, log, signal, onReady: printReady });
}

async function folder(config: Config, log: Log, signal: AbortSignal): Promise<void> {
  const { runFolder } = await import('../operator/run-folder.ts');
  const onReady = (addresses: object): void =>
    printReady({ folder: config.policyDir, ...addresses });
  await runFolder({ config, log, signal, onReady });
}
