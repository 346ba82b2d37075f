/**
 * One connection to the database file: statements, transactions, its write queue, and waiting for
 * other processes.
 *
 * Guarantees: a transaction is either wholly on disk when its promise resolves, or leaves no trace;
 * thrown errors are VarveErrors. While another process holds the lock, waiting is asynchronous, so
 * that a busy file does not block the event loop.
 * Assumes that `work` is synchronous and touches nothing but the database: it may run again.
 */
import { setTimeout as sleep, setImmediate as nextTurn } from 'node:timers/promises';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { VarveError } from '#core/errors.ts';
import { flushFailure, goneFailure, isBusy, SQLITE_BUSY, storeFailure } from './failure.ts';
import { close, fdatasync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

export type Row = Readonly<Record<string, SQLOutputValue>>;
export type Parameters = readonly SQLInputValue[];

/** For tests: called around statements; a throw simulates a crash of the process there. */
export interface Faults {
  beforeStatement(sql: string): void;
  /** Called when a change is durable and the caller does not know yet. */
  afterCommit(): void;
}

interface ConnectionOptions {
  /** Base name of the file, for messages. */
  readonly fileName: string;
  /** How long a call waits for other processes before it fails with TIMEOUT. */
  readonly busyTimeoutMs: number;
  readonly faults?: Faults | undefined;
  /** Called before each row that `iterate` yields; what it throws ends the query. */
  readonly beforeRow?: (() => void) | undefined;
  /** Makes commits durable; absent if SQLite does so itself, or if nothing is written. */
  readonly log?: LogFlush | undefined;
}

export class Connection {
  readonly fileName: string;
  readonly #database: DatabaseSync;
  readonly #busyTimeoutMs: number;
  readonly #faults: Faults | undefined;
  readonly #beforeRow: (() => void) | undefined;
  readonly #log: LogFlush | undefined;
  /** Prepared statements by SQL text, for the connection's lifetime; the code has few texts. */
  readonly #statements = new Map<string, StatementSync>();
  readonly #writes: WriteQueue;
  /** The latest touch of each scope in the current transaction (memory-touches.ts). */
  readonly touched = new Map<string, number>();

  constructor(database: DatabaseSync, options: ConnectionOptions) {
    this.#database = database;
    this.fileName = options.fileName;
    this.#busyTimeoutMs = options.busyTimeoutMs;
    this.#faults = options.faults;
    this.#beforeRow = options.beforeRow;
    this.#log = options.log;
    this.#writes = new WriteQueue(this, options.busyTimeoutMs);
  }

  /** Runs reads on one snapshot of the database. */
  read<T>(work: () => T): Promise<T> {
    return this.readOne(() => this.#transact('BEGIN', work));
  }

  /** Runs one reading statement; a single statement sees one snapshot, and needs no transaction. */
  async readOne<T>(work: () => T): Promise<T> {
    this.#log?.requireFile();
    return this.patiently(work);
  }

  /**
   * Runs reads and writes without another writer in between, and makes them durable together.
   * Writes that wait at the same time share a transaction (`WriteQueue`).
   */
  write<T>(work: () => T): Promise<T> {
    return this.#writes.add(work);
  }

  /** Resolves when no write waits. */
  idle(): Promise<void> {
    return this.#writes.idle();
  }

  /** Like `write`; if the file has no write-ahead log, it also excludes readers. */
  async exclusive<T>(work: () => T): Promise<T> {
    const result = await this.patiently(() => this.#transact('BEGIN EXCLUSIVE', work));
    await this.flush();
    return result;
  }

  /** Runs `attempt` until no other process blocks it, or the busy timeout has passed. */
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

  /** Returns every row of a query. */
  all(sql: string, parameters: Parameters = []): Row[] {
    return this.#statement(sql).all(...parameters);
  }

  /** Yields the rows of a query; do not run the same query again before the last row. */
  iterate(sql: string, parameters: Parameters = []): Iterable<Row> {
    const rows = this.#statement(sql).iterate(...parameters);
    return this.#beforeRow === undefined ? rows : watched(rows, this.#beforeRow);
  }

  /** Returns the first row of a query, or null. */
  first(sql: string, parameters: Parameters = []): Row | null {
    return this.#statement(sql).get(...parameters) ?? null;
  }

  /** Runs a statement and returns how many rows it changed. */
  run(sql: string, parameters: Parameters = []): number {
    return Number(this.#statement(sql).run(...parameters).changes);
  }

  /** Runs several statements without parameters. */
  script(sql: string): void {
    this.#faults?.beforeStatement(sql);
    this.#database.exec(sql);
  }

  /** Whether the database has no file: only this connection sees it, and closing deletes it. */
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

  /** Whether a transaction is open; SQLite itself may end one, as on a full disk. */
  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Begins a transaction: for the write queue, which shares one among many writes. */
  begin(sql: 'BEGIN' | 'BEGIN EXCLUSIVE' | 'BEGIN IMMEDIATE'): void {
    // These are valid for one transaction only: others write in between.
    this.touched.clear();
    this.run(sql);
  }

  /** Resolves when everything committed so far is on disk. */
  async flush(): Promise<void> {
    try {
      await this.#log?.flush();
    } catch (error) {
      throw flushFailure(error, this.fileName);
    }
  }

  /** Tells tests that a change is durable and its caller does not know yet. */
  afterCommit(): void {
    this.#faults?.afterCommit();
  }

  /** Copies the log into the file, with a flush before and after; `TRUNCATE` also empties it. */
  checkpoint(mode: 'FULL' | 'TRUNCATE'): void {
    const row = this.first(`PRAGMA wal_checkpoint(${mode})`);
    if (row?.['busy'] === 0) return;
    throw Object.assign(new Error('The log is being read.'), { errcode: SQLITE_BUSY });
  }

  #transact<T>(begin: 'BEGIN' | 'BEGIN EXCLUSIVE', work: () => T): T {
    this.begin(begin);
    try {
      const result = work();
      this.run('COMMIT');
      if (begin !== 'BEGIN') this.afterCommit();
      return result;
    } catch (error) {
      this.rollBack(error);
      throw error;
    }
  }

  /** Rolls back, unless SQLite has done so itself, as after an error for a full disk. */
  rollBack(failure: unknown): void {
    if (!this.isOpen || !this.isTransaction) return;
    try {
      this.run('ROLLBACK');
    } catch (error) {
      // Later writes must not join a transaction that could not be rolled back; closing ends it.
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

// Checks whether SQLite is safe for several processes on one file.

/**
 * The first release without the WAL-reset bug, which let several connections that write and
 * checkpoint corrupt the file (SQLite 3.7.0 to 3.51.2, sqlite.org/releaselog/3_51_3.html).
 */
const REQUIRED = '3.51.3';
const NODE_WITH_IT = '24.21';

/** @throws VarveError PROVIDER_REJECTED for a SQLite that may corrupt the file. */
export function requireSafeSqlite(version: string): void {
  if (rank(version) >= rank(REQUIRED)) return;
  throw new VarveError(
    'PROVIDER_REJECTED',
    `This Node comes with SQLite ${version}, which can corrupt a database that several processes ` +
      `write to. Use Node ${NODE_WITH_IT} or newer, which has SQLite ${REQUIRED} or newer.`,
    { details: { found: version, required: REQUIRED, node: NODE_WITH_IT } },
  );
}

/** Returns a version as one number, like sqlite3_libversion_number. */
function rank(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return (major * 1_000 + minor) * 1_000 + patch;
}

/** Writes of one transaction; more would let other processes wait long for the lock. */
const WRITES_MAX = 64;
/** After this time no further write joins a transaction: bulk writes are long ones. */
const TRANSACTION_MS = 25;
/**
 * Maximum concurrent flushes. While one runs, the next transaction can commit and begin its own;
 * beyond the maximum, writes gather in larger transactions.
 */
const FLUSHES_MAX = 3;
/** This many writes do not wait for more: their flush can run while others are prepared. */
const WRITES_EAGER = 12;
/** Maximum pause before a retry for a lock; the minimum is half of it. */
const RETRY_PAUSE_MS = 16;

/** One write in the queue, with its caller. */
interface Waiting {
  readonly deadline: number;
  /** Runs the write and keeps its result. */
  readonly run: () => void;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** The writes of one transaction, and which of them were rolled back and why. */
interface Ran {
  readonly ran: readonly Waiting[];
  readonly failed: ReadonlyMap<Waiting, unknown>;
}

class WriteQueue {
  readonly #connection: Connection;
  readonly #patienceMs: number;
  /** Bounded by the callers, each of which waits for its own write. */
  #waiting: Waiting[] = [];
  #draining: Promise<void> | null = null;
  readonly #flushing = new Set<Promise<void>>();
  /**
   * Whether a flush failed. The system then treats the pages as written, and a later successful
   * flush proves nothing about them (Rebello et al., "Can Applications Recover from fsync
   * Failures?", USENIX ATC 2020), so the log is copied into the file instead.
   */
  #isUnsure = false;
  /** Whether another process has the lock; an immediate retry would only block callers. */
  #isHeldUp = false;
  /** The write whose failure made SQLite end a shared transaction. */
  #culprit: Waiting | null = null;

  constructor(connection: Connection, patienceMs: number) {
    this.#connection = connection;
    this.#patienceMs = patienceMs;
  }

  /** Runs `work` without another writer in between, and makes its writes durable. */
  add<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let answer: { readonly value: T } | null = null;
    this.#waiting.push({
      deadline: performance.now() + this.#patienceMs,
      run: () => {
        answer = { value: work() };
      },
      resolve: () => {
        if (answer !== null) resolve(answer.value);
      },
      reject: (reason) => {
        reject(storeFailure(reason, this.#connection.fileName));
      },
    });
    this.#draining ??= this.#drain();
    if (this.#isEagerTurn()) this.#commitSome();
    return promise;
  }

  /** Resolves when no write waits. */
  async idle(): Promise<void> {
    while (this.#draining !== null || this.#flushing.size > 0) {
      await this.#draining;
      await Promise.all(this.#flushing);
    }
  }

  /** Whether to commit at once: otherwise all callers of a turn wait for the last one. */
  #isEagerTurn(): boolean {
    if (this.#isHeldUp || this.#flushing.size === FLUSHES_MAX) return false;
    return this.#waiting.length >= WRITES_EAGER;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Let callers that just got an answer, or call at the same time, join the next transaction.
      await nextTurn();
      if (this.#flushing.size === FLUSHES_MAX) {
        await Promise.race(this.#flushing);
        continue;
      }
      if (this.#waiting.length === 0) break;
      const busy = this.#commitSome();
      if (busy === null) continue;
      this.#rejectLate(busy);
      this.#isHeldUp = true;
      await sleep(RETRY_PAUSE_MS * (0.5 + Math.random() / 2));
      this.#isHeldUp = false;
    }
    this.#draining = null;
  }

  /** Commits waiting writes in one transaction; returns the error if another process blocks it. */
  #commitSome(): Error | null {
    const batch = this.#waiting.splice(0, WRITES_MAX);
    try {
      // Makes all commits durable, whatever became of their flushes.
      if (this.#isUnsure) this.#connection.checkpoint('FULL');
      this.#isUnsure = false;
      const { ran, failed } = this.#runTogether(batch) ?? this.#runApart(batch);
      this.#connection.run('COMMIT');
      const flushing = this.#flush({ ran, failed }).finally(() => this.#flushing.delete(flushing));
      this.#flushing.add(flushing);
      this.#waiting = [...batch.slice(ran.length), ...this.#waiting];
      return null;
    } catch (error) {
      return this.#giveUp(batch, error);
    }
  }

  /** Settles the writes of a transaction once they are on disk. */
  async #flush({ ran, failed }: Ran): Promise<void> {
    try {
      await this.#connection.flush();
      this.#connection.afterCommit();
    } catch (error) {
      this.#isUnsure = true;
      for (const write of ran) write.reject(failed.get(write) ?? error);
      return;
    }
    for (const [write, reason] of failed) write.reject(reason);
    for (const write of ran) if (!failed.has(write)) write.resolve();
  }

  /**
   * Begins a transaction without savepoints, which would make SQLite copy every changed page once
   * more. Null if a write failed; then all are rolled back.
   */
  #runTogether(batch: readonly Waiting[]): Ran | null {
    this.#connection.begin('BEGIN IMMEDIATE');
    try {
      const ran = this.#runWhileShort(batch, (write) => {
        write.run();
      });
      return { ran, failed: new Map() };
    } catch (error) {
      if (batch.length === 1 || isBusy(error)) throw error;
      this.#connection.rollBack(error);
      return null;
    }
  }

  /** Begins a transaction with a savepoint for each write: only failed writes are rolled back. */
  #runApart(batch: readonly Waiting[]): Ran {
    const failed = new Map<Waiting, unknown>();
    this.#connection.begin('BEGIN IMMEDIATE');
    const ran = this.#runWhileShort(batch, (write) => {
      this.#runAlone(write, failed);
    });
    return { ran, failed };
  }

  /** Runs writes one after another while there is time; returns those that ran. */
  #runWhileShort(batch: readonly Waiting[], run: (write: Waiting) => void): readonly Waiting[] {
    const end = performance.now() + TRANSACTION_MS;
    const ran: Waiting[] = [];
    for (const write of batch) {
      if (ran.length > 0 && performance.now() > end) break;
      ran.push(write);
      run(write);
    }
    return ran;
  }

  /** Runs a write so that its failure undoes only itself. */
  #runAlone(write: Waiting, failed: Map<Waiting, unknown>): void {
    const connection = this.#connection;
    connection.run('SAVEPOINT one_write');
    try {
      write.run();
    } catch (error) {
      if (isBusy(error)) throw error;
      if (!connection.isTransaction) {
        this.#culprit = write;
        throw error;
      }
      connection.run('ROLLBACK TO one_write');
      failed.set(write, error);
    }
    connection.run('RELEASE one_write');
  }

  #giveUp(batch: readonly Waiting[], error: unknown): Error | null {
    const culprit = this.#culprit;
    this.#culprit = null;
    let failure: unknown = error;
    try {
      this.#connection.rollBack(error);
    } catch (fatal) {
      failure = fatal;
    }
    if (isBusy(failure)) {
      this.#waiting = [...batch, ...this.#waiting];
      return failure;
    }
    // The others may succeed without the write that ended their transaction.
    const rejected = culprit === null ? batch : [culprit];
    for (const write of rejected) write.reject(failure);
    const others = batch.filter((write) => !rejected.includes(write));
    this.#waiting = [...others, ...this.#waiting];
    return null;
  }

  #rejectLate(reason: Error): void {
    const now = performance.now();
    const isLate = (write: Waiting): boolean => write.deadline <= now;
    const late = this.#waiting.filter(isLate);
    this.#waiting = this.#waiting.filter((write) => !isLate(write));
    for (const write of late) write.reject(reason);
  }
}

// Flushes of the write-ahead log, in a system thread instead of the one that serves callers.
//
// With `synchronous = NORMAL` SQLite writes a commit to the log and leaves the flush to us. The log
// is a sequence of checksummed frames, so a power failure loses only its tail, and a flush makes
// every earlier commit durable (sqlite.org/wal.html, "Performance Considerations"). SQLite's own
// locks are on other files, so closing this file drops none of them.

const flushData = promisify(fdatasync);

function openLog(databaseFile: string): number {
  try {
    return openSync(`${databaseFile}-wal`, 'r+');
  } catch (error) {
    throw isMissing(error) ? goneFailure(path.basename(databaseFile)) : error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** For so long, a read may still answer from a file that was deleted or replaced. */
export const FILE_CHECK_MS = 1_000;

export interface LogFlush {
  /**
   * Resolves when everything that was committed before the call is on disk.
   * @throws VarveError PROVIDER_REJECTED if the file is gone
   */
  flush(): Promise<void>;
  /**
   * Checks, at most once in `FILE_CHECK_MS`, that the file is still there.
   * @throws VarveError PROVIDER_REJECTED if it is gone
   */
  requireFile(): void;
  /** Closes the file once no flush is running. */
  close(): void;
}

/**
 * Opens the log of a database file at the first flush, when SQLite has created it. A flush and a
 * check fail if the file was deleted or replaced since: SQLite goes on with the old file, which
 * ends with the process.
 */
export function openLogFlush(databaseFile: string): LogFlush {
  const opened = statSync(databaseFile);
  let handle: number | null = null;
  let underWay = 0;
  let isClosed = false;
  let checkedAt = performance.now();
  // In this thread, where it takes microseconds: a turn of another one takes longer.
  const requireSame = (): void => {
    const found = statSync(databaseFile, { throwIfNoEntry: false });
    if (found?.ino === opened.ino && found.dev === opened.dev) return;
    throw goneFailure(path.basename(databaseFile));
  };
  const release = (): void => {
    if (!isClosed || underWay > 0 || handle === null) return;
    close(handle, () => undefined);
    handle = null;
  };
  return {
    async flush() {
      handle ??= openLog(databaseFile);
      underWay += 1;
      try {
        await flushData(handle);
        requireSame();
      } finally {
        underWay -= 1;
        release();
      }
    },
    requireFile() {
      if (performance.now() - checkedAt < FILE_CHECK_MS) return;
      requireSame();
      checkedAt = performance.now();
    },
    close() {
      isClosed = true;
      release();
    },
  };
}
