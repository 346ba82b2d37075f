/** The suite of `SegmentRecords`: the result for a segment is kept until nothing needs it. */
import { describe, expect, it } from 'vitest';

import { SEGMENTS_PER_CALL_MAX } from '#core/ports/scope-records.ts';
import type { Store } from '#core/ports/store.ts';
import { emptyScopeRecord } from '#core/records/scope-record.ts';
import type { Segment } from '#core/records/summary.ts';
import type { Scope } from '#core/scope.ts';

import { sharedStore, type Open } from './adapter.ts';
import { refresh } from './refresh.ts';
import {
  digest,
  idOf,
  memoryOf,
  NOW,
  rulesAt,
  sessionScope,
  summaryOf,
  userScope,
} from './samples.ts';

export function segmentIdOf(n: number): string {
  return digest(`segment ${n}`);
}

export function segmentOf(scope: Scope, n: number, differing: Partial<Segment> = {}): Segment {
  const { facts } = summaryOf(scope, [idOf(n), idOf(n + 1)]);
  return {
    ...scope,
    segmentId: segmentIdOf(n),
    level: 0,
    sourceHash: digest(`sources of ${n}`),
    recipeHash: digest('recipe'),
    facts,
    ...differing,
  };
}

/** Segments belong to a scope that is there: who makes them claimed it. */
export async function putSegments(store: Store, segments: readonly Segment[]): Promise<void> {
  for (const { tenant, layer, scopeId } of segments) {
    const scope = { tenant, layer, scopeId };
    if ((await store.scopes.get(scope)).version > 0) continue;
    await store.scopes.replace({ ...emptyScopeRecord(scope), version: 1 });
  }
  await store.segments.put(segments);
}

/** Ids of those of the first `count` segments that are stored. */
export async function storedSegments(store: Store, scope: Scope, count: number) {
  const ids = Array.from({ length: count }, (_, n) => segmentIdOf(n));
  const stored = new Set((await store.segments.find(scope, ids)).map(({ segmentId }) => segmentId));
  return ids.flatMap((id, n) => (stored.has(id) ? [n] : []));
}

export function segmentSuite(open: Open): void {
  describe('segments', () => {
    const fixture = sharedStore(open);

    it('STORE-70: a segment is found whole by scope and id', async () => {
      const { store, tenant } = fixture();
      const scope = userScope(tenant);
      const made = [segmentOf(scope, 1), segmentOf(scope, 2, { level: 3, facts: [] })];
      await putSegments(store, made);
      const ids = [2, 1, 1, 9].map(segmentIdOf);
      const found = await store.segments.find(scope, ids);
      const byLevel = found.toSorted((a, b) => a.level - b.level);
      expect(byLevel).toEqual(made);
      for (const other of [userScope(tenant, 'bob'), sessionScope(tenant)]) {
        expect(await store.segments.find(other, ids)).toEqual([]);
      }
      expect(await store.segments.find(scope, [])).toEqual([]);
    });

    it('STORE-70: an existing segment is not overwritten', async () => {
      const { store, tenant } = fixture();
      const segment = segmentOf(userScope(tenant), 1);
      await putSegments(store, [segment]);
      await store.segments.put([{ ...segment, facts: [] }, segmentOf(userScope(tenant), 2)]);
      expect(await store.segments.find(userScope(tenant), [segmentIdOf(1)])).toEqual([segment]);
      expect(await storedSegments(store, userScope(tenant), 4)).toEqual([1, 2]);
    });

    it('STORE-71: all segments of a scope are deleted except those to keep', async () => {
      const { store, tenant } = fixture();
      const [scope, other] = [userScope(tenant), userScope(tenant, 'bob')];
      await putSegments(
        store,
        [0, 1, 2, 3].map((n) => segmentOf(scope, n)),
      );
      await putSegments(
        store,
        [0, 1].map((n) => segmentOf(other, n)),
      );
      await store.segments.keepOnly(scope, [1, 3, 9].map(segmentIdOf));
      expect(await storedSegments(store, scope, 10)).toEqual([1, 3]);
      await store.segments.keepOnly(scope, []);
      expect(await storedSegments(store, scope, 10)).toEqual([]);
      expect(await storedSegments(store, other, 10)).toEqual([0, 1]);
    });

    it('STORE-71: a scope that lost its last source loses its segments', async () => {
      const { store, tenant } = fixture();
      const [scope, other] = [userScope(tenant), userScope(tenant, 'bob')];
      await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
      await putSegments(store, [segmentOf(scope, 1), segmentOf(other, 1)]);
      await refresh(store, scope, NOW);
      expect(await storedSegments(store, scope, 4)).toEqual([1]);
      await store.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW));
      expect((await refresh(store, scope, NOW + 1)).outcome).toBe('Emptied');
      expect(await storedSegments(store, scope, 4)).toEqual([]);
      expect(await storedSegments(store, other, 4)).toEqual([1]);
    });

    it('a segment of a deleted scope is not stored', async () => {
      const { store, tenant } = fixture();
      await store.segments.put([segmentOf(userScope(tenant), 1)]);
      expect(await storedSegments(store, userScope(tenant), 4)).toEqual([]);
    });

    it('STORE-72: segments are written and found up to the maximum per call', async () => {
      const { store, tenant } = fixture();
      const scope = userScope(tenant);
      const most = Array.from({ length: SEGMENTS_PER_CALL_MAX }, (_, n) => segmentOf(scope, n));
      await putSegments(store, most);
      const ids = most.map(({ segmentId }) => segmentId);
      expect(await store.segments.find(scope, ids)).toHaveLength(SEGMENTS_PER_CALL_MAX);
      const refused = { code: 'INVALID_INPUT' };
      const more = segmentOf(scope, SEGMENTS_PER_CALL_MAX);
      await expect(store.segments.find(scope, [...ids, 'more'])).rejects.toMatchObject(refused);
      await expect(store.segments.put([...most, more])).rejects.toMatchObject(refused);
      expect(await store.segments.find(scope, [more.segmentId])).toEqual([]);
    });
  });
}
