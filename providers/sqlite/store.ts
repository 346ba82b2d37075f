/**
 * The store over one SQLite file, which any number of processes of one host may share, or over
 * a database in the memory of this process.
 */
import type { Store, StoreCapabilities } from '#core/ports/store.ts';
import { MEMORIES } from '#store/database-schema.ts';
import { openStore } from '#store/open-store.ts';
import { asAny, sqliteDriver } from './driver.ts';
import { cachedVectors } from './embedding-cache.ts';
import { missingMemories, othersWithVector, progressOf } from './missing-vectors.ts';
import { storeHealth } from './health.ts';
import { MEMORY_SIDE_KINDS, memoryRows, sideRows } from './memory-rows.ts';
import { closeConnection, type ConnectionOptions, openConnection } from './open-connection.ts';
import { rewriteFile } from './rewrite-file.ts';
import { openSearch } from './search/search-records.ts';

export { IN_MEMORY } from './open-connection.ts';

const BUSY_TIMEOUT_MS = 10_000;

export interface SqliteStoreOptions extends ConnectionOptions {
  /** How long a call waits for other processes before it fails with TIMEOUT; 10 s. */
  readonly busyTimeoutMs?: number;
}

const CAPABILITIES: StoreCapabilities = {
  engine: 'sqlite',
  vectorSearch: 'Exact',
  distanceMetrics: ['cosine'],
  bulkOperations: true,
};

/**
 * Opens the store, making or upgrading its tables.
 * @throws VarveError PROVIDER_REJECTED where this file or this Node can't be used, CORRUPT, TIMEOUT
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { platform, analyzer } = options;
  const { log } = platform;
  const busyTimeoutMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  const connection = await openConnection(options, busyTimeoutMs);
  const search = openSearch({ ...options, connection, log, busyTimeoutMs });
  const own = sideRows(connection);
  const memories = memoryRows(connection, { analyzer, clock: platform.clock });
  own.set(MEMORIES.name, asAny(memories));
  return openStore({
    driver: sqliteDriver(connection, own),
    search: {
      ...search,
      cached: (tenant, query) => cachedVectors(connection, tenant, query),
      missing: (tenant, query) => missingMemories(connection, tenant, query),
      progress: (tenant, query) => progressOf(connection, tenant, query),
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
      await closeConnection(connection);
    },
  });
}
