/** Chooses the database by the settings, MongoDB or SQLite, and opens the store on it. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { VarveError } from '#core/errors.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import type { Store } from '#core/ports/store.ts';
import type { ProviderPorts } from '#memory/provider-ports.ts';
import { TOKEN_FILE, type PartsSettings } from './store-and-model-settings.ts';

export const STORE_FILE = 'varve.db';
const STORE_LOG = `${STORE_FILE}-wal`;
const LEDGER_FOLDER = 'erasures';

interface StorePlace {
  readonly dataDir: string;
  readonly settings?: PartsSettings | undefined;
}

interface StoreParts extends Pick<ProviderPorts, 'platform' | 'analyzer'> {
  /** That of the settings; searches make the indexes of other generations. */
  readonly embedder: Embedder;
}

/** Returns the folder of the erasure ledger; none with MongoDB if the settings name none. */
export function ledgerFolderOf({ dataDir, settings }: StorePlace): string | undefined {
  const own = settings?.mongodb === undefined ? path.join(dataDir, LEDGER_FOLDER) : undefined;
  return settings?.erasureLedger ?? own;
}

/** Opens the store. After a restore, first repeats the erasures that the ledger names. */
export async function openChosenStore(options: StorePlace, parts: StoreParts): Promise<Store> {
  const folder = ledgerFolderOf(options);
  const opened = await openStore(options, parts);
  const defaults = options.settings?.policyDefaults;
  const store =
    defaults === undefined ? opened : { ...opened, policies: { ...opened.policies, defaults } };
  if (folder === undefined) return store;
  try {
    const { withErasureLedger } = await import('#memory/erasure-ledger.ts');
    const { ledgerInFolder } = await import('#providers/node/erasure-ledger-folder.ts');
    return await withErasureLedger({ store, platform: parts.platform }, ledgerInFolder(folder));
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

async function openStore(
  { dataDir, settings }: StorePlace,
  { platform, analyzer, embedder }: StoreParts,
): Promise<Store> {
  const mongodb = settings?.mongodb;
  if (mongodb !== undefined) {
    const { openMongoStore } = await import('#providers/mongodb/store.ts');
    // The vector index is created on opening and maintained from then on.
    const generations = [embedder];
    return openMongoStore({ ...mongodb, platform, analyzer, vectorSearch: { generations } });
  }
  const { openSqliteStore } = await import('#providers/sqlite/store.ts');
  await requireNotEmptied(dataDir);
  try {
    return await openSqliteStore({ file: path.join(dataDir, STORE_FILE), platform, analyzer });
  } catch (error) {
    throw withFolder(error, dataDir);
  }
}

/** Names the folder for the person who opens it; callers of an open store learn of no paths. */
function withFolder(error: unknown, dataDir: string): unknown {
  if (!(error instanceof VarveError) || error.code !== 'PROVIDER_REJECTED') return error;
  const { code, message, details } = error;
  const named = `${message} The data folder is ${path.resolve(dataDir)}.`;
  return new VarveError(code, named, { details, cause: error });
}

/**
 * An empty file is a new store, unless the folder shows that there was data: a log, which SQLite
 * would empty with the writes in it; erasures; the token, which is made after the first store.
 * @throws VarveError CORRUPT
 */
async function requireNotEmptied(dataDir: string): Promise<void> {
  // The traces first: a store that another process makes at this moment has its file before them.
  const traces = await tracesOfData(dataDir);
  const store = await stat(path.join(dataDir, STORE_FILE)).catch(() => null);
  if (store?.size !== 0 || traces.length === 0) return;
  throw new VarveError(
    'CORRUPT',
    `The database ${STORE_FILE} is empty, though this data folder was in use: it has ` +
      `${traces.join(', ')}. Restore a backup of ${STORE_FILE}, or delete the file and ` +
      `${STORE_LOG} to start over.`,
    { details: { traces } },
  );
}

async function tracesOfData(dataDir: string): Promise<readonly string[]> {
  const sizes = await Promise.all(
    [STORE_LOG, TOKEN_FILE].map(async (name) => {
      const { size } = await stat(path.join(dataDir, name)).catch(() => ({ size: 0 }));
      return size > 0 ? [name] : [];
    }),
  );
  const erasures = await readdir(path.join(dataDir, LEDGER_FOLDER)).catch(() => []);
  return [...sizes.flat(), ...(erasures.length > 0 ? [`${LEDGER_FOLDER}/`] : [])];
}
