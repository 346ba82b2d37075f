/** Segments: facts of stretches of large scopes, by what they were made of. */
import { requireSegmentsPerCall, type SegmentRecords } from '#core/ports/segment-records.ts';
import type { Segment } from '#core/records/segment.ts';
import type { Scope } from '#core/scope.ts';

import type { Connection } from './connection.ts';
import { recordTable } from './record-table.ts';

const OF_SCOPE = 'tenant = ? AND layer = ? AND scope_id = ?';

export function segmentRecords(connection: Connection): SegmentRecords {
  const segments = recordTable<Segment>(connection, {
    name: 'segments',
    key: ['tenant', 'layer', 'scope_id', 'segment_id'],
    columns: {
      tenant: 'tenant',
      layer: 'layer',
      scope_id: 'scopeId',
      segment_id: 'segmentId',
      source_hash: 'sourceHash',
      recipe_hash: 'recipeHash',
    },
  });
  return {
    find: ({ tenant, layer, scopeId }, ids) =>
      connection.read(() => {
        requireSegmentsPerCall(ids);
        const condition = `${OF_SCOPE} AND segment_id IN (SELECT value FROM json_each(?))`;
        return segments.select(condition, [tenant, layer, scopeId, JSON.stringify(ids)]);
      }),
    list: ({ tenant, layer, scopeId }, { after, limit }) =>
      connection.read(() => {
        const condition = `${OF_SCOPE} AND segment_id > ? ORDER BY segment_id LIMIT ?`;
        return segments.select(condition, [tenant, layer, scopeId, after, limit]);
      }),
    put: (made) =>
      connection.write(() => {
        requireSegmentsPerCall(made);
        for (const segment of made) segments.insertNew(segment);
      }),
    keepOnly: (scope, ids) =>
      connection.write(() => {
        removeSegments(connection, scope, ids);
      }),
  };
}

/** Removes every segment of a scope but these; to be called within a transaction. */
export function removeSegments(
  connection: Connection,
  { tenant, layer, scopeId }: Scope,
  kept: readonly string[] = [],
): void {
  connection.run(
    `DELETE FROM segments
     WHERE ${OF_SCOPE} AND segment_id NOT IN (SELECT value FROM json_each(?))`,
    [tenant, layer, scopeId, JSON.stringify(kept)],
  );
}
