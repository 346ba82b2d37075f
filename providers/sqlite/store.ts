/**
 * The store over one SQLite file, which any number of processes of one host may share, or over
 * a database in the memory of this process.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { VarveError } from '#core/errors.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store, StoreCapabilities, StoreHealth } from '#core/ports/store.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import { KINDS, MEMORIES } from '#store/kinds.ts';
import { openStore } from '#store/open-store.ts';
import { schemaFindings } from '#store/stored-form.ts';
import { Connection, type Faults, requireSafeSqlite } from './connection.ts';
import { asAny, createTables, sqliteDriver } from './driver.ts';
import { cachedVectors } from './embedding-cache.ts';
import { missingMemories, othersWithVector, progressOf } from './embedding-walk.ts';
import { MEMORY_SIDE_KINDS, memoryRows, sideRows } from './memory-rows.ts';
import { storeFailure } from './failure.ts';
import { openLogFlush } from './log-flush.ts';
import { migrate, SCHEMA_VERSION } from './schema.ts';
import { MATCHES, matcher } from './search/memory-list.ts';
import { rewriteFile } from './rewrite.ts';
import { openSearch } from './search/search-records.ts';
import { completeTerms } from './terms.ts';

// Whether the file is sound, and what to do where it is not.

/** Damage reported at most; one line is enough to act on, a few show its extent. */
const DAMAGE_LINES_MAX = 5;
/** Larger files are not read through, since that would hold up everything else for seconds. */
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

/** In place of a path: a database that no other process sees and that goes with its store. */
export const IN_MEMORY = ':memory:';

const BUSY_TIMEOUT_MS = 10_000;
/** SQLite's own, blocking wait; longer waits are asynchronous (connection.ts). */
const BLOCKING_TIMEOUT_MS = 5;
/** An add touches a dozen pages, each of which its commit writes whole and waits for. */
const PAGE_BYTES = 4_096;
/** How much of the log is folded into the file at once: a rare pause for writers. */
const CHECKPOINT_BYTES = 32 * 1024 * 1024;
/** What the write-ahead log is cut back to after a checkpoint. */
const LOG_BYTES_MAX = 64 * 1024 * 1024;
/** Only the owner may look into the folder of a store: it holds what people said. */
const FOLDER_MODE = 0o700;

export interface SqliteStoreOptions {
  /** Path of the database file, made with its folder where it does not exist; or `IN_MEMORY`. */
  readonly file: string;
  readonly platform: Platform;
  /** Of the terms that a search compares; memories of another revision are analyzed at open. */
  readonly analyzer: TextAnalyzer;
  /** How long a call waits for other processes before it fails with TIMEOUT; 10 s. */
  readonly busyTimeoutMs?: number;
  /** Largest size of the file; a write beyond it fails as on a full disk. Unlimited if absent. */
  readonly fileBytesMax?: number;
  readonly faults?: Faults;
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

async function openConnection(
  options: SqliteStoreOptions,
  busyTimeoutMs: number,
): Promise<Connection> {
  const fileName = path.basename(options.file);
  const isInMemory = options.file === IN_MEMORY;
  if (!isInMemory) await makeFolder(path.dirname(path.resolve(options.file)), fileName);
  const connection = new Connection(openFile(options.file, fileName), {
    fileName,
    busyTimeoutMs,
    faults: options.faults,
    log: isInMemory ? undefined : openLogFlush(options.file),
  });
  try {
    await connection.patiently(() => configure(connection, options.fileBytesMax));
    await migrate(connection, options.platform.clock);
    await createTables(connection, KINDS);
    await completeTerms(connection, options.analyzer);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function makeFolder(folder: string, fileName: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  } catch (cause) {
    throw new VarveError(
      'PROVIDER_REJECTED',
      `The folder for the database ${fileName} can't be made. ` +
        'Check that its path leads through folders that this user may write to.',
      { cause },
    );
  }
}

function openFile(file: string, fileName: string): DatabaseSync {
  try {
    const database = new DatabaseSync(file, {
      timeout: BLOCKING_TIMEOUT_MS,
      enableForeignKeyConstraints: false,
    });
    // Lists of a file are read by connections of their own.
    if (file === IN_MEMORY)
      database.function(
        MATCHES,
        { deterministic: true },
        matcher(() => {}),
      );
    return database;
  } catch (error) {
    throw storeFailure(error, fileName);
  }
}

/** Settings of the connection and, for a new file, of the file. Repeatable. */
function configure(connection: Connection, fileBytesMax: number | undefined): void {
  // Before anything is written: an unsafe SQLite must not touch the file.
  requireSafeSqlite(String(connection.first('SELECT sqlite_version() AS v')?.['v']));
  connection.script(`PRAGMA page_size = ${PAGE_BYTES}`);
  const mode = connection.first('PRAGMA journal_mode = WAL')?.['journal_mode'];
  if (mode !== (connection.isInMemory ? 'memory' : 'wal')) {
    throw new VarveError(
      'PROVIDER_REJECTED',
      `The database ${connection.fileName} can't use a write-ahead log where it lies. ` +
        'Put it on a local disk: network file systems do not lock reliably.',
      { details: { journalMode: mode } },
    );
  }
  // What is deleted is overwritten where it lay: it is what people said.
  // Commits are flushed by the write queue, beside the thread that serves callers.
  // A file that is there keeps the size it was made with.
  const pageBytes = Number(connection.first('PRAGMA page_size')?.['page_size']);
  connection.script(`
    PRAGMA synchronous = NORMAL;
    PRAGMA wal_autocheckpoint = ${Math.floor(CHECKPOINT_BYTES / pageBytes)};
    PRAGMA trusted_schema = OFF;
    PRAGMA secure_delete = ON;
    PRAGMA journal_size_limit = ${LOG_BYTES_MAX};
  `);
  if (fileBytesMax === undefined) return;
  connection.script(`PRAGMA max_page_count = ${Math.floor(fileBytesMax / pageBytes)}`);
}

/** Folds the log into the file, so that a copy of the file alone is complete. */
async function closeConnection(connection: Connection): Promise<void> {
  if (!connection.isOpen) return;
  try {
    // Where other processes still read, this does less and says so in its row; they go on with it.
    await connection.patiently(() => connection.first('PRAGMA wal_checkpoint(TRUNCATE)'));
  } finally {
    connection.close();
  }
}
