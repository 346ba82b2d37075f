/**
 * Scopes and their pending work: which are due, who works on them, and what they were made from.
 */
import type { StorageSize } from '#core/ports/store.ts';
import type { LeaseClamp, ScopeRecords } from '#core/ports/scope-records.ts';
import {
  type Lease,
  type ScopeRecord,
  UNSEEN_SOURCES_MAX,
  emptyScopeRecord,
} from '#core/records/scope-record.ts';
import { equal, type FieldCondition, type Scan } from './storage-driver.ts';
import * as kinds from './record-kinds-and-indexes.ts';
import { scanPages, type StoreParts } from './store-parts.ts';
import { isLive } from '#core/sources/memory-lifecycle.ts';
import type { Scope } from '#core/scope.ts';
import { scopeKey } from '#core/scope-key.ts';
import {
  type Source,
  hasText,
  memoryPosition,
  memorySourceAt,
  turnPosition,
  turnSource,
} from '#core/sources/source.ts';
import type { WriteRules } from '#core/ports/write-rules-and-outcomes.ts';
import type { ScopeChange } from '#core/sources/source-change.ts';
import { applyChange } from '#core/refresh/scope-transitions.ts';
import type { Transaction } from './retry-concurrent-writes.ts';

/** Maximum scopes or variants under one claim or batch. */
const LEASED_MAX = 10_000;
/** Maximum scopes that a sum over all of them reads at once. */
const SUMMED_AT_ONCE = 1_000;
/**
 * Maximum released tenants to leave out when looking for due work; a claim takes nothing of others.
 */
const RELEASED_MAX = 10_000;

export function scopeRecords(parts: StoreParts): ScopeRecords {
  const { driver } = parts;
  return {
    async get(scope) {
      return recordOf(
        storedOrEmpty(await driver.get(kinds.SCOPES, kinds.scopeKeyOf(scope)), scope),
      );
    },
    async list(tenant, limit, after) {
      const from = after === undefined ? {} : { after: [after.layer, after.scopeId] };
      const page = { where: equal({ tenant }), order: ['layer', 'scopeId'], limit, ...from };
      return (await driver.scan(kinds.SCOPES, page)).map(recordOf);
    },
    sources: (scope, page) => readSources(parts, scope, page),
    sourcesById: (scope, ids, now) => readSourcesById(parts, scope, { ids, now }),
    due: (tenant, query) => dueScopes(parts, tenant, query),
    dueTenants: (query) => dueTenants(parts, query),
    async lease(claims, now) {
      const leased = await Promise.all(claims.map((claim) => leaseScope(parts, claim, now)));
      return leased.flatMap((record) => (record === null ? [] : [record]));
    },
    async leased(tenant, by) {
      return (await driver.scan(kinds.SCOPES, leasedBy(tenant, by))).map(recordOf);
    },
    async clampLeases(clamp) {
      const found = await driver.scan(kinds.SCOPES, leasesToClamp(clamp));
      return clampLeases(found.map(recordOf), clamp, (record) => replaceScope(parts, record));
    },
    replace: (record) => replaceScope(parts, record),
  };
}

function replaceScope({ writes }: StoreParts, record: ScopeRecord): Promise<boolean> {
  return writes.run(kinds.SCOPES, kinds.scopeKeyOf(record), ({ record: before, set }) => {
    if ((before?.version ?? 0) !== record.version - 1) return false;
    set({ ...record, forgottenBefore: before?.forgottenBefore ?? 0 });
    return true;
  });
}

// For scopes and variants, which both have a lease.

interface Leased {
  readonly lease: { readonly until: number } | null;
  readonly version: number;
}

export function leasedBy(tenant: string, by: Parameters<ScopeRecords['leased']>[1]): Scan {
  return 'claimId' in by
    ? { index: 'byClaim', where: equal({ tenant, claimId: by.claimId }), limit: LEASED_MAX }
    : { index: 'byBatch', where: equal({ tenant, batchId: by.batchId }), limit: LEASED_MAX };
}

export function leasesToClamp({ tenant, beyond, limit }: LeaseClamp): Scan {
  const own = tenant === null ? [] : equal({ tenant });
  const where: readonly FieldCondition[] = [...own, ['leaseUntil', '>', beyond]];
  return { index: 'byLease', where, order: ['leaseUntil'], limit };
}

/** Returns how many leases were shortened; a record written meanwhile is left for the next run. */
export async function clampLeases<R extends Leased>(
  found: readonly R[],
  { until }: LeaseClamp,
  put: (record: R) => Promise<boolean>,
): Promise<number> {
  const written = await Promise.all(
    found.map(async (record) => {
      const { lease, version } = record;
      return lease !== null && put({ ...record, lease: { ...lease, until }, version: version + 1 });
    }),
  );
  return written.filter(Boolean).length;
}

/**
 * Queries urgent scopes first and separately, so that both queries walk the index and stop at the
 * limit.
 */
async function dueScopes(
  { driver }: StoreParts,
  tenant: string,
  { until, now, limit }: { until: number; now: number; limit: number },
): Promise<ScopeRecord[]> {
  const found: kinds.StoredScope[] = [];
  for (const urgent of [1, 0]) {
    const rest = await driver.scan(kinds.SCOPES, {
      where: [
        ...equal({ tenant, urgent }),
        ['lookAt', '<=', until],
        ['leaseUntil', 'null or <=', now],
      ],
      order: ['lookAt'],
      limit: limit - found.length,
    });
    found.push(...rest);
  }
  return found.map(recordOf);
}

/** Returns those that have waited longest first, so that a limit starves no scope. */
async function dueTenants(
  { driver }: StoreParts,
  { now, limit }: { now: number; limit: number },
): Promise<string[]> {
  const released = await driver.scan(kinds.POLICIES, {
    where: [['releasedAt', '>=', 0]],
    order: ['releasedAt', 'tenant'],
    limit: RELEASED_MAX,
  });
  const declared: FieldCondition = ['tenant', 'not in', released.map(({ tenant }) => tenant)];
  const free: FieldCondition = ['leaseUntil', 'null or <=', now];
  const asked = { by: 'tenant', order: 'value', limit } as const;
  const waiting = await Promise.all([
    driver.least(kinds.SCOPES, {
      ...asked,
      column: 'lookAt',
      where: [['lookAt', '<=', now], free, declared],
    }),
    driver.least(kinds.VARIANTS, {
      ...asked,
      column: 'dueAt',
      where: [['dueAt', '<=', now], free, declared],
    }),
    driver.least(kinds.REFRESH_REQUESTS, {
      ...asked,
      index: 'byOpen',
      column: 'openSince',
      where: [declared],
    }),
  ]);
  const since = new Map<string, number>();
  for (const { group, least } of waiting.flat()) {
    since.set(group, Math.min(least, since.get(group) ?? Infinity));
  }
  return [...since]
    .toSorted(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([tenant]) => tenant);
}

function leaseScope(
  { writes }: StoreParts,
  { scope, lease }: { scope: ScopeRecord; lease: Lease },
  now: number,
): Promise<ScopeRecord | null> {
  return writes.run(kinds.SCOPES, kinds.scopeKeyOf(scope), ({ record, set }) => {
    const current = storedOrEmpty(record, scope);
    if (current.version !== scope.version) return null;
    if (current.lease !== null && current.lease.until > now) return null;
    const leased = { ...current, lease, version: current.version + 1 };
    set(leased);
    return recordOf(leased);
  });
}

/** Returns sizes by tenant and layer, in order; reads no more than the requested rows need. */
export async function storageSizes(
  { driver }: StoreParts,
  limit: number,
): Promise<readonly StorageSize[]> {
  const sizes: StorageSize[] = [];
  for await (const page of scanPages(driver, kinds.SCOPES, { where: [], limit: SUMMED_AT_ONCE })) {
    for (const { tenant, layer, sourceBytes, sourceCount } of page) {
      const last = sizes.at(-1);
      const isSame = last?.tenant === tenant && last.layer === layer;
      const { bytes, sources } = isSame ? last : { bytes: 0, sources: 0 };
      if (isSame) sizes.pop();
      if (sizes.length === limit) return sizes;
      sizes.push({ tenant, layer, bytes: bytes + sourceBytes, sources: sources + sourceCount });
    }
  }
  return sizes;
}

// Reads the live sources of a scope, page by page: its memories by id, then a session's turns.

type Page = Parameters<ScopeRecords['sources']>[1];

async function readSources(
  { driver }: StoreParts,
  scope: Scope,
  { after, limit, now }: Page,
): Promise<readonly Source[]> {
  // First, finish what a commit of the scope left unfinished.
  await driver.anchor(kinds.SCOPES, kinds.scopeKeyOf(scope));
  const lastTurn = afterTurn(after);
  const memories =
    lastTurn === null
      ? await driver.scan(kinds.MEMORIES, {
          where: [
            ...kinds.ofScope(scope),
            ['id', '>', after === null ? '' : after.slice(memoryPosition('').length)],
            ['liveUntil', '>', now],
          ],
          order: ['id'],
          limit,
        })
      : [];
  const found = memories.map((memory) => memorySourceAt(memory, now));
  if (scope.layer !== 'session' || found.length >= limit) return found;
  const session = { tenant: scope.tenant, sessionId: scope.scopeId };
  const said = await driver.scan(kinds.TURNS, {
    where: [...kinds.ofSession(session), ['sequence', '>', lastTurn ?? 0]],
    limit: limit - found.length,
  });
  return [...found, ...said.map(turnSource)];
}

/** Returns memories, and turns of a session that have words. */
async function readSourcesById(
  { driver }: StoreParts,
  scope: Scope,
  { ids, now }: { readonly ids: readonly string[]; readonly now: number },
): Promise<readonly Source[]> {
  const asked = ids.slice(0, UNSEEN_SOURCES_MAX);
  if (asked.length === 0) return [];
  // First, finish what a commit of the scope left unfinished.
  await driver.anchor(kinds.SCOPES, kinds.scopeKeyOf(scope));
  const { tenant, layer, scopeId: sessionId } = scope;
  const [memories, turns] = await Promise.all([
    driver.getMany(
      kinds.MEMORIES,
      asked.map((id) => [tenant, id]),
    ),
    layer !== 'session'
      ? []
      : driver.scan(kinds.TURNS, {
          index: 'byId',
          where: [...kinds.ofSession({ tenant, sessionId }), ['id', 'in', asked]],
          limit: asked.length,
        }),
  ]);
  const found = new Map<string, Source>();
  for (const turn of turns) found.set(turn.id, turnSource(turn));
  for (const memory of memories) {
    if (memory === null || scopeKey(memory) !== scopeKey(scope) || !isLive(memory, now)) continue;
    found.set(memory.id, memorySourceAt(memory, now));
  }
  return asked.flatMap((id) => found.get(id) ?? []).filter(hasText);
}

/** Returns null while the previous page ended within the memories. */
function afterTurn(after: string | null): number | null {
  const prefix = turnPosition(0).replace(/0+$/u, '');
  return after?.startsWith(prefix) === true ? Number(after.slice(prefix.length)) : null;
}

/** Returns the record of a scope; an empty record if nothing was written to the scope yet. */
export function storedOrEmpty(stored: kinds.StoredScope | null, scope: Scope): kinds.StoredScope {
  const { tenant, layer, scopeId } = scope;
  return stored ?? { ...emptyScopeRecord({ tenant, layer, scopeId }), forgottenBefore: 0 };
}

export function recordOf(stored: kinds.StoredScope): ScopeRecord {
  const { forgottenBefore: _, ...record } = stored;
  return record;
}

/** Applies a write to its scope and returns the record afterwards; null changes nothing. */
export function changeScope(
  transaction: Transaction<kinds.StoredScope>,
  { scope, change }: { readonly scope: Scope; readonly change: ScopeChange | null },
  rules: WriteRules,
): ScopeRecord {
  const before = storedOrEmpty(transaction.record, scope);
  if (change === null) return recordOf(before);
  const next = applyChange(recordOf(before), change, rules);
  transaction.set({ ...next, forgottenBefore: before.forgottenBefore });
  return next;
}
