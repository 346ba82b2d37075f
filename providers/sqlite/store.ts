/**
 * The store over one SQLite file, which any number of processes of one host may share, or over a
 * database in this process's memory.
 */
import type { Store, StoreCapabilities, StoreHealth } from '#core/ports/store.ts';
import { MEMORIES } from '#store/record-kinds-and-indexes.ts';
import { openStore } from '#store/open-store.ts';
import { sqliteDriver } from './driver.ts';
import { asRowsOfAnyKind } from './record-tables.ts';
import { cachedVectors } from './embedding-cache.ts';
import { missingMemories, othersWithVector, countEmbeddedAndMissing } from './missing-vectors.ts';
import { MEMORY_SIDE_KINDS, memoryRows, sideRows } from './memory-rows.ts';
import {
  BUSY_TIMEOUT_MS,
  closeConnection,
  type ConnectionOptions,
  openConnection,
} from './open-connection.ts';
import { rewriteFile } from './rewrite-file.ts';
import { openSearch } from './search/search-memories.ts';
import { schemaFindings } from '#store/record-and-schema-checks.ts';
import type { Connection } from './connection.ts';
import { SCHEMA_VERSION } from './migrate.ts';

export { IN_MEMORY } from './open-connection.ts';

export interface SqliteStoreOptions extends ConnectionOptions {
  /** How long a call waits for other processes before it fails with TIMEOUT; default 10 s. */
  readonly busyTimeoutMs?: number;
}

const CAPABILITIES: StoreCapabilities = {
  engine: 'sqlite',
  vectorSearch: 'Exact',
  distanceMetrics: ['cosine'],
  bulkOperations: true,
};

/**
 * Opens the store, and creates or upgrades its tables.
 * @throws VarveError PROVIDER_REJECTED if this file or this Node cannot be used, CORRUPT, TIMEOUT
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { platform, analyzer } = options;
  const { log } = platform;
  const busyTimeoutMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  const connection = await openConnection(options, busyTimeoutMs);
  const search = openSearch({ ...options, connection, log, busyTimeoutMs });
  const own = sideRows(connection);
  const memories = memoryRows(connection, { analyzer, clock: platform.clock });
  own.set(MEMORIES.name, asRowsOfAnyKind(memories));
  return openStore({
    driver: sqliteDriver(connection, own),
    search: {
      ...search,
      cached: (tenant, query) => cachedVectors(connection, tenant, query),
      missing: (tenant, query) => missingMemories(connection, tenant, query),
      progress: (tenant, query) => countEmbeddedAndMissing(connection, tenant, query),
      othersWithVector: (tenant, generation, limit) =>
        othersWithVector(connection, tenant, { generation, limit }),
    },
    platform,
    capabilities: CAPABILITIES,
    driverKinds: MEMORY_SIDE_KINDS,
    rewriteFiles: () => rewriteFile(connection, { file: options.file, busyTimeoutMs }),
    health: () => storeHealth(connection),
    async close() {
      await connection.idle();
      await search.close();
      await closeConnection(connection, log);
    },
  });
}

// Checks whether the file is intact, and says what to do if not.

/** Maximum lines of damage reported; one is enough to act on, a few show the extent. */
const DAMAGE_LINES_MAX = 5;
/** Larger files are not checked in full, since that would block everything else for seconds. */
const CHECKED_BYTES_MAX = 64 * 1024 * 1024;

async function storeHealth(connection: Connection): Promise<StoreHealth> {
  return connection.read(() => {
    const schemaVersion = numberOf(connection, 'SELECT max(version) AS n FROM schema_version');
    const schema = schemaFindings(schemaVersion, SCHEMA_VERSION);
    const findings = [...damage(connection), ...journal(connection), ...schema];
    const sqlite = String(connection.first('SELECT sqlite_version() AS v')?.['v']);
    return { ok: findings.length === 0, engine: `SQLite ${sqlite}`, schemaVersion, findings };
  });
}

function damage(connection: Connection): string[] {
  const pages = numberOf(connection, 'SELECT page_count AS n FROM pragma_page_count()');
  const pageBytes = numberOf(connection, 'SELECT page_size AS n FROM pragma_page_size()');
  if (pages * pageBytes > CHECKED_BYTES_MAX) return [];
  return connection
    .all(`PRAGMA quick_check(${DAMAGE_LINES_MAX})`)
    .map((row) => String(row['quick_check']))
    .filter((line) => line !== 'ok')
    .map((line) => `The file is damaged (${line}). Stop Varve and restore a backup.`);
}

function journal(connection: Connection): string[] {
  if (connection.isInMemory) return [];
  const mode = connection.first('PRAGMA journal_mode')?.['journal_mode'];
  if (mode === 'wal') return [];
  return [`The journal mode is ${String(mode)}, not wal. Restart Varve, which sets it again.`];
}

function numberOf(connection: Connection, sql: string): number {
  return Number(connection.first(sql)?.['n']);
}
