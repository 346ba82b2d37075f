/**
 * What was written just now, read from the collection: an index follows by seconds, and whoever
 * wrote a memory finds it at once.
 */
import type { Scope } from '#core/scope.ts';
import type { MemoryConditions, QueryVector } from '#core/search/scope-search.ts';
import { cosine } from '#core/vector.ts';

import { inScope, meeting } from '../filter-condition.ts';
import type { MemoryDocuments } from '../memory-documents.ts';
import { decodeVector, vectorKey, vectorPath } from '../vectors.ts';
import type { VectorHit } from './vector-hit.ts';

/**
 * How far an index may lag behind, with the clocks of hosts apart; mongot's own floor is about two
 * seconds. One that lags more is reported as stale, and is not used.
 */
export const RECENT_MS = 60_000;
/** Recent memories that are compared one by one; with 1,536 dimensions about 6 MB. */
export const RECENT_MAX = 1_000;

/** Null where there are more of them than are compared here: an import is under way. */
export async function recentHits(
  memories: MemoryDocuments,
  scope: Scope,
  { query, conditions }: { query: QueryVector; conditions: MemoryConditions },
): Promise<readonly VectorHit[] | null> {
  const { generation, vector } = query;
  const path = vectorPath(generation);
  const condition = {
    ...inScope(scope),
    ...meeting(conditions),
    'c.updatedAt': { $gt: conditions.now - RECENT_MS },
    [path]: { $exists: true },
  };
  const found = await memories.select(condition, { limit: RECENT_MAX + 1, fields: [path] });
  if (found.length > RECENT_MAX) return null;
  const key = vectorKey(generation);
  return found.flatMap(({ _id, vectors }) => {
    const stored = vectors?.[key];
    if (stored === undefined) return [];
    return [{ id: _id.id, cosine: cosine(vector, Array.from(decodeVector(stored))) }];
  });
}
