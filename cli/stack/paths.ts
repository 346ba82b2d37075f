/** Where an installation keeps its things, all under its data folder. */
import path from 'node:path';

export interface StackPaths {
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
