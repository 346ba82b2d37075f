/**
 * The search threads of a process: each scope has one, and a small one is asked of another too.
 */
import { availableParallelism, totalmem } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { shortHash } from '#core/hash.ts';
import type { Log } from '#core/ports/platform.ts';
import type { Scope } from '#core/scope.ts';
import { scopeKey } from '#core/scope-key.ts';
import { KEPT_ENTRIES_MIN } from './index-cache.ts';
import type { CallOf, WorkerAnswers, WorkerCall, WorkerStart } from './thread-messages.ts';
import { CallTimes, WorkerThread } from './thread-calls.ts';

/** One can answer while another reads a scope; more would take cores from the process itself. */
const THREADS_MAX = 2;

/** Indexes of one process: a scope of 100,000 memories with 384 numbers each takes 300 MB. */
const INDEX_BYTES_MAX = 1024 * 1024 * 1024;
/** Share of the memory of the system or the container; the rest is for everything else. */
const INDEX_SHARE_MAX = 0.25;

/** However much is written and searched, an index is kept at most as often as this. */
const KEEPING = { keptEntriesMin: KEPT_ENTRIES_MIN, keepAfterMs: 10_000 } as const;

export interface ScopeThreadsOptions {
  /** Path of the database file, which exists and has its tables. */
  readonly file: string;
  readonly log: Log;
  /** How long a call waits for other processes before it fails with TIMEOUT. */
  readonly busyTimeoutMs: number;
  /** At most 1 GiB where absent. A scope beyond a thread's share of it is read at every search. */
  readonly indexBytesMax?: number | undefined;
  /** Largest size of the file; unlimited where absent. */
  readonly fileBytesMax?: number | undefined;
  /** Memories from which a scope is searched by a thread; 256. For tests: 0. */
  readonly threadedFrom?: number | undefined;
  /** For tests: keeps smaller indexes in the file, too, and sooner. */
  readonly keeping?: Pick<WorkerStart, 'keptEntriesMin' | 'keepAfterMs'> | undefined;
  /** How long a thread may take to end before it is terminated; 5 s. */
  readonly endPatienceMs?: number | undefined;
  /** For tests: is given each thread that is started. */
  readonly started?: ((worker: Worker) => void) | undefined;
}

export interface ScopeThreads {
  /** Asks the thread of a scope; a thread starts with the first call that needs it. */
  ask<K extends WorkerCall['kind']>(scope: Scope, call: CallOf<K>): Promise<WorkerAnswers[K]>;
  close(): Promise<void>;
}

export function createScopeThreads(options: ScopeThreadsOptions): ScopeThreads {
  const { file, log, busyTimeoutMs, fileBytesMax, endPatienceMs, started } = options;
  const count = Math.min(THREADS_MAX, availableParallelism());
  const indexBytesMax = (options.indexBytesMax ?? roomForIndexes()) / count;
  const keeping = options.keeping ?? KEEPING;
  const start = { file, busyTimeoutMs, fileBytesMax, indexBytesMax, ...keeping };
  const times = new CallTimes();
  const create = () => new WorkerThread({ times, start, log, endPatienceMs, started });
  const first = create();
  const others = Array.from({ length: count - 1 }, create);
  const threads = [first, ...others];
  // The index of a large scope lies in memory once, since no other thread is ever asked for it. A
  // small one does not wait for a large one: it is made again where nothing is at work.
  const threadOf = (scope: Scope, call: WorkerCall): WorkerThread => {
    const own = threads[shortHash(scopeKey(scope)) % count] ?? first;
    if (!own.isHeldUp || !times.isShort(call)) return own;
    return threads.find(({ isHeldUp }) => !isHeldUp) ?? own;
  };
  return {
    ask: async (scope, call) => threadOf(scope, call).ask(call),
    close: async () => {
      await Promise.all(threads.map(async (thread) => thread.close()));
    },
  };
}

/** Bytes that the indexes of this process may take. */
export function roomForIndexes(): number {
  // Where a container has no limit of its own, this is 0 or more than there is.
  const given = Math.min(process.constrainedMemory() || totalmem(), totalmem());
  return Math.min(INDEX_BYTES_MAX, given * INDEX_SHARE_MAX);
}
