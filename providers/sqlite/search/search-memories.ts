/**
 * Searches and lists of memories, in threads, so that reading, comparing or filtering a scope does
 * not block the event loop. Threads return ids; the memories are read here. A small scope is
 * searched and listed in the callers' thread, since a message to another thread takes longer, and
 * its start a tenth of a second. Only one
 * connection sees a database in memory, so that connection answers everything there.
 */
import type { MemoryRecords } from '#core/ports/memory-records.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Scope } from '#core/scope.ts';
import { scopeKey } from '#core/scope-key.ts';
import { hiddenFrom, meetsConditions } from '#core/search/memory-conditions.ts';
import type { Candidate, ScopeHits, ScopeQuery } from '#core/search/scope-search.ts';
import type { Connection, Row } from '../connection.ts';
import { answerCall } from './answer-call.ts';
import {
  storeClosed,
  type CallOf,
  type WorkerAnswers,
  type WorkerCall,
  type WorkerStart,
} from './thread-messages.ts';
import { countEntries } from './entry-rows.ts';
import { IndexCache, KEPT_ENTRIES_MIN } from './index-cache.ts';
import { readsAtMost } from './memory-list.ts';
import type { StoredMemory } from '#store/record-kinds-and-indexes.ts';
import { withoutVector } from '#store/stored-memory.ts';
import { parsedRecord } from '#store/record-and-schema-checks.ts';
import { floatsOf } from '../memory-vectors.ts';
import { toNumbers } from '#core/to-numbers.ts';
import { availableParallelism, totalmem } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { shortHash } from '#core/hash.ts';
import type { Log } from '#core/ports/platform.ts';
import { CallTimes, WorkerThread } from './search-thread.ts';

/**
 * Scopes from this size on are searched by a thread. Fewer memories are read once in some
 * milliseconds and compared in 0.1 ms, while a message to another thread takes 0.3 ms.
 */
const THREADED_FROM = 256;
/** Indexes of small scopes; 256 memories with 384 numbers each take about 1 MB. */
const SMALL_INDEX_BYTES_MAX = 64 * 1024 * 1024;
/** What a list reads in the callers' thread to filter by tags or metadata, in some milliseconds. */
const LISTED_BYTES_MAX = 1024 * 1024;
/** Scopes remembered as not small; beyond this number, all are counted again. */
const LARGE_SCOPES_MAX = 10_000;

// Reads memories by id, with their own vectors, for hits that came as ids.

const WITH_OWN_VECTOR = `
  SELECT m.id AS id, m.record AS record, v.vector AS vector
  FROM memories m LEFT JOIN memory_vectors v ON v.tenant = m.tenant
    AND v.generation = m.embedding_generation AND v.layer = m.layer
    AND v.scope_id = m.scope_id AND v.memory_id = m.id
  WHERE m.tenant = ? AND m.id IN (SELECT value FROM json_each(?))`;

/** Returns the existing memories of the given ids of a tenant. */
async function memoriesOf(
  connection: Connection,
  tenant: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Memory>> {
  if (ids.length === 0) return new Map();
  return connection.readOne(() => {
    const rows = connection.all(WITH_OWN_VECTOR, [tenant, JSON.stringify(ids)]);
    return new Map(rows.map((row) => [String(row['id']), memoryOf(row)]));
  });
}

function memoryOf({ record, vector }: Row): Memory {
  const stored = parsedRecord('memories', record) as Omit<StoredMemory, 'vectors'>;
  // Assign instead of copying: a copy takes as long as the read.
  return Object.assign(withoutVector(stored), {
    vector: vector instanceof Uint8Array ? toNumbers(floatsOf(vector)) : null,
  });
}

export interface SearchOptions extends ScopeThreadsOptions {
  /** The connection of the main thread. */
  readonly connection: Connection;
}

export interface SearchRecords extends Pick<MemoryRecords, 'search' | 'list'> {
  /** Ends the threads, before the file is closed; calls under way fail with CANCELLED. */
  close(): Promise<void>;
}

type List = MemoryRecords['list'];

/**
 * Opens search and list.
 * Guarantees: a search that begins after a write has resolved sees it, even if another process
 * wrote; each search or list uses one snapshot; only one call at a time takes memory for the index
 * of a scope.
 * @throws VarveError from calls: RATE_LIMITED with `retryAfterMs`, PROVIDER_ERROR if a thread died,
 * CANCELLED after `close`
 */
export function openSearch(options: SearchOptions): SearchRecords {
  const threads = threadsFor(options);
  const parts = { threads, connection: options.connection };
  return {
    search: async (scope, query) => searchedScope(parts, scope, query),
    list: async (tenant, query) => listed(parts, tenant, query),
    close: async () => threads.close(),
  };
}

/** Searches and lists small scopes in the callers' thread, and asks the threads all else. */
function threadsFor(options: SearchOptions): ScopeThreads {
  const { connection, threadedFrom = THREADED_FROM } = options;
  const threads = connection.isInMemory ? null : createScopeThreads(options);
  if (threads !== null && threadedFrom === 0) return threads;
  const own = options.indexBytesMax ?? roomForIndexes();
  const cache = new IndexCache(connection, threads === null ? own : SMALL_INDEX_BYTES_MAX);
  const large = new Set<string>();
  const isSmall = (call: WorkerCall): boolean => {
    let size = 0;
    for (const scope of scopesOf(call)) {
      const own = cache.sizeOf(scope) ?? countEntries(connection, scope, threadedFrom);
      size += own;
      if (own < threadedFrom) continue;
      if (large.size >= LARGE_SCOPES_MAX) large.clear();
      large.add(scopeKey(scope));
    }
    if (size >= threadedFrom) return false;
    return call.kind !== 'List' || readsAtMost(connection, call, LISTED_BYTES_MAX);
  };
  return {
    async ask<K extends WorkerCall['kind']>(scope: Scope, call: CallOf<K>) {
      const isLarge = (each: Scope): boolean => large.has(scopeKey(each));
      if (threads !== null && scopesOf(call).some(isLarge)) return threads.ask(scope, call);
      if (!connection.isOpen) throw storeClosed();
      const answerHere = () => answerCall(connection, cache, call) as WorkerAnswers[K];
      if (threads === null) return connection.read(answerHere);
      const answer = await connection.read(() => (isSmall(call) ? answerHere() : null));
      return answer ?? threads.ask(scope, call);
    },
    close: async () => threads?.close(),
  };
}

function scopesOf(call: WorkerCall): readonly Scope[] {
  return call.kind === 'List' ? call.query.scopes : [call.scope];
}

interface Parts {
  readonly threads: ScopeThreads;
  readonly connection: Connection;
}

async function searchedScope(
  { threads, connection }: Parts,
  scope: Scope,
  query: ScopeQuery,
): Promise<ScopeHits> {
  const { hits, path, compared } = await threads.ask(scope, { kind: 'Search', scope, query });
  const ids = hits.map(({ id }) => id);
  const memories = await memoriesOf(connection, scope.tenant, ids);
  const candidates = hits.flatMap(({ id, ...scores }): Candidate[] => {
    const memory = memories.get(id);
    // The memory may have changed or been deleted since it was found.
    const isFound =
      memory !== undefined &&
      meetsConditions({ ...memory, endsAt: hiddenFrom(memory) }, query.conditions);
    return isFound ? [{ memory, ...scores }] : [];
  });
  return { candidates, path, compared };
}

async function listed(
  { threads, connection }: Parts,
  tenant: string,
  query: Parameters<List>[1],
): ReturnType<List> {
  const [scope] = query.scopes;
  if (scope === undefined) return { memories: [], more: false, total: 0 };
  // Each round begins after the previous one; without deletions, there is only one.
  for (let { after } = query; ;) {
    const call = { kind: 'List', tenant, query: { ...query, after } } as const;
    const { ids, more, total } = await threads.ask(scope, call);
    const found = await memoriesOf(connection, tenant, ids);
    const memories = ids.flatMap((id) => found.get(id) ?? []);
    if (memories.length > 0 || !more) return { memories, more, total };
    after = ids.at(-1) ?? null;
  }
}

/** One thread can answer while the other reads a scope; more would take cores from the process. */
const THREADS_MAX = 2;

/** Memory for the indexes of one process: 100,000 memories with 384 numbers each take 300 MB. */
const INDEX_BYTES_MAX = 1024 * 1024 * 1024;
/** Share of the memory of the system or the container; the rest is for everything else. */
const INDEX_SHARE_MAX = 0.25;

/** When indexes are saved: how large they must be, and the minimum time between saves. */
const KEEPING = { keptEntriesMin: KEPT_ENTRIES_MIN, keepAfterMs: 10_000 } as const;

interface ScopeThreadsOptions {
  /** Path of the database file, which exists and has its tables. */
  readonly file: string;
  readonly log: Log;
  /** How long a call waits for other processes before it fails with TIMEOUT. */
  readonly busyTimeoutMs: number;
  /** At most 1 GiB by default. A scope beyond a thread's share is read at every search. */
  readonly indexBytesMax?: number | undefined;
  /** Maximum size of the file; unlimited if absent. */
  readonly fileBytesMax?: number | undefined;
  /** Scopes from this size on are searched by a thread; default 256. For tests: 0. */
  readonly threadedFrom?: number | undefined;
  /** For tests: saves smaller indexes too, and sooner. */
  readonly keeping?: Pick<WorkerStart, 'keptEntriesMin' | 'keepAfterMs'> | undefined;
  /** How long a thread may take to end before it is terminated; default 5 s. */
  readonly endMsMax?: number | undefined;
  /** For tests: called with each started thread. */
  readonly started?: ((worker: Worker) => void) | undefined;
}

interface ScopeThreads {
  /** Asks the thread of a scope; a thread starts with the first call that needs it. */
  ask<K extends WorkerCall['kind']>(scope: Scope, call: CallOf<K>): Promise<WorkerAnswers[K]>;
  close(): Promise<void>;
}

function createScopeThreads(options: ScopeThreadsOptions): ScopeThreads {
  const { file, log, busyTimeoutMs, fileBytesMax, endMsMax, started } = options;
  const count = Math.min(THREADS_MAX, availableParallelism());
  const indexBytesMax = (options.indexBytesMax ?? roomForIndexes()) / count;
  const keeping = options.keeping ?? KEEPING;
  const start = { file, busyTimeoutMs, fileBytesMax, indexBytesMax, ...keeping };
  const times = new CallTimes();
  const create = () => new WorkerThread({ times, start, log, endMsMax, started });
  const first = create();
  const others = Array.from({ length: count - 1 }, create);
  const threads = [first, ...others];
  // The index of a large scope is in memory once, since the same thread always handles it. A small
  // scope does not wait for a large one: an idle thread builds its index again.
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

/** Returns the bytes that the indexes of this process may take. */
function roomForIndexes(): number {
  // Without a container limit this is 0, or more than the system has.
  const given = Math.min(process.constrainedMemory() || totalmem(), totalmem());
  return Math.min(INDEX_BYTES_MAX, given * INDEX_SHARE_MAX);
}
