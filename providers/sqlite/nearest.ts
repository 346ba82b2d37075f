/** The nearest memories by exact cosine: every vector of the scopes is looked at. */
import { VarveError } from '#core/errors.ts';
import type { Scope } from '#core/scope.ts';

import type { Connection } from './connection.ts';
import { LIVE } from './memory-table.ts';
import { floatsOf } from './vectors.ts';

export interface NearestQuery {
  readonly generation: string;
  readonly vector: readonly number[];
  readonly limit: number;
  readonly now: number;
}

export interface Near {
  readonly tenant: string;
  readonly id: string;
  readonly cosine: number;
}

/** Filters stand inside the query and before the limit, so nothing is lost to them. */
const VECTORS_OF_SCOPE = `
  SELECT v.memory_id AS id, v.vector AS vector
  FROM memory_vectors v JOIN memories m ON m.tenant = v.tenant AND m.id = v.memory_id
  WHERE v.tenant = ? AND v.generation = ? AND v.layer = ? AND v.scope_id = ?
    AND m.embedding_generation = v.generation AND ${LIVE}`;

/**
 * At most `limit`, the nearest first, equally near ones by id.
 * @throws VarveError INVALID_INPUT for a vector of another length than those of its generation
 */
export function nearestMemories(search: {
  readonly connection: Connection;
  readonly scopes: readonly Scope[];
  readonly query: NearestQuery;
}): readonly Near[] {
  const { connection, query } = search;
  const wanted = Float32Array.from(query.vector);
  const best: Near[] = [];
  for (const { tenant, layer, scopeId } of search.scopes) {
    const parameters = [tenant, query.generation, layer, scopeId, query.now];
    for (const row of connection.iterate(VECTORS_OF_SCOPE, parameters)) {
      const cosine = cosineOf(wanted, row['vector']);
      keep(best, { tenant, id: String(row['id']), cosine }, query.limit);
    }
  }
  return best;
}

/** Keeps `best` sorted; for the small limits of a search this is faster than a heap. */
function keep(best: Near[], candidate: Near, limit: number): void {
  const last = best.at(-1);
  if (best.length >= limit && (last === undefined || compare(last, candidate) <= 0)) return;
  let at = best.length;
  for (let before = best[at - 1]; at > 0; before = best[at - 1]) {
    if (before === undefined || compare(before, candidate) <= 0) break;
    at -= 1;
  }
  best.splice(at, 0, candidate);
  if (best.length > limit) best.pop();
}

function compare(a: Near, b: Near): number {
  if (a.cosine !== b.cosine) return b.cosine - a.cosine;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function cosineOf(wanted: Float32Array, blob: unknown): number {
  const vector = blob instanceof Uint8Array ? floatsOf(blob) : new Float32Array();
  if (vector.length !== wanted.length) {
    throw new VarveError('INVALID_INPUT', 'The vector has not the length of its generation.', {
      details: { expected: vector.length, found: wanted.length },
    });
  }
  let dot = 0;
  let squaredA = 0;
  let squaredB = 0;
  for (let at = 0; at < wanted.length; at += 1) {
    const a = wanted[at] ?? 0;
    const b = vector[at] ?? 0;
    dot += a * b;
    squaredA += a * a;
    squaredB += b * b;
  }
  const norms = Math.sqrt(squaredA * squaredB);
  return norms === 0 ? 0 : Math.min(1, Math.max(-1, dot / norms));
}
