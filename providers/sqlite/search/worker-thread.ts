/**
 * One search worker as the main thread sees it: calls out, answers back.
 *
 * Guarantees: every call is settled. A worker that dies fails the calls it had with PROVIDER_ERROR
 * and is replaced at the next call; `close` fails them with CANCELLED, at once. The thread alone
 * never keeps the process running, a call under way does.
 */
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';
import { createClosingFlag, storeClosed, raiseClosing, type ClosingFlag } from './closing-flag.ts';
import {
  errorOf,
  type AnswerMessage,
  type CallMessage,
  type CallOf,
  type WorkerAnswers,
  type WorkerCall,
  type WorkerStart,
  CLOSE,
} from './worker-message.ts';
import { Worker } from 'node:worker_threads';

/** Calls that wait for one worker; each holds a query of some kilobytes. */
const CALLS_MAX = 1_024;
/** When to come again where they are that many: a warm search takes some milliseconds. */
const RETRY_AFTER_MS = 500;

/** A call is copied: its query may be asked of several scopes at once. */
const NOTHING_HANDED_OVER: readonly never[] = [];

const PROGRAM = new URL('./search-worker.ts', import.meta.url);

interface WorkerThreadOptions {
  readonly start: Omit<WorkerStart, 'closing'>;
  readonly log: Log;
  /** How long a thread may take to end by itself before it is terminated; 5 s. */
  readonly endPatienceMs?: number | undefined;
  /** For tests: is given each thread that is started. */
  readonly started?: ((worker: Worker) => void) | undefined;
}

interface Pending {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class WorkerThread {
  readonly #options: WorkerThreadOptions;
  readonly #pending = new Map<number, Pending>();
  #thread: EndingThread | null = null;
  #calls = 0;
  #closed = false;

  constructor(options: WorkerThreadOptions) {
    this.#options = options;
  }

  /**
   * @throws VarveError RATE_LIMITED with `retryAfterMs`, PROVIDER_ERROR, CANCELLED, and what the
   * call fails with in the thread
   */
  async ask<K extends WorkerCall['kind']>(call: CallOf<K>): Promise<WorkerAnswers[K]> {
    if (this.#closed) throw storeClosed();
    if (this.#pending.size >= CALLS_MAX) {
      throw new VarveError(
        'RATE_LIMITED',
        'Too many searches wait for an answer. Try again soon.',
        {
          details: { retryAfterMs: RETRY_AFTER_MS, waiting: CALLS_MAX },
        },
      );
    }
    this.#thread ??= this.#started();
    const { worker } = this.#thread;
    this.#calls += 1;
    const message: CallMessage = { kind: 'Call', number: this.#calls, call };
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(message.number, { resolve, reject });
    });
    worker.ref();
    worker.postMessage(message, NOTHING_HANDED_OVER);
    return (await answer) as WorkerAnswers[K];
  }

  /** Ends the thread, whatever it is doing; resolves when it is gone. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#failAll(storeClosed());
    if (this.#thread !== null) await this.#end(this.#thread);
  }

  async #end(thread: EndingThread): Promise<void> {
    const how = await endThread(thread, this.#options.endPatienceMs ?? END_PATIENCE_MS);
    if (how === 'ByItself') return;
    this.#options.log.warn({}, 'A search thread did not end in time and was terminated.');
  }

  #started(): EndingThread {
    const closing = createClosingFlag();
    const workerData: WorkerStart = { ...this.#options.start, closing };
    const worker = new Worker(PROGRAM, { workerData, name: 'varve-search' });
    const thread = { worker, closing };
    let cause: unknown;
    worker.on('message', (message: AnswerMessage) => this.#settle(worker, message));
    worker.on('messageerror', () => void this.#end(thread));
    worker.on('error', (error) => {
      cause = error;
    });
    // After an error too; nothing arrives any more.
    worker.on('exit', (exitCode) => this.#ended(cause, exitCode));
    this.#options.started?.(worker);
    return thread;
  }

  #settle(worker: Worker, message: AnswerMessage): void {
    const pending = this.#pending.get(message.number);
    this.#pending.delete(message.number);
    if (this.#pending.size === 0) worker.unref();
    if ('failure' in message) pending?.reject(errorOf(message.failure));
    else pending?.resolve(message.answer);
  }

  #ended(cause: unknown, exitCode: number): void {
    this.#thread = null;
    if (this.#closed) return;
    const calls = this.#pending.size;
    this.#options.log.warn({ err: cause, exitCode, calls }, 'A search thread ended by itself.');
    const message = 'The thread that searched ended before its answer. Try again.';
    this.#failAll(new VarveError('PROVIDER_ERROR', message, { details: { exitCode }, cause }));
  }

  #failAll(error: VarveError): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

/**
 * What a thread can't give up is loading its program and one statement of SQLite: some tenths of a
 * second, and about four seconds where many threads start on busy cores. A worker that ends has
 * seven seconds for all that it closes (cli/stack/worker-grace.ts).
 */
export const END_PATIENCE_MS = 5_000;

interface EndingThread {
  readonly worker: Worker;
  /** The one that the thread looks at. */
  readonly closing: ClosingFlag;
}

/** Resolves when the thread is gone; a thread that does not end in time is terminated. */
export async function endThread(
  { worker, closing }: EndingThread,
  patienceMs: number,
): Promise<'ByItself' | 'Terminated'> {
  let how: 'ByItself' | 'Terminated' = 'ByItself';
  const gone = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      resolve();
    });
  });
  // While it runs, the process does not end either.
  const patience = setTimeout(() => {
    how = 'Terminated';
    void worker.terminate();
  }, patienceMs);
  raiseClosing(closing);
  worker.postMessage(CLOSE, NOTHING_HANDED_OVER);
  await gone;
  clearTimeout(patience);
  return how;
}
