/** `varve operator`: keeps the store at what resources declare, in a cluster or in a folder. */
import { createLog } from '#providers/node/log.ts';
import type { Log } from '#core/ports/platform.ts';
import type { Config } from '../config.ts';
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
  const onReady = (addresses: object): void => say({ ...addresses });
  await runCluster({ config, log, signal, onReady });
}

async function folder(config: Config, log: Log, signal: AbortSignal): Promise<void> {
  const { runFolder } = await import('../operator/run-folder.ts');
  const onReady = (addresses: object): void => say({ folder: config.policyDir, ...addresses });
  await runFolder({ config, log, signal, onReady });
}

/** Prints one line in the format of the log, at any level: for people and programs. */
function say(fields: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify({ level: 'info', msg: 'ready', ...fields })}\n`);
}
