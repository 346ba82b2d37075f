/**
 * One connection to the database file: statements, transactions, and patience with other processes.
 *
 * Guarantees: a transaction is either wholly on disk when its promise resolves, or leaves no trace;
 * what is thrown is a VarveError. While another process holds the lock, waiting is asynchronous, so
 * that a busy file does not hold up the event loop.
 * Assumes that `work` is synchronous and touches nothing but the database: it may run again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { VarveError } from '#core/errors.ts';
import { flushFailure, isBusy, SQLITE_BUSY, storeFailure } from './failure.ts';
import type { LogFlush } from './log-flush.ts';
import { RETRY_PAUSE_MS, WriteQueue } from './write-queue.ts';

export type Row = Readonly<Record<string, SQLOutputValue>>;
export type Parameters = readonly SQLInputValue[];

/** For tests: called around statements; a throw stands for the death of the process there. */
export interface Faults {
  beforeStatement(sql: string): void;
  /** The change is durable and its caller does not know yet. */
  afterCommit(): void;
}

export interface ConnectionOptions {
  /** Base name of the file, for messages. */
  readonly fileName: string;
  /** How long to wait for other processes before TIMEOUT. */
  readonly busyTimeoutMs: number;
  readonly faults?: Faults | undefined;
  /** Called before each row that `iterate` hands on; what it throws ends the query. */
  readonly beforeRow?: (() => void) | undefined;
  /** Makes commits durable; absent where SQLite does it itself, or where nothing is written. */
  readonly log?: LogFlush | undefined;
}

export class Connection {
  readonly fileName: string;
  readonly #database: DatabaseSync;
  readonly #busyTimeoutMs: number;
  readonly #faults: Faults | undefined;
  readonly #beforeRow: (() => void) | undefined;
  readonly #log: LogFlush | undefined;
  /** Owned by the connection and as long-lived; keys are SQL texts, of which the code has a few. */
  readonly #statements = new Map<string, StatementSync>();
  readonly #writes: WriteQueue;
  /** The latest touch of each scope in the transaction under way (memory-touches.ts). */
  readonly touched = new Map<string, number>();

  constructor(database: DatabaseSync, options: ConnectionOptions) {
    this.#database = database;
    this.fileName = options.fileName;
    this.#busyTimeoutMs = options.busyTimeoutMs;
    this.#faults = options.faults;
    this.#beforeRow = options.beforeRow;
    this.#log = options.log;
    this.#writes = new WriteQueue(
      {
        begin: () => {
          this.#begin('BEGIN IMMEDIATE');
        },
        run: (sql) => void this.run(sql),
        isTransaction: () => database.isTransaction,
        rollBack: (error) => {
          this.#rollBack(error);
        },
        flush: () => this.#flush(),
        fold: () => {
          this.checkpoint('FULL');
        },
        afterCommit: () => options.faults?.afterCommit(),
        failure: (error) => storeFailure(error, options.fileName),
      },
      { patienceMs: options.busyTimeoutMs },
    );
  }

  /** Runs reads on one snapshot of the database. */
  read<T>(work: () => T): Promise<T> {
    return this.patiently(() => this.#transact('BEGIN', work));
  }

  /** Runs one reading statement; a single statement sees one snapshot, and needs no transaction. */
  readOne<T>(work: () => T): Promise<T> {
    return this.patiently(work);
  }

  /**
   * Runs reads and writes with no other writer in between, and makes them durable as one. Writes
   * that wait at the same time share a transaction (write-queue.ts).
   */
  write<T>(work: () => T): Promise<T> {
    return this.#writes.add(work);
  }

  /** Resolves when no write waits. */
  idle(): Promise<void> {
    return this.#writes.idle();
  }

  /** As `write`; where the file has no write-ahead log, no reader reads meanwhile either. */
  async exclusive<T>(work: () => T): Promise<T> {
    const result = await this.patiently(() => this.#transact('BEGIN EXCLUSIVE', work));
    await this.#flush();
    return result;
  }

  /** Runs `attempt` until no other process is in its way, or the time limit has passed. */
  async patiently<T>(attempt: () => T): Promise<T> {
    const deadline = performance.now() + this.#busyTimeoutMs;
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) {
          throw storeFailure(error, this.fileName);
        }
      }
      await sleep(RETRY_PAUSE_MS * (0.5 + Math.random() / 2));
    }
  }

  /** Every row of a query. */
  all(sql: string, parameters: Parameters = []): Row[] {
    return this.#statement(sql).all(...parameters);
  }

  /** The rows of a query one by one; the same query must not run again before the last one. */
  iterate(sql: string, parameters: Parameters = []): Iterable<Row> {
    const rows = this.#statement(sql).iterate(...parameters);
    return this.#beforeRow === undefined ? rows : watched(rows, this.#beforeRow);
  }

  /** The first row of a query, or null. */
  first(sql: string, parameters: Parameters = []): Row | null {
    return this.#statement(sql).get(...parameters) ?? null;
  }

  /** Runs a statement and answers how many rows it changed. */
  run(sql: string, parameters: Parameters = []): number {
    return Number(this.#statement(sql).run(...parameters).changes);
  }

  /** Runs several statements that take no parameters. */
  script(sql: string): void {
    this.#faults?.beforeStatement(sql);
    this.#database.exec(sql);
  }

  /** Whether the database has no file: only this connection sees it, and it goes with it. */
  get isInMemory(): boolean {
    return this.#database.isOpen && this.#database.location() === null;
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  /** Closes the file; a second call does nothing. */
  close(): void {
    this.#statements.clear();
    this.#log?.close();
    if (this.#database.isOpen) this.#database.close();
  }

  /** What was noted of the file holds for one transaction: others write in between. */
  #begin(sql: string): void {
    this.touched.clear();
    this.run(sql);
  }

  async #flush(): Promise<void> {
    try {
      await this.#log?.flush();
    } catch (error) {
      throw flushFailure(error, this.fileName);
    }
  }

  /** Copies the log into the file, which SQLite flushes before and after; or empties it as well. */
  checkpoint(mode: 'FULL' | 'TRUNCATE'): void {
    const row = this.first(`PRAGMA wal_checkpoint(${mode})`);
    if (row?.['busy'] === 0) return;
    throw Object.assign(new Error('The log is being read.'), { errcode: SQLITE_BUSY });
  }

  #transact<T>(begin: string, work: () => T): T {
    this.#begin(begin);
    try {
      const result = work();
      this.run('COMMIT');
      if (begin !== 'BEGIN') this.#faults?.afterCommit();
      return result;
    } catch (error) {
      this.#rollBack(error);
      throw error;
    }
  }

  /** SQLite itself has already rolled back after some errors, a full disk among them. */
  #rollBack(failure: unknown): void {
    if (!this.#database.isOpen || !this.#database.isTransaction) return;
    try {
      this.run('ROLLBACK');
    } catch (error) {
      // Later writes must not join a transaction that could not be ended; closing ends it.
      this.close();
      const message = 'A transaction could not be rolled back.';
      throw new AggregateError([failure, error], message, { cause: error });
    }
  }

  #statement(sql: string): StatementSync {
    this.#faults?.beforeStatement(sql);
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function* watched(rows: Iterable<Row>, beforeRow: () => void): Generator<Row> {
  for (const row of rows) {
    beforeRow();
    yield row;
  }
}

// Which SQLite is safe for several processes on one file.

/**
 * The first release without the WAL-reset bug, by which several connections that write and
 * checkpoint could corrupt the file (SQLite 3.7.0 to 3.51.2, sqlite.org/releaselog/3_51_3.html).
 */
const REQUIRED = '3.51.3';
const NODE_WITH_IT = '24.21';

/** @throws VarveError PROVIDER_REJECTED for a SQLite that may corrupt the file. */
export function requireSafeSqlite(version: string): void {
  if (rank(version) >= rank(REQUIRED)) return;
  throw new VarveError(
    'PROVIDER_REJECTED',
    `This Node brings SQLite ${version}, which can corrupt a database that several processes ` +
      `write to. Use Node ${NODE_WITH_IT} or newer, which brings SQLite ${REQUIRED} or newer.`,
    { details: { found: version, required: REQUIRED, node: NODE_WITH_IT } },
  );
}

/** One number per version, as sqlite3_libversion_number counts. */
function rank(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return (major * 1_000 + minor) * 1_000 + patch;
}
