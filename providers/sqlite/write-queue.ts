/**
 * Writes that wait at the same time share one transaction, and so one wait for the disk.
 *
 * Guarantees: a write resolves once its transaction is on disk. One that fails is rolled back alone
 * and the others go on; where the transaction fails, none of them left a trace and all reject.
 * Assumes that a write is synchronous and touches nothing but the database: it may run again.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Writes of one transaction; more would let other processes wait long for the lock. */
const WRITES_MAX = 64;
/** After this time no further write joins a transaction: bulk writes are long ones. */
const TRANSACTION_MS = 25;
/** Longest pause before asking again for a lock; the shortest is half of it. */
export const RETRY_PAUSE_MS = 16;

/** One write in the queue, with its caller. */
interface Waiting {
  readonly deadline: number;
  /** Whether it knows of drafts; others find what the writes before them left in the tables. */
  readonly usesDrafts: boolean;
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

/** What the queue asks of the connection. */
export interface WriteTransactions {
  begin(): void;
  run(sql: string): void;
  /** False also where SQLite ended the transaction by itself, as on a full disk. */
  isTransaction(): boolean;
  rollBack(failure: unknown): void;
  /** Writes what the writes of the transaction so far left to its end (drafts.ts). */
  writeDrafts(): void;
  afterCommit(): void;
  isBusy(error: unknown): error is Error;
  /** The failure as callers see it. */
  failure(error: unknown): unknown;
}

export class WriteQueue {
  readonly #transactions: WriteTransactions;
  readonly #patienceMs: number;
  /** Bounded by the callers, each of which waits for its own write. */
  #waiting: Waiting[] = [];
  #draining: Promise<void> | null = null;
  /** The write whose failure made SQLite end the transaction of several. */
  #culprit: Waiting | null = null;

  constructor(transactions: WriteTransactions, { patienceMs }: { patienceMs: number }) {
    this.#transactions = transactions;
    this.#patienceMs = patienceMs;
  }

  /** Runs `work` with no other writer in between, and makes what it wrote durable. */
  add<T>(work: () => T, { usesDrafts = false } = {}): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let answer: { readonly value: T } | null = null;
    this.#waiting.push({
      deadline: performance.now() + this.#patienceMs,
      usesDrafts,
      run: () => {
        answer = { value: work() };
      },
      resolve: () => {
        if (answer !== null) resolve(answer.value);
      },
      reject: (reason) => {
        reject(this.#transactions.failure(reason));
      },
    });
    this.#draining ??= this.#drain();
    return promise;
  }

  /** Resolves when no write waits. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Whoever was just answered, or asks at the same time, joins the next transaction.
      await nextTurn();
      const busy = this.#commitSome();
      if (busy === null) continue;
      this.#rejectLate(busy);
      await sleep(RETRY_PAUSE_MS * (0.5 + Math.random() / 2));
    }
    this.#draining = null;
  }

  /** Runs one transaction of what waits; answers the error where another process is in its way. */
  #commitSome(): Error | null {
    const batch = this.#waiting.splice(0, WRITES_MAX);
    try {
      const { ran, failed } = this.#runTogether(batch) ?? this.#runApart(batch);
      this.#transactions.writeDrafts();
      this.#transactions.run('COMMIT');
      this.#transactions.afterCommit();
      for (const [write, reason] of failed) write.reject(reason);
      for (const write of ran) if (!failed.has(write)) write.resolve();
      this.#waiting = [...batch.slice(ran.length), ...this.#waiting];
      return null;
    } catch (error) {
      return this.#giveUp(batch, error);
    }
  }

  /**
   * Begins a transaction of writes none of which can be taken back alone: SQLite would else copy
   * every page that one of them changes once more. Null where one failed; nothing is left of any.
   */
  #runTogether(batch: readonly Waiting[]): Ran | null {
    this.#transactions.begin();
    try {
      const ran = this.#runWhileShort(batch, (write) => {
        write.run();
      });
      return { ran, failed: new Map() };
    } catch (error) {
      if (batch.length === 1 || this.#transactions.isBusy(error)) throw error;
      this.#transactions.rollBack(error);
      return null;
    }
  }

  /** Begins a transaction of writes of which each failed one is taken back. */
  #runApart(batch: readonly Waiting[]): Ran {
    const failed = new Map<Waiting, unknown>();
    this.#transactions.begin();
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
      if (!write.usesDrafts) this.#transactions.writeDrafts();
      run(write);
    }
    return ran;
  }

  /** Runs a write so that its failure undoes nothing but itself. */
  #runAlone(write: Waiting, failed: Map<Waiting, unknown>): void {
    const transactions = this.#transactions;
    transactions.run('SAVEPOINT one_write');
    try {
      write.run();
    } catch (error) {
      if (transactions.isBusy(error)) throw error;
      if (!transactions.isTransaction()) {
        this.#culprit = write;
        throw error;
      }
      transactions.run('ROLLBACK TO one_write');
      failed.set(write, error);
    }
    transactions.run('RELEASE one_write');
  }

  #giveUp(batch: readonly Waiting[], error: unknown): Error | null {
    const culprit = this.#culprit;
    this.#culprit = null;
    let failure: unknown = error;
    try {
      this.#transactions.rollBack(error);
    } catch (fatal) {
      failure = fatal;
    }
    if (this.#transactions.isBusy(failure)) {
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
