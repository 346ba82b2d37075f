/** The nearest memories by exact cosine: every vector of the scopes is looked at, in batches. */
import type { MemoryRecords, Neighbor } from '#core/ports/memory-records.ts';
import type { Scope } from '#core/scope.ts';
import { cosine } from '#core/vector.ts';

import { decodeMemory, type MemoryDocument, type MemoryDocuments } from './memory-documents.ts';
import { inScope } from './filter-condition.ts';
import { lightPages } from './search/light-document.ts';
import { otherLength } from './vector-index/vector-leg.ts';
import { decodeVector, vectorKey, vectorPath } from './vectors.ts';

/** Vectors fetched at once; with 1,536 dimensions about 3 MB. */
const BATCH_VECTORS = 500;

type Query = Parameters<MemoryRecords['nearest']>[1];

interface Near {
  readonly id: MemoryDocument['_id'];
  readonly cosine: number;
}

/**
 * At most `limit`, the nearest first, equally near ones by id.
 * @throws VarveError INVALID_INPUT for a vector of another length than those of its generation
 */
export async function nearestMemories(
  memories: MemoryDocuments,
  scopes: readonly Scope[],
  query: Query,
): Promise<readonly Neighbor[]> {
  const { generation, now } = query;
  const fields = [vectorPath(generation)];
  let best: readonly Near[] = [];
  for (const scope of scopes) {
    // Filters stand inside the query and before its limit, so nothing is lost to them.
    const live = { generations: generation, 'c.liveUntil': { $gt: now } };
    const having = { ...inScope(scope), ...live };
    for await (const batch of lightPages(memories, having, BATCH_VECTORS, fields)) {
      const near = batch.map((document) => nearOf(document, query));
      best = [...best, ...near].toSorted(compare).slice(0, query.limit);
    }
  }
  const ids = best.map(({ id }) => id);
  const found = await memories.select({ _id: { $in: ids } }, { limit: ids.length });
  const byId = new Map(found.map((document) => [document._id.id, decodeMemory(document)]));
  return best.flatMap(({ id, cosine: value }) => {
    const memory = byId.get(id.id) ?? null;
    return memory === null ? [] : [{ memory, cosine: value }];
  });
}

function nearOf({ _id, vectors }: MemoryDocument, query: Query): Near {
  const stored = vectors?.[vectorKey(query.generation)];
  const values = stored === undefined ? [] : decodeVector(stored);
  if (values.length !== query.vector.length) {
    throw otherLength(values.length, query.vector.length);
  }
  return { id: _id, cosine: Math.min(1, Math.max(-1, cosine(query.vector, [...values]))) };
}

function compare(a: Near, b: Near): number {
  if (a.cosine !== b.cosine) return b.cosine - a.cosine;
  return a.id.id < b.id.id ? -1 : Number(a.id.id > b.id.id);
}
