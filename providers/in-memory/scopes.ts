/** Scope records: what is due, what is leased, and the sources of a scope. */
import { lookAt } from '#core/due.ts';
import { isLive } from '#core/memory-state.ts';
import type { ScopeRecords } from '#core/ports/scope-records.ts';
import { isReleased } from '#core/records/policy-record.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Scope } from '#core/scope.ts';
import { memorySource, turnSource, type Source } from '#core/source.ts';

import type { Database, Tables } from './database.ts';
import { memoryOf } from './memory-row.ts';
import { scopeOrEmpty } from './memory-scope.ts';
import { turnsOf } from './turns.ts';
import { dueVariants } from './variants.ts';

export function scopeRecords(database: Database): ScopeRecords {
  const { tables } = database;
  return {
    get: (scope) => database.read(() => scopeOrEmpty(tables, scope)),
    list: (tenant, limit, after) =>
      database.read(() =>
        tables.scopes
          .group(tenant)
          .filter((each) => after === undefined || byName(each, after) > 0)
          .toSorted(byName)
          .slice(0, limit),
      ),
    sources: (scope, { after, limit, now }) =>
      database.read(() =>
        sourcesOf(tables, scope, now)
          .filter(({ position }) => after === null || position > after)
          .slice(0, limit),
      ),
    due: (tenant, { until, now, limit }) =>
      database.read(() => {
        const due = tables.scopes.group(tenant).filter((each) => isDue(each, { until, now }));
        return due.toSorted(byUrgency).slice(0, limit);
      }),
    dueTenants: ({ now, limit }) => database.read(() => dueTenants(tables, now).slice(0, limit)),
    lease: (claims, now) =>
      database.write(() =>
        claims.flatMap(({ scope, lease }) => {
          const current = scopeOrEmpty(tables, scope);
          if (current.version !== scope.version || isLeased(current, now)) return [];
          const leased = { ...current, lease, version: current.version + 1 };
          tables.scopes.put(leased);
          return [leased];
        }),
      ),
    leased: (tenant, by) =>
      database.read(() =>
        tables.scopes
          .group(tenant)
          .filter(({ lease }) =>
            'claimId' in by ? lease?.claimId === by.claimId : lease?.batchId === by.batchId,
          )
          .toSorted(byName),
      ),
    replace: (record) => database.write(() => replaceScope(tables, record)),
  };
}

/** Writes the record if the row is still the one that it was made from. */
export function replaceScope(tables: Tables, record: ScopeRecord): boolean {
  if (scopeOrEmpty(tables, record).version !== record.version - 1) return false;
  tables.scopes.put(record);
  return true;
}

function sourcesOf(tables: Tables, { tenant, layer, scopeId }: Scope, now: number): Source[] {
  const memories = tables.memories
    .group(tenant, layer, scopeId)
    .filter((row) => isLive(row, now))
    .map((row) => memorySource(memoryOf(row)));
  const turns = layer === 'session' ? turnsOf(tables, tenant, scopeId).map(turnSource) : [];
  return [...memories, ...turns].toSorted((a, b) => (a.position < b.position ? -1 : 1));
}

function isLeased({ lease }: ScopeRecord, now: number): boolean {
  return lease !== null && lease.until > now;
}

function isDue(record: ScopeRecord, { until, now }: { until: number; now: number }): boolean {
  const at = lookAt(record);
  return at !== null && at <= until && !isLeased(record, now);
}

/** Dropped sources make it urgent also where a count of changes makes it due a moment earlier. */
function isUrgent(record: ScopeRecord): boolean {
  return record.dueTrigger === 'Urgent' || record.droppedSources.length > 0;
}

function byUrgency(a: ScopeRecord, b: ScopeRecord): number {
  const urgency = Number(isUrgent(b)) - Number(isUrgent(a));
  return urgency === 0 ? (lookAt(a) ?? 0) - (lookAt(b) ?? 0) : urgency;
}

type ScopeName = Pick<Scope, 'layer' | 'scopeId'>;

function byName(a: ScopeName, b: ScopeName): number {
  if (a.layer !== b.layer) return a.layer < b.layer ? -1 : 1;
  if (a.scopeId === b.scopeId) return 0;
  return a.scopeId < b.scopeId ? -1 : 1;
}

/** Who has waited longest comes first, so that a limit starves nobody. */
function dueTenants(tables: Tables, now: number): readonly string[] {
  const since = new Map<string, number>();
  const note = (tenant: string, at: number): void => {
    since.set(tenant, Math.min(at, since.get(tenant) ?? at));
  };
  for (const record of tables.scopes.all()) {
    if (isDue(record, { until: now, now })) note(record.tenant, lookAt(record) ?? now);
  }
  for (const { tenant, dueAt } of dueVariants(tables, now)) note(tenant, dueAt ?? now);
  for (const wake of tables.wakes.all()) {
    if (wake.wanted > wake.acknowledged) note(wake.tenant, wake.wantedAt);
  }
  return [...since]
    .filter(([tenant]) => !isReleased(tables.policies.get(tenant)))
    .toSorted(([a, first], [b, second]) => first - second || (a < b ? -1 : 1))
    .map(([tenant]) => tenant);
}
