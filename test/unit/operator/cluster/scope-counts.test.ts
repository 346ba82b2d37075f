/** Tenants with more scopes than one check reads. */
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { ScopeRecords } from '#core/ports/scope-records.ts';
import { readTenantStatus, type ReadStatus } from '#core/refresh/tenant-status.ts';
import { emptyScopeRecord, type ScopeRecord } from '#core/records/scope-record.ts';
import { requeueDelay } from '#operator/cluster/reconcile-tenant.ts';
import { readStoredTenant, ScopeCounts } from '#operator/cluster/stored-tenant.ts';
import { tenantStatus } from '#operator/cluster/tenant-conditions.ts';
import { CONTINUE_AFTER_MS, CLUSTER_RESYNC_MS } from '#operator/resync-intervals.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { IN_MEMORY, openSqliteStore } from '#providers/sqlite/store.ts';
import { NOW, stillPlatform } from '../policy-store.ts';
import { observation, recordOf, tenantObject } from './resources.ts';

const TENANT = 'acme';
/** More than one look takes. */
const MANY = 20_500;
const LETTER = { code: 'MODEL_OUTPUT_INVALID', reason: 'LowGrounding', at: NOW };

function scopeOf(at: number, differing: Partial<ScopeRecord> = {}): ScopeRecord {
  const scopeId = `scope-${String(at).padStart(6, '0')}`;
  return {
    ...emptyScopeRecord({ tenant: TENANT, layer: 'user', scopeId }),
    sourceCount: 1,
    generatedAt: NOW,
    checkedAt: NOW,
    version: 1,
    ...differing,
  };
}

type List = ScopeRecords['list'];

/** What a store has: fresh scopes, but for the last 500, which were never summarized. */
const listMany: List = async (_, limit, after) => {
  const first = after === undefined ? 0 : Number(after.scopeId.slice('scope-'.length)) + 1;
  const length = Math.min(limit, MANY - first);
  return Array.from({ length }, (__, at) =>
    scopeOf(first + at, first + at < 20_000 ? {} : { generatedAt: null, checkedAt: null }),
  );
};

/** A store whose scopes are listed so, and the looks at them. */
async function lookingAt(list: List) {
  const platform = stillPlatform();
  const store = await openSqliteStore({
    file: IN_MEMORY,
    platform,
    analyzer: createTextAnalyzer(),
  });
  const record = recordOf(observation(tenantObject()));
  const scopeCounts = new ScopeCounts();
  const context = { platform, scopeCounts, store: { ...store, scopes: { ...store.scopes, list } } };
  const told = async () => {
    const facts = await readStoredTenant(record, context);
    const { policy, tenant } = record;
    const place = { namespace: 'team-a', name: tenant };
    const outcome = { kind: 'Paused' } as const;
    const applied = { releaseNamespace: 'varve', outcome, policy, isTemporalAway: false };
    const view = { place, tenant, facts, ...applied };
    const status = tenantStatus(view, record, { generation: 1, now: NOW, before: [] });
    const fresh = status.conditions.find(({ type }) => type === 'Fresh');
    const { freshness, lastRefreshTime } = status;
    return { lastRefreshTime, ...freshness, verdict: `${fresh?.status} ${fresh?.reason}` };
  };
  return { told, scopeCounts, store };
}

describe('a tenant with more scopes than one look takes', () => {
  const counted = {
    verdict: 'False Stale',
    fresh: 20_000,
    lastRefreshTime: '2026-11-21T12:00:00Z',
    stale: 500,
    summary: '20000/20500',
  };

  test('is reported as fresh or stale only after all scopes are counted', async () => {
    const { told, scopeCounts } = await lookingAt(listMany);
    expect(await told()).toEqual({
      verdict: 'Unknown StillCounting',
      fresh: 20_000,
      lastRefreshTime: undefined,
      stale: 0,
      summary: '20000/20000+',
    });
    expect(scopeCounts.isUnderWay(TENANT)).toBe(true);
    // The walk after begins anew, and what the one before counted stands meanwhile.
    for (let looks = 0; looks < 4; looks += 1) expect(await told()).toEqual(counted);
  });

  test('does not count scopes twice after the store failed during a look', async () => {
    let pages = 0;
    const { told } = await lookingAt(async (...asked) => {
      pages += 1;
      if (pages === 45) throw new VarveError('PROVIDER_ERROR', 'The store is unavailable.');
      return listMany(...asked);
    });
    await told();
    await told();
    await expect(told()).rejects.toThrow('The store is unavailable.');
    expect(await told()).toEqual(counted);
    expect(await told()).toEqual(counted);
  });
});

/** What one check counts over the given scopes. */
async function look(
  scopeCounts: ScopeCounts,
  records: readonly ScopeRecord[],
  hash = 'hash',
): Promise<ReadStatus> {
  const source = {
    scopes: {
      list: async (_: string, limit: number, after?: Pick<ScopeRecord, 'scopeId'>) =>
        records.filter(({ scopeId }) => scopeId > (after?.scopeId ?? '')).slice(0, limit),
    },
    summaries: { get: async () => null },
  };
  const walk = scopeCounts.take(TENANT, hash);
  const rules = { policy: defaultPolicy(TENANT), now: NOW, recipeOf: () => null };
  return readTenantStatus(source, TENANT, { ...rules, walk, scopesMax: 2 });
}

describe('counts of scopes over several looks', () => {
  const records = Array.from({ length: 5 }, (_, at) => scopeOf(at));
  const dead = records.map((record, at) => (at === 0 ? { ...record, deadLetter: LETTER } : record));

  async function tell(scopeCounts: ScopeCounts, of: readonly ScopeRecord[], hash = 'hash') {
    return scopeCounts.put(TENANT, hash, await look(scopeCounts, of, hash));
  }

  test('stay those of the last complete walk while the next one is under way', async () => {
    const scopeCounts = new ScopeCounts();
    const told = [];
    for (let looks = 0; looks < 5; looks += 1) {
      const { fresh, isComplete } = await tell(scopeCounts, records);
      told.push([fresh, isComplete, scopeCounts.isUnderWay(TENANT)]);
    }
    expect(told).toEqual([
      [2, false, true],
      [4, false, true],
      [5, true, false],
      [5, true, true],
      [5, true, true],
    ]);
  });

  test('show a new failure at once and drop it after a complete walk without it', async () => {
    const scopeCounts = new ScopeCounts();
    for (let looks = 0; looks < 3; looks += 1) await tell(scopeCounts, records);
    expect(await tell(scopeCounts, dead)).toMatchObject({
      ...{ scopes: 5, deadLetters: 1, isComplete: true },
      failure: { code: 'MODEL_OUTPUT_INVALID' },
    });
    for (let looks = 0; looks < 2; looks += 1) await tell(scopeCounts, records);
    for (let looks = 0; looks < 2; looks += 1) await tell(scopeCounts, records);
    expect(await tell(scopeCounts, records)).toMatchObject({ deadLetters: 0, failure: null });
  });

  test('start again under another policy', async () => {
    const scopeCounts = new ScopeCounts();
    for (let looks = 0; looks < 4; looks += 1) await tell(scopeCounts, records);
    expect(await tell(scopeCounts, records, 'other')).toMatchObject({
      fresh: 2,
      isComplete: false,
    });
  });

  test('do not count scopes twice after a failed look', async () => {
    const scopeCounts = new ScopeCounts();
    await tell(scopeCounts, records);
    await look(scopeCounts, records);
    expect(await tell(scopeCounts, records)).toMatchObject({ fresh: 2, isComplete: false });
  });

  test('are deleted with their tenant', async () => {
    const scopeCounts = new ScopeCounts();
    await tell(scopeCounts, records);
    scopeCounts.delete(TENANT);
    expect([scopeCounts.isUnderWay(TENANT), scopeCounts.take(TENANT, 'hash')]).toEqual([
      false,
      null,
    ]);
  });
});

test.each([
  ['a settled tenant', { tookMs: 20 }, 45_000],
  ['a slow tenant', { tookMs: 2_000 }, 115_000],
  ['a very slow tenant', { tookMs: 60_000 }, CLUSTER_RESYNC_MS + 15_000],
  ['scopes that are left', { tookMs: 10, isCounting: true }, CONTINUE_AFTER_MS],
  ['scopes that are left after a slow look', { tookMs: 400, isCounting: true }, 20_000],
  ['a policy not fully enforced', { tookMs: 2_000, isToGoOn: true }, CONTINUE_AFTER_MS],
])('the requeue delay for %s', (_, differing, expected) => {
  const looked = { isToGoOn: false, isCounting: false, chance: 0.5, ...differing };
  expect(requeueDelay(looked)).toBe(expected);
});
