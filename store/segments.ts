/** Segments: facts about parts of large scopes, by the sources they were made from. */
import { chunked } from '#core/chunks-and-pages.ts';
import { requireSegmentsPerCall, type SegmentRecords } from '#core/ports/scope-records.ts';
import type { Segment } from '#core/records/summary.ts';
import type { Scope } from '#core/scope.ts';

import { ofScope, scopeKeyOf, SCOPES, SEGMENTS } from './record-kinds-and-indexes.ts';
import { scanPages, type StoreParts } from './store-parts.ts';

/** Segments written or removed in one commit; each holds some kilobytes of facts. */
const AT_ONCE = 100;

export function segmentRecords(parts: StoreParts): SegmentRecords {
  const { driver } = parts;
  return {
    async find(scope, ids) {
      requireSegmentsPerCall(ids);
      const keys = [...new Set(ids)].map((id) => [...scopeKeyOf(scope), id]);
      const found = await driver.getMany(SEGMENTS, keys);
      return found.flatMap((segment) => (segment === null ? [] : [segment]));
    },
    list: (scope, { after, limit }) =>
      driver.scan(SEGMENTS, { where: [...ofScope(scope), ['segmentId', '>', after]], limit }),
    put: (segments) => putSegments(parts, segments),
    keepOnly: (scope, ids) => removeSegments(parts, scope, ids),
  };
}

async function putSegments({ writes }: StoreParts, segments: readonly Segment[]): Promise<void> {
  requireSegmentsPerCall(segments);
  const byScope = Map.groupBy(segments, (segment) => JSON.stringify(scopeKeyOf(segment)));
  for (const group of byScope.values()) {
    for (const some of chunked(group, AT_ONCE)) {
      const [first] = some;
      if (first === undefined) continue;
      await writes.run(SCOPES, scopeKeyOf(first), async ({ record, get, put }) => {
        // The scope was erased while the segments were made.
        if (record === null) return;
        for (const segment of some) {
          const known = await get(SEGMENTS, [...scopeKeyOf(segment), segment.segmentId]);
          if (known === null) put(SEGMENTS, segment);
        }
      });
    }
  }
}

/** Removes every segment of a scope but these. */
export async function removeSegments(
  { driver, writes }: StoreParts,
  scope: Scope,
  kept: readonly string[] = [],
): Promise<void> {
  const stays = new Set(kept);
  const scan = { where: ofScope(scope), order: ['segmentId'], limit: AT_ONCE };
  for await (const page of scanPages(driver, SEGMENTS, scan)) {
    const going = page.filter(({ segmentId }) => !stays.has(segmentId));
    if (going.length === 0) continue;
    await writes.run(SCOPES, scopeKeyOf(scope), (transaction) => {
      for (const { segmentId } of going) {
        transaction.delete(SEGMENTS, [...scopeKeyOf(scope), segmentId]);
      }
    });
  }
}
