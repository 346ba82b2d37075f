/** Scope records: what is due, what is leased, and the sources of a scope. */
import type { ScopeRecords } from '#core/ports/scope-records.ts';
import type { Lease, ScopeRecord } from '#core/records/scope-record.ts';
import type { Scope } from '#core/scope.ts';

import { readSources } from './sources.ts';
import {
  atVersion,
  encodeScope,
  ensureScope,
  scopeOrEmpty,
  scopeRecordOf,
  type ScopeDocuments,
} from './scope-document.ts';
import { settleWrites, type SettleTables } from './settle.ts';
import { releasedTenants, type PolicyDocuments } from './policies.ts';
import type { WakeDocuments } from './wakes.ts';

/** Scopes of one claim; a claim has far fewer. */
const LEASED_MAX = 10_000;
const BY_NAME = { '_id.layer': 1, '_id.scopeId': 1 } as const;

export interface ScopeTables extends SettleTables {
  readonly wakes: WakeDocuments;
  readonly policies: PolicyDocuments;
  /** Books what was left unbooked in a tenant's ledger. */
  readonly settleLedger: (tenant: string, now: number) => Promise<void>;
}

export function scopeRecords(tables: ScopeTables): ScopeRecords {
  const { scopes } = tables;
  return {
    get: (scope) => scopeOrEmpty(scopes, scope),
    async list(tenant, limit, after) {
      const written = {
        '_id.tenant': tenant,
        'record.version': { $gt: 0 },
        ...(after && laterThan(after)),
      };
      return (await scopes.select(written, { sort: BY_NAME, limit })).map(scopeRecordOf);
    },
    sources: (scope, page) => readSources(tables, scope, page),
    due: (tenant, query) => dueScopes(tables, tenant, query),
    dueTenants: (query) => dueTenants(tables, query),
    async lease(claims, now) {
      const leased: ScopeRecord[] = [];
      for (const claim of claims) leased.push(...(await leaseScope(scopes, claim, now)));
      return leased;
    },
    async leased(tenant, by) {
      const ofLease =
        'claimId' in by
          ? { 'record.lease.claimId': by.claimId }
          : { 'record.lease.batchId': by.batchId };
      const selection = { sort: BY_NAME, limit: LEASED_MAX };
      const found = await scopes.select({ '_id.tenant': tenant, ...ofLease }, selection);
      return found.map(scopeRecordOf);
    },
    replace: (record) => replaceScope(scopes, record),
  };
}

/** Writes the record if the document is still the one that it was made from. */
async function replaceScope(scopes: ScopeDocuments, record: ScopeRecord): Promise<boolean> {
  if (record.version === 1) await ensureScope(scopes, record);
  const { _id, ...rest } = encodeScope(record);
  return scopes.update(atVersion(record, record.version - 1), { $set: rest });
}

/** Whoever looks for work first finishes what others left under way: it may become due by that. */
async function dueScopes(
  tables: ScopeTables,
  tenant: string,
  { until, now, limit }: { until: number; now: number; limit: number },
): Promise<ScopeRecord[]> {
  await settleWrites(tables, tenant, now);
  await tables.settleLedger(tenant, now);
  const found: ScopeRecord[] = [];
  for (const urgent of [true, false]) {
    const due = { '_id.tenant': tenant, urgent, lookAt: { $lte: until }, ...notLeased(now) };
    const selection = { sort: { lookAt: 1 }, limit: limit - found.length } as const;
    found.push(...(await tables.scopes.select(due, selection)).map(scopeRecordOf));
  }
  return found;
}

/** Who has waited longest comes first, so that a limit starves nobody. */
async function dueTenants(
  { scopes, variants, wakes, policies }: ScopeTables,
  { now, limit }: { now: number; limit: number },
): Promise<string[]> {
  const released = await releasedTenants(policies);
  const owned = released.length === 0 ? {} : { '_id.tenant': { $nin: released } };
  const first = (field: string) => [
    { $group: { _id: '$_id.tenant', since: { $min: `$${field}` } } },
    { $sort: { since: 1, _id: 1 } },
    { $limit: Math.max(1, limit) },
  ];
  const waiting = [
    ...(await scopes.aggregate([
      { $match: { ...owned, lookAt: { $lte: now }, ...notLeased(now) } },
      ...first('lookAt'),
    ])),
    ...(await scopes.aggregate([
      { $match: { ...owned, settleAt: { $lte: now } } },
      ...first('settleAt'),
    ])),
    ...(await variants.aggregate([
      { $match: { ...owned, dueAt: { $lte: now }, leaseUntil: { $lte: now } } },
      ...first('dueAt'),
    ])),
    ...(await wakes.aggregate([{ $match: { ...owned, open: true } }, ...first('wantedAt')])),
  ];
  const since = new Map<string, number>();
  for (const row of waiting) {
    const tenant = String(row['_id']);
    since.set(tenant, Math.min(Number(row['since']), since.get(tenant) ?? Infinity));
  }
  return [...since]
    .toSorted(([a, sinceA], [b, sinceB]) => sinceA - sinceB || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([tenant]) => tenant);
}

async function leaseScope(
  scopes: ScopeDocuments,
  { scope, lease }: { scope: ScopeRecord; lease: Lease },
  now: number,
): Promise<ScopeRecord[]> {
  const free = { ...atVersion(scope, scope.version), ...notLeased(now) };
  const leased = { ...scope, lease, version: scope.version + 1 };
  const change = { $set: { 'record.lease': lease, 'record.version': leased.version } };
  return (await scopes.update(free, change)) ? [leased] : [];
}

/** In the order of `BY_NAME`. */
function laterThan({ layer, scopeId }: Pick<Scope, 'layer' | 'scopeId'>) {
  return {
    $or: [{ '_id.layer': { $gt: layer } }, { '_id.layer': layer, '_id.scopeId': { $gt: scopeId } }],
  };
}

function notLeased(now: number): Record<string, unknown> {
  return { $or: [{ 'record.lease': null }, { 'record.lease.until': { $lte: now } }] };
}
