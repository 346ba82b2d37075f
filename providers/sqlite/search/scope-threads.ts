/** The search threads of a process: each scope is always asked of the same one. */
import { availableParallelism, totalmem } from 'node:os';
import type { Worker } from 'node:worker_threads';

import type { Log } from '#core/ports/platform.ts';
import { scopeKey, type Scope } from '#core/scope.ts';

import type { CallOf, WorkerAnswers, WorkerCall } from './worker-message.ts';
import { WorkerThread } from './worker-thread.ts';

/** One can answer while another reads a scope; more would take cores from the process itself. */
const THREADS_MAX = 2;

/** Indexes of one process: a scope of 100,000 memories with 384 numbers each takes 300 MB. */
const INDEX_BYTES_MAX = 1024 * 1024 * 1024;
/** Of the memory that the system or the container gives; the rest is for everything else. */
const INDEX_SHARE_MAX = 0.25;

export interface ScopeThreadsOptions {
  /** Path of the database file, which exists and has its tables. */
  readonly file: string;
  readonly log: Log;
  /** How long a call waits for other processes before it fails with TIMEOUT. */
  readonly busyTimeoutMs: number;
  /** At most 1 GiB where absent. A scope beyond a thread's share of it is read at every search. */
  readonly indexBytesMax?: number | undefined;
  /** How long a thread may take to end by itself before it is terminated; 5 s. */
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
  const { file, log, busyTimeoutMs, endPatienceMs, started } = options;
  const count = Math.min(THREADS_MAX, availableParallelism());
  const indexBytesMax = (options.indexBytesMax ?? roomForIndexes()) / count;
  const start = { file, busyTimeoutMs, indexBytesMax };
  const create = (): WorkerThread => new WorkerThread({ start, log, endPatienceMs, started });
  const first = create();
  const others = Array.from({ length: count - 1 }, create);
  const threads = [first, ...others];
  return {
    // An index lies in memory once, since no other thread is ever asked for its scope.
    ask: async (scope, call) => (threads[hashOf(scopeKey(scope)) % count] ?? first).ask(call),
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

/** FNV-1a of 32 bits (Fowler, Noll, Vo): spreads scopes evenly, and the same way every time. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
