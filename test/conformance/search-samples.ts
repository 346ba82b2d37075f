/** Queries, conditions and lists for tests of searches. */
import { expect } from 'vitest';

import { type ListQuery, type MemoryPage } from '#core/ports/memory-records.ts';
import { type Store } from '#core/ports/store.ts';
import { BULK_CHUNK_MAX, type AddRules } from '#core/ports/write-rules-and-outcomes.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Scope } from '#core/scope.ts';
import type { MemoryConditions, ScopeQuery } from '#core/search/scope-search.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

import { memoryOf, NOW, rulesAt } from './samples.ts';

export const GENERATION = 'hash-1';
/** Pages of a list that is walked; more would be a list without end. */
const PAGES_MAX = 1_000;

export const analyzer = createTextAnalyzer();

/** Conditions that every live memory meets. */
export function conditionsOf(differing: Partial<MemoryConditions> = {}): MemoryConditions {
  return { now: NOW, latestOnly: true, tags: [], filter: null, kind: null, ...differing };
}

interface Asked {
  readonly conditions?: Partial<MemoryConditions>;
  readonly limit?: number;
}

/** The keyword leg alone. */
export function byWords(text: string, { conditions, limit = 10 }: Asked = {}): ScopeQuery {
  const terms = analyzer.terms(text);
  return { conditions: conditionsOf(conditions), terms, vectors: [], limit };
}

/** The semantic leg alone. */
export function byVector(
  vector: readonly number[],
  { conditions, limit = 10 }: Asked = {},
): ScopeQuery {
  const vectors = [{ generation: GENERATION, vector }];
  return { conditions: conditionsOf(conditions), terms: null, vectors, limit };
}

/** A memory with a vector of the sample generation. */
export function embedded(
  tenant: string,
  n: number,
  vector: readonly number[],
  differing: Partial<Memory> = {},
): Memory {
  const embedding = { embeddingGeneration: GENERATION, vector: [...vector] };
  return memoryOf(tenant, n, { ...embedding, ...differing });
}

/** Ids of the candidates of both legs, sorted. */
export async function found(store: Store, scope: Scope, query: ScopeQuery): Promise<string[]> {
  const { candidates } = await store.memories.search(scope, query);
  return candidates.map(({ memory }) => memory.id).toSorted();
}

/** Adds memories of one scope by as few calls as the bound allows; each of them is added. */
export async function addAll(
  store: Store,
  memories: readonly Memory[],
  rules: AddRules = rulesAt(NOW),
): Promise<void> {
  for (let at = 0; at < memories.length; at += BULK_CHUNK_MAX) {
    const outcomes = await store.memories.addMany(memories.slice(at, at + BULK_CHUNK_MAX), rules);
    expect(outcomes.filter(({ ok }) => !ok)).toEqual([]);
  }
}

/** One page of a list, of the conditions that are named. */
export function pageOf(
  store: Store,
  scopes: readonly Scope[],
  { conditions, ...differing }: Partial<Omit<ListQuery, 'scopes' | 'conditions'>> & Asked = {},
): Promise<MemoryPage> {
  return store.memories.list(scopes[0]?.tenant ?? '', {
    scopes,
    conditions: conditionsOf(conditions),
    order: 'oldest',
    after: null,
    limit: 100,
    ...differing,
  });
}

/** The ids of every page, in the order in which they come. */
export async function listedIds(
  store: Store,
  scopes: readonly Scope[],
  asked: Parameters<typeof pageOf>[2] = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await pageOf(store, scopes, { ...asked, after: ids.at(-1) ?? null });
    ids.push(...page.memories.map(({ id }) => id));
    if (!page.more) return ids;
  }
  throw new Error('The list has no end.');
}
