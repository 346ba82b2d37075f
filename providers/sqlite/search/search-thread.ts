/**
 * One search worker as the main thread sees it: calls out, answers back.
 *
 * Flow: a call waits for its tenant's turn. A thread gets one call at a time, or several if they
 * are short, so that it need not wait for the main thread between them.
 * Guarantees: every call is settled. If the worker dies, its calls fail with PROVIDER_ERROR, and
 * the next call starts a new one; `close` fails calls with CANCELLED at once. The thread alone
 * never keeps the process running, but a call under way does.
 */
import { VarveError } from '#core/errors.ts';
import { createFairQueue } from '#core/fair-queue.ts';
import type { Log } from '#core/ports/platform.ts';
import { scopeKey } from '#core/scope-key.ts';
import { startThread } from '#providers/node/start-thread.ts';
import {
  createClosingFlag,
  storeClosed,
  raiseClosing,
  type ClosingFlag,
  errorOf,
  type AnswerMessage,
  type CallMessage,
  type CallOf,
  type WorkerAnswers,
  type WorkerCall,
  type WorkerStart,
  CLOSE,
} from './thread-messages.ts';
import type { Worker } from 'node:worker_threads';

/**
 * Work queued in a thread beyond its current call, estimated by how long the same calls took last.
 * A tenant waits behind another at most this long, or for one call.
 */
const AHEAD_MS = 5;
/** Maximum scopes with a remembered last call; beyond it, all are measured again. */
const MEASURED_MAX = 10_000;

/** How long the last call of each scope took, in any thread. */
export class CallTimes {
  readonly #lastMs = new Map<string, number>();

  note(call: WorkerCall, ms: number): void {
    if (this.#lastMs.size >= MEASURED_MAX) this.#lastMs.clear();
    this.#lastMs.set(measuredBy(call), ms);
  }

  /** Returns the last duration of a call; an unknown call counts as long. */
  of(call: WorkerCall): number {
    return this.#lastMs.get(measuredBy(call)) ?? AHEAD_MS;
  }

  isShort(call: WorkerCall): boolean {
    return this.of(call) < AHEAD_MS;
  }
}

function measuredBy(call: WorkerCall): string {
  return call.kind === 'List' ? `${call.tenant} ${call.kind}` : scopeKey(call.scope);
}

/**
 * Maximum calls that wait for one worker; each holds a query of some kilobytes. Beyond it, a tenant
 * with less than its share is still admitted, so there can be a few times as many.
 */
const CALLS_MAX = 1_024;
/** Pause before a retry when that many wait: a warm search takes some milliseconds. */
const RETRY_AFTER_MS = 500;

/** A call is copied, not transferred: its query may go to several scopes at once. */
const NOTHING_HANDED_OVER: readonly never[] = [];

const PROGRAM = new URL('./search-thread-program.ts', import.meta.url);

interface WorkerThreadOptions {
  readonly times: CallTimes;
  readonly start: Omit<WorkerStart, 'closing'>;
  readonly log: Log;
  /** How long a thread may take to end before it is terminated; default 5 s. */
  readonly endMsMax?: number | undefined;
  /** For tests: called with each started thread. */
  readonly started?: ((worker: Worker) => void) | undefined;
}

interface Pending {
  readonly message: CallMessage;
  readonly tenant: string;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class WorkerThread {
  readonly #options: WorkerThreadOptions;
  /** Calls without an answer: those that wait, and those sent to the thread. */
  readonly #pending = new Map<number, Pending>();
  /** Number of these calls by tenant. */
  readonly #pendingOf = new Map<string, number>();
  readonly #waiting = createFairQueue<Pending>();
  /** Calls sent to the thread, and how long each may take. */
  readonly #given = new Map<number, number>();
  #thread: EndingThread | null = null;
  #calls = 0;
  #closed = false;

  constructor(options: WorkerThreadOptions) {
    this.#options = options;
  }

  /**
   * Sends a call to the thread and returns its answer.
   * @throws VarveError RATE_LIMITED with `retryAfterMs`, PROVIDER_ERROR, CANCELLED, and the error
   * of the call in the thread
   */
  async ask<K extends WorkerCall['kind']>(call: CallOf<K>): Promise<WorkerAnswers[K]> {
    if (this.#closed) throw storeClosed();
    const tenant = tenantOf(call);
    if (this.#isFullFor(tenant)) {
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
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const pending = { message, tenant, resolve, reject };
    this.#pending.set(message.number, pending);
    this.#count(tenant, 1);
    this.#waiting.add(tenant, pending);
    worker.ref();
    this.#give(worker);
    return (await promise) as WorkerAnswers[K];
  }

  /** Whether a new call would wait behind long ones. */
  get isHeldUp(): boolean {
    return this.#ahead() >= AHEAD_MS;
  }

  /** Whether to refuse a tenant's call, so that tenants with many calls do not block the others. */
  #isFullFor(tenant: string): boolean {
    if (this.#pending.size < CALLS_MAX) return false;
    const own = this.#pendingOf.get(tenant) ?? 0;
    return own > 0 && own * this.#pendingOf.size >= CALLS_MAX;
  }

  #count(tenant: string, by: 1 | -1): void {
    const left = (this.#pendingOf.get(tenant) ?? 0) + by;
    if (left === 0) this.#pendingOf.delete(tenant);
    else this.#pendingOf.set(tenant, left);
  }

  #ahead(): number {
    return this.#given.values().reduce((sum, ms) => sum + ms, 0);
  }

  #give(worker: Worker): void {
    for (let next = this.#waiting.peek(); next !== null; next = this.#waiting.peek()) {
      const ms = this.#options.times.of(next.message.call);
      if (this.#given.size > 0 && this.#ahead() + ms > AHEAD_MS) return;
      this.#waiting.next();
      this.#given.set(next.message.number, ms);
      worker.postMessage(next.message, NOTHING_HANDED_OVER);
    }
  }

  /** Ends the thread, whatever it is doing; resolves when it has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#failAll(storeClosed());
    if (this.#thread !== null) await this.#end(this.#thread);
  }

  async #end(thread: EndingThread): Promise<void> {
    const how = await endThread(thread, this.#options.endMsMax ?? END_MS_MAX);
    if (how === 'ByItself') return;
    this.#options.log.warn({}, 'a search thread did not end in time and was terminated');
  }

  #started(): EndingThread {
    const closing = createClosingFlag();
    const workerData: WorkerStart = { ...this.#options.start, closing };
    const worker = startThread(PROGRAM, { workerData, name: 'varve-search' });
    const thread = { worker, closing };
    let cause: unknown;
    worker.on('message', (message: AnswerMessage) => this.#settle(worker, message));
    worker.on('messageerror', () => void this.#end(thread));
    worker.on('error', (error) => {
      cause = error;
    });
    // Fires after an error too; no message arrives after it.
    worker.on('exit', (exitCode) => this.#ended(cause, exitCode));
    this.#options.started?.(worker);
    return thread;
  }

  #settle(worker: Worker, message: AnswerMessage): void {
    const pending = this.#pending.get(message.number);
    this.#pending.delete(message.number);
    this.#given.delete(message.number);
    if (pending !== undefined) {
      this.#count(pending.tenant, -1);
      this.#options.times.note(pending.message.call, message.ms);
    }
    this.#give(worker);
    if (this.#pending.size === 0) worker.unref();
    if ('failure' in message) pending?.reject(errorOf(message.failure));
    else pending?.resolve(message.answer);
  }

  #ended(cause: unknown, exitCode: number): void {
    this.#thread = null;
    if (this.#closed) return;
    const calls = this.#pending.size;
    this.#options.log.warn({ error: cause, exitCode, calls }, 'a search thread ended early');
    const message = 'The thread that searched ended before its answer. Try again.';
    this.#failAll(new VarveError('PROVIDER_ERROR', message, { details: { exitCode }, cause }));
  }

  #failAll(error: VarveError): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#pendingOf.clear();
    this.#waiting.clear();
    this.#given.clear();
  }
}

function tenantOf(call: WorkerCall): string {
  return call.kind === 'List' ? call.tenant : call.scope.tenant;
}

/**
 * A thread cannot interrupt loading its program and one statement of SQLite: some tenths of a
 * second, or about four seconds if many threads start on busy cores. A worker has seven seconds to
 * close everything (cli/worker-roles-and-grace.ts).
 */
const END_MS_MAX = 5_000;

interface EndingThread {
  readonly worker: Worker;
  /** The flag that the thread checks. */
  readonly closing: ClosingFlag;
}

/** Resolves when the thread has ended; a thread that does not end in time is terminated. */
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
  // This timer also keeps the process running meanwhile.
  const timeout = setTimeout(() => {
    how = 'Terminated';
    worker.terminate().catch(() => undefined);
  }, patienceMs);
  raiseClosing(closing);
  worker.postMessage(CLOSE, NOTHING_HANDED_OVER);
  await gone;
  clearTimeout(timeout);
  return how;
}
