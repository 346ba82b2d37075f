/**
 * One connection to the database file: statements, transactions, the queue of its writes, and
 * patience with other processes.
 *
 * Guarantees: a transaction is either wholly on disk when its promise resolves, or leaves no trace;
 * what is thrown is a VarveError. While another process holds the lock, waiting is asynchronous, so
 * that a busy file does not hold up the event loop.
 * Assumes that `work` is synchronous and touches nothing but the database: it may run again.
 */
import { setTimeout as sleep, setImmediate as nextTurn } from 'node:timers/promises';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { VarveError } from '#core/errors.ts';
import { flushFailure, isBusy, SQLITE_BUSY, storeFailure } from './failure.ts';
import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

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
    this.#writes = new WriteQueue(this, options.busyTimeoutMs);
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
   * that wait at the same time share a transaction (`WriteQueue`).
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
    await this.flush();
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

  /** Whether a transaction is under way; SQLite itself ends one, as on a full disk. */
  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Begins a transaction: for the write queue, which shares one among many writes. */
  begin(sql: 'BEGIN' | 'BEGIN EXCLUSIVE' | 'BEGIN IMMEDIATE'): void {
    // What was noted of the file holds for one transaction: others write in between.
    this.touched.clear();
    this.run(sql);
  }

  /** Resolves when what was committed is on disk. */
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

  /** Copies the log into the file, which SQLite flushes before and after; or empties it as well. */
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

  /** SQLite itself has already rolled back after some errors, a full disk among them. */
  rollBack(failure: unknown): void {
    if (!this.isOpen || !this.isTransaction) return;
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

/** Writes of one transaction; more would let other processes wait long for the lock. */
const WRITES_MAX = 64;
/** After this time no further write joins a transaction: bulk writes are long ones. */
const TRANSACTION_MS = 25;
/**
 * Flushes under way at once. While one runs the next transaction can commit and begin its own;
 * beyond that, writes gather into greater transactions.
 */
const FLUSHES_MAX = 3;
/** So many do not wait for others: their flush can run while those are prepared. */
const WRITES_EAGER = 12;
/** Longest pause before asking again for a lock; the shortest is half of it. */
const RETRY_PAUSE_MS = 16;

/** One write in the queue, with its caller. */
interface Waiting {
  readonly deadline: number;
  /** Runs the write and remembers what it answered. */
  readonly run: () => void;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** What one transaction holds, and which of it was taken back and why. */
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
   * Whether a flush failed. The system then takes its pages for written, and a later flush that
   * succeeds says nothing of them (Rebello et al., "Can Applications Recover from fsync Failures?",
   * USENIX ATC 2020), so they are copied into the file instead.
   */
  #isUnsure = false;
  /** Whether another process has the lock; asking again at once would only block callers. */
  #isHeldUp = false;
  /** The write whose failure made SQLite end the transaction of several. */
  #culprit: Waiting | null = null;

  constructor(connection: Connection, patienceMs: number) {
    this.#connection = connection;
    this.#patienceMs = patienceMs;
  }

  /** Runs `work` with no other writer in between, and makes what it wrote durable. */
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

  /** Callers that come in one turn would else all wait for the last of them to be prepared. */
  #isEagerTurn(): boolean {
    if (this.#isHeldUp || this.#flushing.size === FLUSHES_MAX) return false;
    return this.#waiting.length >= WRITES_EAGER;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Callers that were just answered, or call at the same time, join the next transaction.
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

  /** Runs one transaction of what waits; answers the error where another process is in its way. */
  #commitSome(): Error | null {
    const batch = this.#waiting.splice(0, WRITES_MAX);
    try {
      // Makes everything durable that was ever committed, whatever became of its flush.
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

  /** Answers the writes of a transaction once they are on disk. */
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
   * Begins a transaction of writes none of which can be taken back alone: SQLite would else copy
   * every page that one of them changes once more. Null where one failed; nothing is left of any.
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

  /** Begins a transaction of writes of which each failed one is taken back. */
  #runApart(batch: readonly Waiting[]): Ran {
    const failed = new Map<Waiting, unknown>();
    this.#connection.begin('BEGIN IMMEDIATE');
    const ran = this.#runWhileShort(batch, (write) => {
      this.#runAlone(write, failed);
    });
    return { ran, failed };
  }

  /** Answers what was run, one after another. */
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

  /** Runs a write so that its failure undoes nothing but itself. */
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
    // The others may well succeed without the one that ended their transaction.
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

// Flushes of the write-ahead log, in a thread of the system and not in the one that serves callers.
//
// With `synchronous = NORMAL` SQLite writes a commit to the log and leaves the flush to us; the log
// is a row of checksummed frames, so what a power failure tears off is always a tail of it, and a
// flush makes every commit before it durable (sqlite.org/wal.html, "Performance Considerations").
// SQLite's own locks lie on other files, so that closing this one drops none of them.

const flushData = promisify(fdatasync);

export interface LogFlush {
  /** Resolves when everything that was committed before the call is on disk. */
  flush(): Promise<void>;
  /** Closes the file, once no flush is under way. */
  close(): void;
}

/** The log of a database file; opened with the first flush, when SQLite has made it. */
export function openLogFlush(databaseFile: string): LogFlush {
  let handle: number | null = null;
  let underWay = 0;
  let isClosed = false;
  const release = (): void => {
    if (!isClosed || underWay > 0 || handle === null) return;
    close(handle, () => undefined);
    handle = null;
  };
  return {
    async flush() {
      handle ??= openSync(`${databaseFile}-wal`, 'r+');
      underWay += 1;
      try {
        await flushData(handle);
      } finally {
        underWay -= 1;
        release();
      }
    },
    close() {
      isClosed = true;
      release();
    },
  };
}
