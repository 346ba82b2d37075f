import { describe, expect, test } from 'vitest';
import type { Summary } from '#core/records/summary.ts';
import type { Scope } from '#core/scope.ts';
import { createSummaryCache, SUMMARIES_KEPT_MAX } from '#core/refresh/summary-cache.ts';
import { NOW, summaryOf, userScope } from '#test/conformance/samples.ts';
import { settledScope } from './scope-records.ts';

function fixture() {
  const reads: string[] = [];
  const store = new Map<string, Summary>();
  const cache = createSummaryCache({
    get: ({ tenant, scopeId }: Scope, audience: string) => {
      const key = `${tenant}/${scopeId}/${audience}`;
      reads.push(key);
      return Promise.resolve(store.get(key) ?? null);
    },
  });
  return { reads, store, cache };
}

const SUMMARY = summaryOf(userScope('acme'), ['m-1']);
const recordOf = (version: number, scopeId = 'ann', tenant = 'acme') =>
  settledScope({ tenant, scopeId, version });

describe('the cache of summaries', () => {
  test('SUM-14: a summary is read once while the version of its scope is the same', async () => {
    const { cache, store, reads } = fixture();
    store.set('acme/ann/', SUMMARY);
    expect(await cache.get(recordOf(3), '')).toEqual({ summary: SUMMARY, isHit: false });
    expect(await cache.get(recordOf(3), '')).toEqual({ summary: SUMMARY, isHit: true });
    expect(reads).toHaveLength(1);
  });

  test('a summary is read again, or found missing, if the version of its scope changes', async () => {
    const { cache, store } = fixture();
    store.set('acme/ann/', SUMMARY);
    await cache.get(recordOf(3), '');
    store.delete('acme/ann/');
    expect(await cache.get(recordOf(4), '')).toEqual({ summary: null, isHit: false });
    expect(await cache.get(recordOf(4), '')).toEqual({ summary: null, isHit: true });
  });

  test('a summary of an erased scope is not served for a new scope with its name and version', async () => {
    const { cache, store } = fixture();
    store.set('acme/ann/', SUMMARY);
    await cache.get(recordOf(3), '');
    store.delete('acme/ann/');
    const reborn = { ...recordOf(3), generatedAt: NOW + 1 };
    expect(await cache.get(reborn, '')).toEqual({ summary: null, isHit: false });
    const unmade = { ...recordOf(3), generatedAt: null };
    expect(await cache.get(unmade, '')).toEqual({ summary: null, isHit: false });
  });

  test.each([
    ['tenant', recordOf(3, 'ann', 'other'), ''],
    ['scope', recordOf(3, 'bob'), ''],
    ['audience', recordOf(3), 'bob'],
  ])('a summary of one %s is not served to another', async (_, record, audience) => {
    const { cache, store } = fixture();
    store.set('acme/ann/', SUMMARY);
    await cache.get(recordOf(3), '');
    expect(await cache.get(record, audience)).toEqual({ summary: null, isHit: false });
  });

  test('the least recently used summary is removed beyond the limit', async () => {
    const { cache } = fixture();
    const names = Array.from({ length: SUMMARIES_KEPT_MAX }, (_, n) => `user-${String(n)}`);
    for (const name of names) await cache.get(recordOf(1, name), '');
    expect((await cache.get(recordOf(1, 'user-0'), '')).isHit).toBe(true);
    await cache.get(recordOf(1, 'one-more'), '');
    expect((await cache.get(recordOf(1, 'user-0'), '')).isHit).toBe(true);
    expect((await cache.get(recordOf(1, 'user-1'), '')).isHit).toBe(false);
  });
});
