/** Where an installation keeps its things, all under its data folder. */
import { VarveError } from '#core/errors.ts';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';

interface StackPaths {
  readonly lock: string;
  readonly temporalFolder: string;
  readonly temporalLog: string;
  readonly workerLog: string;
  readonly serviceLog: string;
  readonly token: string;
  /** Addresses of the running stack, for other commands on this machine. */
  readonly addresses: string;
}

export function stackPaths(dataDir: string): StackPaths {
  return {
    lock: path.join(dataDir, 'lock', 'stack.lock'),
    temporalFolder: path.join(dataDir, 'temporal'),
    temporalLog: path.join(dataDir, 'logs', 'temporal.log'),
    workerLog: path.join(dataDir, 'logs', 'worker.log'),
    serviceLog: path.join(dataDir, 'logs', 'varve.log'),
    token: path.join(dataDir, 'api-token'),
    addresses: path.join(dataDir, 'addresses.json'),
  };
}

/**
 * Makes the folder where it does not exist. Only its owner may look into it: it holds what people
 * said. A folder that holds something keeps its mode, since others may need what is there.
 * @throws VarveError PROVIDER_REJECTED where it cannot be made or is not ours
 */
export async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true });
    if ((await readdir(dataDir)).length === 0) await chmod(dataDir, 0o700);
  } catch (cause) {
    const message = 'The data folder cannot be made or written; choose another with --data-dir.';
    throw new VarveError('PROVIDER_REJECTED', message, { cause });
  }
}
