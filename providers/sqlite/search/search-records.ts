/**
 * Searches and lists of memories, in threads: the event loop goes on while a scope is read into
 * memory, compared or filtered. Threads answer with ids; the memories are read here. A database in
 * memory is visible to one connection alone, so that one answers itself, in the callers' thread.
 */
import type { MemoryRecords } from '#core/ports/memory-records.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Scope } from '#core/scope.ts';
import { hiddenFrom, meetsConditions } from '#core/search/conditions.ts';
import type { Candidate, ScopeHits, ScopeQuery } from '#core/search/scope-search.ts';

import type { Connection } from '../connection.ts';
import { answerCall } from './answer-call.ts';
import { storeClosed } from './closing-flag.ts';
import { IndexCache } from './index-cache.ts';
import { memoriesOfIds, type MemoriesOfIds } from './memories-of-ids.ts';
import {
  createScopeThreads,
  roomForIndexes,
  type ScopeThreads,
  type ScopeThreadsOptions,
} from './scope-threads.ts';
import type { CallOf, WorkerAnswers, WorkerCall } from './worker-message.ts';

export interface SearchOptions extends ScopeThreadsOptions {
  /** Of the main thread. */
  readonly connection: Connection;
}

export interface SearchRecords extends Pick<MemoryRecords, 'search' | 'list' | 'nearest'> {
  /** Ends the threads, before the file is closed; calls under way fail with CANCELLED. */
  close(): Promise<void>;
}

type List = MemoryRecords['list'];
type Nearest = MemoryRecords['nearest'];

/**
 * Guarantees: a search that begins after a write has resolved sees it, also one of another process;
 * each search or list is of one snapshot; one call at a time of a scope costs memory for its index.
 * @throws VarveError of the calls: RATE_LIMITED with `retryAfterMs`, PROVIDER_ERROR where a thread
 * ended by itself, CANCELLED after `close`
 */
export function openSearch(options: SearchOptions): SearchRecords {
  const parts = {
    threads: threadsFor(options),
    memoriesOf: memoriesOfIds(options.connection),
  };
  const search = async (scope: Scope, query: ScopeQuery) => searchedScope(parts, scope, query);
  return {
    search,
    list: async (tenant, query) => listed(parts, tenant, query),
    nearest: async (scopes, query) => nearestOf(search, scopes, query),
    close: async () => parts.threads.close(),
  };
}

function threadsFor(options: SearchOptions): ScopeThreads {
  const { connection } = options;
  if (!connection.isInMemory) return createScopeThreads(options);
  const cache = new IndexCache(connection, options.indexBytesMax ?? roomForIndexes());
  return {
    async ask<K extends WorkerCall['kind']>(_: Scope, call: CallOf<K>) {
      if (!connection.isOpen) throw storeClosed();
      const answer = await connection.read(() => answerCall(connection, cache, call));
      return answer as WorkerAnswers[K];
    },
    close: async () => undefined,
  };
}

interface Parts {
  readonly threads: ScopeThreads;
  readonly memoriesOf: MemoriesOfIds;
}

async function searchedScope(
  { threads, memoriesOf }: Parts,
  scope: Scope,
  query: ScopeQuery,
): Promise<ScopeHits> {
  const { hits, path, compared } = await threads.ask(scope, { kind: 'Search', scope, query });
  const ids = hits.map(({ id }) => id);
  const memories = await memoriesOf(scope.tenant, ids);
  const candidates = hits.flatMap(({ id, ...scores }): Candidate[] => {
    const memory = memories.get(id);
    // It may have been changed or deleted since it was found.
    if (memory === undefined || !isStillFound(memory, query)) return [];
    return [{ memory, ...scores }];
  });
  return { candidates, path, compared };
}

function isStillFound(memory: Memory, { conditions }: ScopeQuery): boolean {
  return meetsConditions({ ...memory, endsAt: hiddenFrom(memory) }, conditions);
}

async function listed(
  { threads, memoriesOf }: Parts,
  tenant: string,
  query: Parameters<List>[1],
): ReturnType<List> {
  const [scope] = query.scopes;
  if (scope === undefined) return { memories: [], more: false, total: 0 };
  // Each round begins behind the one before; where nobody deletes, there is one.
  for (let { after } = query; ;) {
    const call = { kind: 'List', tenant, query: { ...query, after } } as const;
    const { ids, more, total } = await threads.ask(scope, call);
    const found = await memoriesOf(tenant, ids);
    const memories = ids.flatMap((id) => found.get(id) ?? []);
    if (memories.length > 0 || !more) return { memories, more, total };
    after = ids.at(-1) ?? null;
  }
}

async function nearestOf(
  search: MemoryRecords['search'],
  scopes: readonly Scope[],
  { generation, vector, limit, now }: Parameters<Nearest>[1],
): ReturnType<Nearest> {
  const query: ScopeQuery = {
    conditions: { now, latestOnly: true, tags: [], filter: null, kind: null },
    terms: null,
    vectors: [{ generation, vector }],
    limit,
  };
  const found = await Promise.all(scopes.map(async (scope) => search(scope, query)));
  return found
    .flatMap(({ candidates }) => candidates)
    .flatMap(({ memory, cosine }) => (cosine === null ? [] : [{ memory, cosine }]))
    .toSorted((a, b) => b.cosine - a.cosine || (a.memory.id < b.memory.id ? -1 : 1))
    .slice(0, limit);
}
