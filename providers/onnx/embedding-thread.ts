/**
 * The thread that embeds as the main thread sees it: texts out, vectors back.
 *
 * Guarantees: every text is settled. If the thread dies, its texts fail with PROVIDER_ERROR, and
 * the next text starts a new thread; `close` fails texts with CANCELLED. The thread alone never
 * keeps the process running, but a text under way does.
 */
import type { Worker } from 'node:worker_threads';
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';
import { startThread } from '#providers/node/start-thread.ts';
import type { LocalModel } from './read-model-folder.ts';
import type { TextMessage, ThreadAnswer, ThreadMessage, ThreadStart } from './thread-message.ts';

/** Texts that wait for the thread; a call of the embedder has one at a time. */
const TEXTS_MAX = 1_024;
/** Pause before a retry when that many wait: a text takes some ten milliseconds. */
const RETRY_AFTER_MS = 1_000;
/** A run cannot be cancelled; a long text on busy cores takes the thread some seconds. */
const END_MS_MAX = 5_000;

const PROGRAM = new URL('./embedding-thread-program.ts', import.meta.url);
const NOTHING_HANDED_OVER: readonly never[] = [];

interface Pending {
  readonly resolve: (vector: Float32Array) => void;
  readonly reject: (error: VarveError) => void;
}

export class EmbeddingThread {
  readonly #model: LocalModel;
  readonly #log: Log;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | null = null;
  #texts = 0;
  #closed = false;

  constructor(model: LocalModel, log: Log) {
    this.#model = model;
    this.#log = log;
  }

  /** @throws VarveError RATE_LIMITED, PROVIDER_ERROR, PROVIDER_REJECTED, CANCELLED */
  ask(text: Pick<TextMessage, 'prefix' | 'text'>): Promise<Float32Array> {
    if (this.#closed) return Promise.reject(closed());
    if (this.#pending.size >= TEXTS_MAX) {
      const message = 'Too many texts wait for the embedding model. Try again soon.';
      const details = { retryAfterMs: RETRY_AFTER_MS, waiting: TEXTS_MAX };
      return Promise.reject(new VarveError('RATE_LIMITED', message, { details }));
    }
    this.#worker ??= this.#started();
    this.#texts += 1;
    const message: TextMessage = { kind: 'Text', number: this.#texts, ...text };
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    this.#pending.set(message.number, { resolve, reject });
    this.#worker.ref();
    this.#worker.postMessage(message, NOTHING_HANDED_OVER);
    return promise;
  }

  /** Resolves when the thread has ended and its memory is freed. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#failAll(closed());
    const worker = this.#worker;
    if (worker === null) return;
    const gone = new Promise((resolve) => worker.once('exit', resolve));
    const timeout = setTimeout(() => void worker.terminate(), END_MS_MAX);
    const end: ThreadMessage = { kind: 'Close' };
    worker.ref();
    worker.postMessage(end, NOTHING_HANDED_OVER);
    await gone;
    clearTimeout(timeout);
  }

  #started(): Worker {
    const { places, tokensMax, pooling } = this.#model;
    const workerData: ThreadStart = { places, tokensMax, pooling };
    const worker = startThread(PROGRAM, { workerData, name: 'varve-embedding' });
    let cause: unknown;
    worker.on('message', (answer: ThreadAnswer) => this.#settle(worker, answer));
    worker.on('error', (error) => {
      cause = error;
    });
    // Fires after an error too; no message arrives after it.
    worker.on('exit', (exitCode) => this.#ended(cause, exitCode));
    return worker;
  }

  #settle(worker: Worker, answer: ThreadAnswer): void {
    const pending = this.#pending.get(answer.number);
    this.#pending.delete(answer.number);
    if (this.#pending.size === 0) worker.unref();
    if ('failure' in answer) pending?.reject(this.#refused(answer));
    else pending?.resolve(answer.vector);
  }

  #refused({ failure, reason }: Extract<ThreadAnswer, { failure: string }>): VarveError {
    const { name } = this.#model;
    const message =
      failure === 'Load'
        ? `The embedding model ${name} can't be loaded: one of its files is damaged, or of a ` +
          'form that the runtime does not read. Remove its folder to download it again, or name ' +
          'another model.'
        : `The embedding model ${name} can't be run on a text. Choose another model.`;
    this.#log.error({ model: name, error: reason }, 'the embedding model failed');
    return new VarveError('PROVIDER_REJECTED', message, { cause: new Error(reason) });
  }

  #ended(cause: unknown, exitCode: number): void {
    this.#worker = null;
    if (this.#closed) return;
    const texts = this.#pending.size;
    this.#log.warn({ error: cause, exitCode, texts }, 'embedding thread exited');
    const message = 'The thread that embeds ended before its answer. Try again.';
    this.#failAll(new VarveError('PROVIDER_ERROR', message, { details: { exitCode }, cause }));
  }

  #failAll(error: VarveError): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

function closed(): VarveError {
  return new VarveError('CANCELLED', 'Varve was closed before the text was embedded.');
}
