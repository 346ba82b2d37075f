/** Scope records: what is due, what is leased, and the sources of a scope. */
import type { ScopeRecords } from '#core/ports/scope-records.ts';
import type { Lease, ScopeRecord } from '#core/records/scope-record.ts';

import type { Connection } from './connection.ts';
import { scopeOrEmpty, scopeTable, type ScopeTable } from './scope-table.ts';
import { sourceReader } from './sources.ts';

const NOT_LEASED = '(lease_until IS NULL OR lease_until <= ?)';

export function scopeRecords(connection: Connection): ScopeRecords {
  const scopes = scopeTable(connection);
  const readSources = sourceReader(connection);
  return {
    get: (scope) => connection.read(() => scopeOrEmpty(scopes, scope)),
    list: (tenant, limit, after) =>
      connection.read(() =>
        // No name of a scope is empty, so all of them come after two empty ones.
        scopes.select(
          'tenant = ? AND (layer, scope_id) > (?, ?) ORDER BY layer, scope_id LIMIT ?',
          [tenant, after?.layer ?? '', after?.scopeId ?? '', limit],
        ),
      ),
    sources: (scope, page) => connection.read(() => readSources(scope, page)),
    due: (tenant, query) => connection.read(() => dueScopes(scopes, tenant, query)),
    dueTenants: (query) => connection.read(() => dueTenants(connection, query)),
    lease: (claims, now) =>
      connection.write(() => claims.flatMap((claim) => leaseScope(scopes, claim, now))),
    leased: (tenant, by) => connection.read(() => leasedScopes(scopes, tenant, by)),
    replace: (record) => connection.write(() => replaceScope(scopes, record)),
  };
}

/** Writes the record if the row is still the one that it was made from. */
export function replaceScope(scopes: ScopeTable, record: ScopeRecord): boolean {
  if (scopeOrEmpty(scopes, record).version !== record.version - 1) return false;
  scopes.put(record);
  return true;
}

/** Urgent ones first by a query of their own, so that both walk the index and stop at the limit. */
function dueScopes(
  scopes: ScopeTable,
  tenant: string,
  query: { until: number; now: number; limit: number },
): ScopeRecord[] {
  const found: ScopeRecord[] = [];
  for (const urgent of [1, 0]) {
    const rest = scopes.select(
      `tenant = ? AND urgent = ? AND due_at <= ? AND ${NOT_LEASED} ORDER BY due_at LIMIT ?`,
      [tenant, urgent, query.until, query.now, query.limit - found.length],
    );
    found.push(...rest);
  }
  return found;
}

/** Who has waited longest comes first, so that a limit starves nobody. */
function dueTenants(connection: Connection, query: { now: number; limit: number }): string[] {
  const { now, limit } = query;
  const rows = connection.all(
    `SELECT tenant, min(since) AS since FROM (
       SELECT tenant, due_at AS since FROM scopes WHERE due_at <= ? AND ${NOT_LEASED}
       UNION ALL
       SELECT tenant, due_at AS since FROM variants WHERE due_at <= ? AND ${NOT_LEASED}
       UNION ALL
       SELECT tenant, wanted_at AS since FROM wakes WHERE wanted > acknowledged
     )
     WHERE tenant NOT IN (SELECT tenant FROM policies WHERE released_at IS NOT NULL)
     GROUP BY tenant ORDER BY since, tenant LIMIT ?`,
    [now, now, now, now, limit],
  );
  return rows.map((row) => String(row['tenant']));
}

function leaseScope(
  scopes: ScopeTable,
  claim: { scope: ScopeRecord; lease: Lease },
  now: number,
): ScopeRecord[] {
  const current = scopeOrEmpty(scopes, claim.scope);
  if (current.version !== claim.scope.version) return [];
  if (current.lease !== null && current.lease.until > now) return [];
  const leased = { ...current, lease: claim.lease, version: current.version + 1 };
  scopes.put(leased);
  return [leased];
}

function leasedScopes(
  scopes: ScopeTable,
  tenant: string,
  by: { claimId: string } | { batchId: string },
): ScopeRecord[] {
  const [column, id] =
    'claimId' in by ? ['lease_claim_id', by.claimId] : ['lease_batch_id', by.batchId];
  return scopes.select(`tenant = ? AND ${column} = ? ORDER BY layer, scope_id`, [tenant, id]);
}
