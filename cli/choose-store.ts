/** Chooses the database by the settings, MongoDB or SQLite, and opens the store on it. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { VarveError } from '#core/errors.ts';
import type { Store } from '#core/ports/store.ts';
import type { EnginePorts } from '#memory/engine-ports.ts';
import { TOKEN_FILE, type PartsSettings } from './store-and-model-settings.ts';

export const STORE_FILE = 'varve.db';
const LEDGER_FOLDER = 'erasures';

interface StorePlace {
  readonly dataDir: string;
  readonly settings?: PartsSettings | undefined;
}

type StoreParts = Pick<EnginePorts, 'platform' | 'analyzer' | 'embedders'>;

/**
 * Opens the store. If it was restored from a backup, first repeats the erasures that the ledger
 * next to it names.
 */
export async function openChosenStore(options: StorePlace, parts: StoreParts): Promise<Store> {
  const { dataDir, settings } = options;
  const own = settings?.mongodb === undefined ? path.join(dataDir, LEDGER_FOLDER) : undefined;
  const folder = settings?.erasureLedger ?? own;
  const store = await openStore(options, parts);
  if (folder === undefined) return store;
  try {
    const { withErasureLedger } = await import('#memory/erasure-ledger.ts');
    const { folderJournal } = await import('#providers/node/erasure-journal.ts');
    return await withErasureLedger({ store, platform: parts.platform }, folderJournal(folder));
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

async function openStore(
  { dataDir, settings }: StorePlace,
  { platform, analyzer, embedders }: StoreParts,
): Promise<Store> {
  const mongodb = settings?.mongodb;
  if (mongodb !== undefined) {
    const { openMongoStore } = await import('#providers/mongodb/store.ts');
    // The vector index is created on opening and maintained from then on.
    const generations = [embedders.configured];
    return openMongoStore({ ...mongodb, platform, analyzer, vectorSearch: { generations } });
  }
  const { openSqliteStore } = await import('#providers/sqlite/store.ts');
  await requireNotEmptied(dataDir);
  return openSqliteStore({ file: path.join(dataDir, STORE_FILE), platform, analyzer });
}

/**
 * The token of an installation is created after its first store, so an empty store next to a token
 * has lost its data.
 * @throws VarveError CORRUPT
 */
async function requireNotEmptied(dataDir: string): Promise<void> {
  const [store, token] = await Promise.all(
    [STORE_FILE, TOKEN_FILE].map((name) => stat(path.join(dataDir, name)).catch(() => null)),
  );
  if (store?.size !== 0 || token == null) return;
  throw new VarveError(
    'CORRUPT',
    `The database ${STORE_FILE} is empty, though this data folder was in use. ` +
      'Restore a backup of it, or delete the file to start over.',
  );
}
