/** Segments: facts of stretches of large scopes, by what they were made of. */
import { requireSegmentsPerCall, type SegmentRecords } from '#core/ports/segment-records.ts';
import type { Segment } from '#core/records/segment.ts';
import type { Scope } from '#core/scope.ts';

import { decodeRecord, encodeRecord, keyOf, type Fields } from './record-document.ts';
import type { Table } from './table.ts';

export interface SegmentDocument {
  readonly _id: Scope & { readonly segmentId: string };
  readonly record: Fields;
}

export type SegmentDocuments = Table<SegmentDocument>;

/** Segments of one command: with 30 facts each they take a megabyte. */
const WRITTEN_MAX = 100;

const SHAPE = { name: 'segments', key: ['tenant', 'layer', 'scopeId', 'segmentId'] } as const;

export function segmentRecords(segments: SegmentDocuments): SegmentRecords {
  return {
    async find({ tenant, layer, scopeId }, ids) {
      requireSegmentsPerCall(ids);
      const wanted = [...new Set(ids)].map((segmentId) =>
        segmentKey({ tenant, layer, scopeId, segmentId }),
      );
      const found = await segments.select({ _id: { $in: wanted } }, { limit: wanted.length });
      return found.map((document) => decodeRecord<Segment>(SHAPE, document));
    },
    async list(scope, { after, limit }) {
      const later = { ...ofScope(scope), '_id.segmentId': { $gt: after } };
      const found = await segments.select(later, { sort: { '_id.segmentId': 1 }, limit });
      return found.map((document) => decodeRecord<Segment>(SHAPE, document));
    },
    async put(made) {
      requireSegmentsPerCall(made);
      for (let at = 0; at < made.length; at += WRITTEN_MAX) {
        await segments.insertMany(made.slice(at, at + WRITTEN_MAX).map(encodeSegment));
      }
    },
    keepOnly: (scope, ids) => removeSegments(segments, scope, ids),
  };
}

/** Removes every segment of a scope but these. */
export async function removeSegments(
  segments: SegmentDocuments,
  scope: Scope,
  kept: readonly string[] = [],
): Promise<void> {
  await segments.removeAll({ ...ofScope(scope), '_id.segmentId': { $nin: [...kept] } });
}

function ofScope({ tenant, layer, scopeId }: Scope): Record<string, unknown> {
  return { '_id.tenant': tenant, '_id.layer': layer, '_id.scopeId': scopeId };
}

function encodeSegment(segment: Segment): SegmentDocument {
  const { record } = encodeRecord<Segment>(SHAPE, segment);
  return { _id: segmentKey(segment), record };
}

function segmentKey(segment: SegmentDocument['_id']): SegmentDocument['_id'] {
  return keyOf<Segment>(SHAPE, segment) as SegmentDocument['_id'];
}
