/** Opens the database file of a store with the pragmas that it needs, and closes it. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { VarveError } from '#core/errors.ts';
import type { Log, Platform } from '#core/ports/platform.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import { makeFolder } from '#providers/node/make-folder.ts';
import { KINDS } from '#store/record-kinds-and-indexes.ts';
import { Connection, type Faults, requireSafeSqlite, openLogFlush } from './connection.ts';
import { createTables } from './record-tables.ts';
import { isFull, storeFailure } from './failure.ts';
import { migrate } from './migrate.ts';
import { MATCHES, matcher } from './search/memory-list.ts';
import { completeTerms } from './memory-terms.ts';

/** Used as a path: a database that only this process sees, deleted when its store closes. */
export const IN_MEMORY = ':memory:';

/** A call waits this long for the lock of another process before it fails with TIMEOUT. */
export const BUSY_TIMEOUT_MS = 10_000;
/** SQLite's own blocking wait; longer waits are asynchronous (connection.ts). */
const BLOCKING_TIMEOUT_MS = 5;
/** An add touches a dozen pages, each of which its commit writes whole and waits for. */
const PAGE_BYTES = 4_096;
/** Size of the log that triggers a checkpoint, which is a rare pause for writers. */
const CHECKPOINT_BYTES = 32 * 1024 * 1024;
/** The write-ahead log is truncated to this size after a checkpoint. */
const LOG_BYTES_MAX = 64 * 1024 * 1024;
/** Only the owner may read the folder of a store: it holds what people said. */
const FOLDER_MODE = 0o700;

export interface ConnectionOptions {
  /** Path of the database file, created with its folder if missing; or `IN_MEMORY`. */
  readonly file: string;
  readonly platform: Platform;
  /** Makes the terms that a search compares; memories of another revision are analyzed at open. */
  readonly analyzer: TextAnalyzer;
  /** Largest size of the file; a write beyond it fails as on a full disk. Unlimited if absent. */
  readonly fileBytesMax?: number;
  readonly faults?: Faults;
}

/**
 * Opens the file, sets its pragmas, and makes or upgrades its tables.
 * @throws VarveError PROVIDER_REJECTED if this file or this Node cannot be used, CORRUPT, TIMEOUT
 */
export async function openConnection(
  options: ConnectionOptions,
  busyTimeoutMs: number,
): Promise<Connection> {
  const fileName = path.basename(options.file);
  const isInMemory = options.file === IN_MEMORY;
  if (!isInMemory) makeStoreFolder(path.dirname(path.resolve(options.file)), fileName);
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

function makeStoreFolder(folder: string, fileName: string): void {
  try {
    makeFolder(folder, FOLDER_MODE);
  } catch (cause) {
    throw new VarveError(
      'PROVIDER_REJECTED',
      `The folder for the database ${fileName} can't be created. ` +
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
    const matches = matcher(() => {});
    database.function(MATCHES, { deterministic: true }, matches);
    return database;
  } catch (error) {
    throw storeFailure(error, fileName);
  }
}

/** Settings of the connection and, for a new file, of the file. Repeatable. */
function configure(connection: Connection, fileBytesMax: number | undefined): void {
  // Check before anything is written: an unsafe SQLite must not touch the file.
  requireSafeSqlite(String(connection.first('SELECT sqlite_version() AS v')?.['v']));
  connection.script(`PRAGMA page_size = ${PAGE_BYTES}`);
  const mode = connection.first('PRAGMA journal_mode = WAL')?.['journal_mode'];
  if (mode !== (connection.isInMemory ? 'memory' : 'wal')) {
    throw new VarveError(
      'PROVIDER_REJECTED',
      `The database ${connection.fileName} can't use a write-ahead log in its folder. ` +
        'Put it on a local disk: network file systems do not lock reliably.',
      { details: { journalMode: mode } },
    );
  }
  // Deleted data is overwritten in place: it is what people said.
  // The write queue flushes commits, outside the thread that serves callers.
  // An existing file keeps the page size it was created with.
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

/**
 * Copies the log into the file, so that a copy of the file alone is complete. A full disk is only
 * logged: acknowledged writes are flushed in the log, which the next open reads.
 */
export async function closeConnection(connection: Connection, log: Log): Promise<void> {
  if (!connection.isOpen) return;
  try {
    // If other processes still read, this does less and says so in its row; they finish it.
    await connection.patiently(() => connection.first('PRAGMA wal_checkpoint(TRUNCATE)'));
  } catch (error) {
    if (!isFull(error)) throw error;
    log.warn({ error }, 'the disk is full: the log stays beside the database');
  } finally {
    connection.close();
  }
}
