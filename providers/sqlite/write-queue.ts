/**
 * Writes that wait at the same time share one transaction, and so one wait for the disk.
 *
 * Flow: a transaction commits, its flush runs in a thread of the system, and meanwhile the next one
 * gathers and commits; others can read a write as soon as it is committed.
 * Guarantees: a write resolves once its transaction is on disk. One that fails is rolled back alone
 * and the others go on; where the transaction fails, none of them left a trace and all reject.
 * Assumes that a write is synchronous and touches nothing but the database: it may run again.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from './failure.ts';

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
export const RETRY_PAUSE_MS = 16;

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

/** What the queue asks of the connection. */
export interface WriteTransactions {
  begin(): void;
  run(sql: string): void;
  /** False also if SQLite itself ended the transaction, as on a full disk. */
  isTransaction(): boolean;
  rollBack(failure: unknown): void;
  /** Resolves when what was committed is on disk. */
  flush(): Promise<void>;
  /** Makes everything durable that was ever committed, whatever became of its flush. */
  fold(): void;
  /** The change is durable and its caller does not know yet. */
  afterCommit(): void;
  /** The failure as callers see it. */
  failure(error: unknown): unknown;
}

export class WriteQueue {
  readonly #transactions: WriteTransactions;
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

  constructor(transactions: WriteTransactions, { patienceMs }: { patienceMs: number }) {
    this.#transactions = transactions;
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
        reject(this.#transactions.failure(reason));
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
      if (this.#isUnsure) this.#transactions.fold();
      this.#isUnsure = false;
      const { ran, failed } = this.#runTogether(batch) ?? this.#runApart(batch);
      this.#transactions.run('COMMIT');
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
      await this.#transactions.flush();
      this.#transactions.afterCommit();
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
    this.#transactions.begin();
    try {
      const ran = this.#runWhileShort(batch, (write) => {
        write.run();
      });
      return { ran, failed: new Map() };
    } catch (error) {
      if (batch.length === 1 || isBusy(error)) throw error;
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
      if (isBusy(error)) throw error;
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
