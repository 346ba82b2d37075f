/** Lists memories; every condition is part of the query, and nothing is filtered after it. */
import type { ListQuery } from '#core/ports/memory-records.ts';
import { scopeKey } from '#core/scope-key.ts';
import { matchesFilter } from '#core/search/filter-match.ts';
import type { Filter } from '#core/search/filter.ts';
import type { Connection } from '../connection.ts';

/** Name of the SQL function that decides whether metadata (JSON) meets a filter (JSON). */
export const MATCHES = 'varve_matches';

/** The same conditions as `meetsConditions` of core/search/memory-conditions.ts. */
const MATCHING = `
  SELECT m.id AS id
  FROM json_each(?1) s CROSS JOIN memories m
  WHERE m.tenant = ?2 AND m.layer = s.value ->> 0 AND m.scope_id = s.value ->> 1
    AND (
      (m.state = 'active' AND (m.ends_at IS NULL OR m.ends_at > ?3)) OR
      (m.state = 'superseded' AND ?4 AND (m.expires_at IS NULL OR m.expires_at > ?3))
    )
    AND (?5 IS NULL OR m.kind = ?5)
    AND (?6 = '[]' OR EXISTS (
      SELECT 1 FROM json_each(m.record, '$.tags') tag
      WHERE tag.value IN (SELECT value FROM json_each(?6))
    ))
    AND (?7 IS NULL OR ${MATCHES}(?7, m.record ->> '$.metadata'))`;

const STATEMENTS = {
  oldest: `${MATCHING} ORDER BY m.id`,
  newest: `${MATCHING} ORDER BY m.id DESC`,
} as const;

/** Statements of this file, exported for a test of how SQLite finds their rows. */
export const LIST_STATEMENTS = Object.values(STATEMENTS);

export interface ListedIds {
  readonly ids: readonly string[];
  readonly more: boolean;
  readonly total: number;
}

/**
 * Returns the ids of one page, and the number of memories on all pages. Both need every match, so
 * one pass counts them and finds the page.
 */
export function listedIds(connection: Connection, tenant: string, query: ListQuery): ListedIds {
  const { after, limit, order } = query;
  const isAfter = (id: string): boolean =>
    after === null || (order === 'oldest' ? id > after : id < after);
  const ids: string[] = [];
  let total = 0;
  let more = false;
  for (const row of connection.iterate(STATEMENTS[order], parametersOf(tenant, query))) {
    total += 1;
    const id = String(row['id']);
    if (more || !isAfter(id)) continue;
    if (ids.length < limit) ids.push(id);
    else more = true;
  }
  return { ids, more, total };
}

function scopedJson({ scopes }: ListQuery): string {
  const places = new Map(scopes.map((scope) => [scopeKey(scope), [scope.layer, scope.scopeId]]));
  return JSON.stringify([...places.values()]);
}

function parametersOf(tenant: string, query: ListQuery) {
  const { conditions } = query;
  const { now, latestOnly, kind } = conditions;
  const tags = JSON.stringify(conditions.tags);
  const filter = conditions.filter === null ? null : JSON.stringify(conditions.filter);
  return [scopedJson(query), tenant, now, latestOnly ? 0 : 1, kind, tags, filter];
}

const RECORD_BYTES = `
  SELECT octet_length(m.record) AS bytes
  FROM json_each(?1) s CROSS JOIN memories m
  WHERE m.tenant = ?2 AND m.layer = s.value ->> 0 AND m.scope_id = s.value ->> 1`;

/** Whether a list reads at most so many bytes to filter by tags or metadata. Reads no record. */
export function readsAtMost(
  connection: Connection,
  { tenant, query }: { readonly tenant: string; readonly query: ListQuery },
  bytesMax: number,
): boolean {
  const { tags, filter } = query.conditions;
  if (tags.length === 0 && filter === null) return true;
  let bytes = 0;
  for (const row of connection.iterate(RECORD_BYTES, [scopedJson(query), tenant])) {
    bytes += Number(row['bytes']);
    if (bytes > bytesMax) return false;
  }
  return true;
}

/**
 * Returns the function behind `MATCHES`. A query passes the same filter for every row, so the
 * filter is parsed once.
 * @param beforeRow called for every row; what it throws ends the query
 */
export function matcher(beforeRow: () => void): (filter: unknown, metadata: unknown) => 0 | 1 {
  let text: unknown = null;
  let filter: Filter | null = null;
  return (given, metadata) => {
    beforeRow();
    if (given !== text || filter === null) {
      filter = JSON.parse(String(given)) as Filter;
      text = given;
    }
    return matchesFilter(filter, JSON.parse(String(metadata)) as Record<string, unknown>) ? 1 : 0;
  };
}
