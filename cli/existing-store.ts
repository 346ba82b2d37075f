/** Whether there is a store yet: a command that only reads makes none. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { VarveError } from '#core/errors.ts';
import { STORE_FILE } from './compose.ts';
import type { Config } from './config.ts';

type StorePlace = Pick<Config, 'dataDir' | 'settings'>;

export async function isStoreKept({ dataDir, settings }: StorePlace): Promise<boolean> {
  if (settings.mongodb !== undefined) return true;
  try {
    await stat(path.join(dataDir, STORE_FILE));
    return true;
  } catch (error) {
    // What else is wrong with the folder is said where the store is opened.
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}

/** @throws VarveError NOT_FOUND where nothing was ever stored there, as in a mistyped folder */
export async function requireStore(config: StorePlace): Promise<void> {
  if (await isStoreKept(config)) return;
  const message =
    `Nothing is stored in ${config.dataDir} yet. Name another folder with --data-dir, ` +
    'or begin with varve import, varve daily append or varve start.';
  throw new VarveError('NOT_FOUND', message);
}
