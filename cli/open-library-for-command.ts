/** Opens the library next to a stack on the data folder, which learns of pending work. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, VarveError } from '#core/errors.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { withAuditAndCallLimits } from './composition-root.ts';
import { STORE_FILE } from './choose-store.ts';
import type { Config } from './config.ts';
import { openVarve, type OpenVarveOptions, type Varve } from './open-varve.ts';
import { readAddresses, stackPaths } from './installation-files.ts';

export interface Ordering extends AsyncDisposable {
  readonly varve: Varve;
  /** False if nothing refreshes now; the request then waits for the next start. */
  readonly isRunning: boolean;
}

export interface OrderingOptions extends Pick<OpenVarveOptions, 'principal' | 'log'> {
  /** Whether the command may be the first to store anything. */
  readonly begins?: boolean;
}

/** @throws VarveError NOT_FOUND if nothing is stored yet and the command may not begin */
export async function openLibraryForCommand(
  config: Config,
  { begins = false, log = SILENT_LOG, ...opened }: OrderingOptions = {},
): Promise<Ordering> {
  if (!begins) await requireStore(config);
  const { dataDir, settings, temporalAddress, temporalSecurity: security } = config;
  const running = await readAddresses(stackPaths(dataDir).addresses);
  const address = temporalAddress ?? running?.temporalAddress;
  const namespace = running?.temporalNamespace ?? config.temporalNamespace;
  const temporal = address === undefined ? {} : { temporal: { address, namespace, security } };
  const kept = withAuditAndCallLimits(settings);
  const varve = await openVarve({ dataDir, settings: kept, log, ...opened, ...temporal });
  return {
    varve,
    isRunning: address !== undefined,
    [Symbol.asyncDispose]: () => varve[Symbol.asyncDispose](),
  };
}

/** Returns when a requested refresh will happen, for people. */
export function whenDone(isRunning: boolean): string {
  return isRunning
    ? 'The refresh continues now.'
    : 'Nothing runs here; varve start continues the refresh.';
}

type StorePlace = Pick<Config, 'dataDir' | 'settings'>;

/** Whether a store exists: a command that only reads creates none. */
export async function isStoreKept({ dataDir, settings }: StorePlace): Promise<boolean> {
  if (settings.mongodb !== undefined) return true;
  try {
    await stat(path.join(dataDir, STORE_FILE));
    return true;
  } catch (error) {
    // Other problems with the folder are reported when the store is opened.
    return codeOf(error) !== 'ENOENT';
  }
}

/** @throws VarveError NOT_FOUND if nothing was ever stored there, as in a mistyped folder */
export async function requireStore(config: StorePlace): Promise<void> {
  if (await isStoreKept(config)) return;
  const message =
    `Nothing is stored in ${config.dataDir} yet. Name another folder with --data-dir, ` +
    'or begin with varve add, varve import, varve daily append or varve start.';
  throw new VarveError('NOT_FOUND', message);
}
