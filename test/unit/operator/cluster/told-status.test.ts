/** What statuses tell of scopes, failures and money, from the records of a store. */
import { describe, expect, test } from 'vitest';
import { openAccount } from '#core/budget/budget.ts';
import type { Account } from '#core/records/account.ts';
import { emptyScopeRecord, type ScopeRecord } from '#core/records/scope-record.ts';
import type { Layer } from '#core/layer.ts';
import { NO_LIMITS } from '#crds/limit-values.ts';
import { LayerSummaryPolicyStatus, MemoryTenantStatus } from '#crds/status.ts';
import { layerPolicyStatus } from '#operator/cluster/reconcile-layer-policy.ts';
import { readFacts } from '#operator/cluster/read-facts.ts';
import { StatusWalks } from '#operator/cluster/scope-counts.ts';
import { tenantStatus } from '#operator/cluster/tenant-status.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { IN_MEMORY, openSqliteStore } from '#providers/sqlite/store.ts';
import { NOW, stillPlatform } from '../policy-store.ts';
import { layerPolicyObject, observation, recordOf, seenPolicy, tenantObject } from './resources.ts';

const RECORD = recordOf(observation(tenantObject()));
const MOMENT = { generation: 1, now: NOW, before: [] };
const FAILED = { generatedAt: null, checkedAt: null };
const OUTPUT = 'MODEL_OUTPUT_INVALID';

function scope(
  layer: Layer,
  scopeId: string,
  differing: Partial<ScopeRecord> = {},
): Partial<ScopeRecord> & ScopeRecord {
  const made = { sourceCount: 1, generatedAt: NOW, checkedAt: NOW, version: 1 };
  return { ...emptyScopeRecord({ tenant: 'acme', layer, scopeId }), ...made, ...differing };
}

async function factsOf(...scopes: readonly ScopeRecord[]) {
  const platform = stillPlatform();
  const store = await openSqliteStore({
    file: IN_MEMORY,
    platform,
    analyzer: createTextAnalyzer(),
  });
  for (const record of scopes) await store.scopes.replace(record);
  return readFacts(RECORD, { platform, store, walks: new StatusWalks() });
}

async function layerStatus(...scopes: readonly ScopeRecord[]) {
  const policy = seenPolicy(layerPolicyObject({ layer: 'team' }));
  const tenant = tenantObject();
  const beside = { tenantName: 'acme', tenant, tenantReady: null, speaker: policy };
  const facts = await factsOf(...scopes);
  const snapshot = { uid: 'uid', tenant: 'acme', record: RECORD, facts, limits: NO_LIMITS };
  return layerPolicyStatus({ policy, ...beside, isInForce: true }, snapshot, MOMENT);
}

async function budgetOf(account: Account): Promise<string | undefined> {
  const facts = { ...(await factsOf()), account };
  const place = { namespace: 'team-a', name: 'acme' };
  const head = { place, tenant: 'acme', releaseNamespace: 'varve', policy: RECORD.policy };
  const outcome = { kind: 'Paused' } as const;
  const view = { ...head, outcome, facts, isTemporalAway: false };
  const status = tenantStatus(view, RECORD, MOMENT);
  expect(MemoryTenantStatus.safeParse(status).error).toBeUndefined();
  return status.budget?.summary;
}

describe('the status of a layer policy', () => {
  const dead = { code: OUTPUT, reason: 'LowGrounding', at: NOW };

  test('it counts and tells what failed in its own layer, and in no other', async () => {
    const status = await layerStatus(
      scope('team', 'a'),
      scope('team', 'b', { ...FAILED, deadLetter: dead }),
      scope('user', 'ann', { ...FAILED, deadLetter: { ...dead, code: 'TIMEOUT' } }),
      scope('user', 'bob', { ...FAILED, deadLetter: { ...dead, code: 'TIMEOUT' } }),
    );
    expect(status).toMatchObject({
      freshness: { fresh: 1, stale: 1, summary: '1/2' },
      lastRefreshTime: '2026-11-21T12:00:00Z',
      lastError: {
        code: OUTPUT,
        message: 'LowGrounding Try again with: varve summaries retry --tenant acme',
      },
    });
    expect(LayerSummaryPolicyStatus.safeParse(status).error).toBeUndefined();
  });

  test('a failure that is mended is gone, and a layer without scopes tells nothing', async () => {
    expect(await layerStatus(scope('team', 'a'))).not.toHaveProperty('lastError');
    const other = await layerStatus(scope('user', 'ann', { ...FAILED, deadLetter: dead }));
    expect(other).not.toHaveProperty('freshness');
    expect(other).not.toHaveProperty('lastError');
  });

  test('a failure that is tried again says so', async () => {
    const times = { until: NOW + 1_000, dueAt: NOW, since: NOW };
    const hold = { ...times, code: 'PROVIDER_ERROR', exhaustion: null };
    const status = await layerStatus(scope('team', 'a', { ...FAILED, hold }));
    expect(status.lastError).toEqual({
      code: 'PROVIDER_ERROR',
      message: 'Since 2026-11-21T12:00:00.000Z. It is tried again by itself.',
    });
  });

  test('however long a reason is, the last error stays short', async () => {
    const deadLetter = { ...dead, reason: 'x'.repeat(40_000) };
    const status = await layerStatus(scope('team', 'a', { ...FAILED, deadLetter }));
    expect(status.lastError?.message.length).toBeLessThan(300);
    expect(status.lastError?.message).toMatch(/^x{199}… Try again with: varve summaries retry/u);
    expect(LayerSummaryPolicyStatus.safeParse(status).error).toBeUndefined();
  });
});

describe('the budget of a tenant', () => {
  const opened = (limitTokens: number | null, limitMicroDollars: number | null): Account => {
    const limits = { limitTokens, limitMicroDollars, onExhausted: 'Reject' } as const;
    return {
      ...openAccount('acme', '2026-11', limits),
      spent: { tokens: 1_200, microDollars: 3_200_000 },
    };
  };

  test.each([
    [null, null, '$3.20, no limit'],
    [null, 25_000_000, '$3.20 of $25.00'],
    [5_000, null, '1200 of 5000 tokens'],
    [5_000, 25_000_000, '$3.20 of $25.00, 1200 of 5000 tokens'],
  ])('limits of %s tokens and %s micro-dollars are both told', async (...row) => {
    const [tokens, microDollars, summary] = row;
    expect(await budgetOf(opened(tokens, microDollars))).toBe(summary);
  });

  test('the largest of them fits its field', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const spent = { tokens: most, microDollars: most };
    const account = { ...opened(most, most), spent };
    expect((await budgetOf(account))?.length).toBeGreaterThan(60);
  });
});
