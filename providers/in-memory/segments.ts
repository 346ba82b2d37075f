/** Segments: facts of stretches of large scopes, by what they were made of. */
import { requireSegmentsPerCall, type SegmentRecords } from '#core/ports/segment-records.ts';
import type { Scope } from '#core/scope.ts';

import type { Database, Tables } from './database.ts';

export function segmentRecords(database: Database): SegmentRecords {
  const { tables } = database;
  return {
    find: ({ tenant, layer, scopeId }, ids) =>
      database.read(() => {
        requireSegmentsPerCall(ids);
        const wanted = [...new Set(ids)];
        return wanted.flatMap((id) => tables.segments.get(tenant, layer, scopeId, id) ?? []);
      }),
    list: ({ tenant, layer, scopeId }, { after, limit }) =>
      database.read(() =>
        tables.segments
          .group(tenant, layer, scopeId)
          .filter(({ segmentId }) => segmentId > after)
          .toSorted((a, b) => (a.segmentId < b.segmentId ? -1 : 1))
          .slice(0, limit),
      ),
    put: (segments) =>
      database.write(() => {
        requireSegmentsPerCall(segments);
        for (const segment of segments) {
          const { tenant, layer, scopeId, segmentId } = segment;
          const found = tables.segments.get(tenant, layer, scopeId, segmentId);
          if (found === null) tables.segments.put(segment);
        }
      }),
    keepOnly: (scope, ids) =>
      database.write(() => {
        removeSegments(tables, scope, ids);
      }),
  };
}

/** Removes every segment of a scope but these; to be called within a write. */
export function removeSegments(tables: Tables, scope: Scope, kept: readonly string[] = []): void {
  const keeps = new Set(kept);
  for (const segment of tables.segments.group(scope.tenant, scope.layer, scope.scopeId)) {
    if (!keeps.has(segment.segmentId)) tables.segments.remove(segment);
  }
}
