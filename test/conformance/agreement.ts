/** Checks that everything a store says about the memories of one scope agrees. */
import { expect } from 'vitest';

import { sourceHashOf } from '#core/hash.ts';
import type { Store } from '#core/ports/store.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Scope } from '#core/scope.ts';

import { allSources } from './refresh.ts';
import { digest, idOf } from './samples.ts';
import { byVector, byWords, found, GENERATION, listedIds } from './search-samples.ts';

/** Ids that a test may have used. */
const IDS = Array.from({ length: 12 }, (_, n) => idOf(n));

/** Get, list, both legs of a search, history and the record of the scope agree at `now`. */
export async function expectAgreement(store: Store, scope: Scope, now: number): Promise<void> {
  const conditions = { now, latestOnly: false };
  const listed = await listedIds(store, [scope], { conditions, limit: 2 });
  const memories: Memory[] = [];
  for (const id of new Set([...IDS, ...listed])) {
    const memory = await store.memories.get(scope.tenant, id);
    if (memory !== null) memories.push(memory);
    await expectHistory(store, { tenant: scope.tenant, id }, memory);
  }
  const live = memories.filter((memory) => listed.includes(memory.id));
  expect(live.map(({ id }) => id).toSorted()).toEqual(listed);
  const embedded = live.filter(({ embeddingGeneration }) => embeddingGeneration === GENERATION);
  const near = await found(store, scope, byVector([1, 0], { conditions, limit: 100 }));
  expect(near).toEqual(expect.arrayContaining(embedded.map(({ id }) => id)));
  expect(listed).toEqual(expect.arrayContaining(near));
  for (const memory of live) {
    const query = byWords(memory.content, { conditions, limit: 100 });
    const { candidates } = await store.memories.search(scope, query);
    const hit = candidates.find((candidate) => candidate.memory.id === memory.id);
    expect(hit?.memory).toEqual(memory);
  }
  await expectCounts(store, scope, now);
}

/** The newest change is that of the memory as it is, or its end. */
async function expectHistory(
  store: Store,
  key: { tenant: string; id: string },
  memory: Memory | null,
): Promise<void> {
  const changes = await store.memories.history(key, { beforeVersion: null, limit: 100 });
  const versions = changes.map(({ version }) => version);
  expect(versions).toEqual(versions.map((_, at) => (versions[0] ?? 0) - at));
  const newest = changes[0];
  if (memory === null) expect(newest?.action ?? 'Deleted').toBe('Deleted');
  else
    expect(newest).toMatchObject({
      version: memory.version,
      action: expect.not.stringContaining('Deleted'),
    });
}

/** The record of the scope is that of its sources at `now`. */
export async function expectCounts(store: Store, scope: Scope, now: number): Promise<void> {
  const record = await store.scopes.get(scope);
  const sources = await allSources(store, scope, now);
  const ended = record.nextExpiryAt !== null && record.nextExpiryAt <= now;
  // A source that ended stays counted until the next refresh.
  if (ended) return;
  expect(record).toMatchObject({
    sourceCount: sources.length,
    sourceBytes: sources.reduce((sum, { bytes }) => sum + bytes, 0),
    sourceHash: sourceHashOf(digest, sources),
  });
}
