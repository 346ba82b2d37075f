/** When a status is written, and which changes the operator reacts to. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openAccount } from '#core/budget/budget-account.ts';
import type { Layer } from '#core/layer.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { Account } from '#core/records/account.ts';
import { emptyScopeRecord, type ScopeRecord } from '#core/records/scope-record.ts';
import { NO_LIMITS } from '#crds/limit-values.ts';
import { LayerSummaryPolicyStatus, MemoryTenantStatus } from '#crds/status.ts';
import { KEYS_OF, type Keys } from '#operator/cluster/controllers.ts';
import { layerPolicyStatus } from '#operator/cluster/reconcile-layer-policy.ts';
import { INDEXES, ResourceLister, type ObjectSource } from '#operator/cluster/resource-lister.ts';
import {
  conditionEvents,
  COUNTERS_EVERY_MS,
  statusDecision,
  StatusWriter,
  writeReady,
} from '#operator/cluster/status-writer.ts';
import { readStoredTenant, ScopeCounts } from '#operator/cluster/stored-tenant.ts';
import { tenantStatus } from '#operator/cluster/tenant-conditions.ts';
import { createObjectCache } from '#operator/informer/object-cache.ts';
import {
  namespacedKey,
  placeOfKey,
  statusConditions,
  conditionState,
} from '#operator/tenant/metadata-and-conditions.ts';
import { EnforcedPolicies } from '#operator/tenant/enforced-policies.ts';
import { CLUSTER_RESYNC_MS } from '#operator/resync-intervals.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { IN_MEMORY, openSqliteStore } from '#providers/sqlite/store.ts';
import { NOW, stillPlatform } from '../policy-store.ts';
import {
  dreamObject,
  layerPolicyObject,
  NAMESPACE,
  providerObject,
  tenantObject,
  observation,
  recordOf,
  seenPolicy,
} from './resources.ts';

const READY = conditionState('True', 'InForce', 'All is well.');
const AT = { generation: 1, now: NOW, before: [] };

describe('conditions', () => {
  test('change their time with the status only', () => {
    const [first] = statusConditions({ Ready: READY }, AT);
    const later = { generation: 2, now: NOW + 60_000 };
    const before = first === undefined ? [] : [first];
    const other = conditionState('True', 'Better', 'Still well.');
    expect(statusConditions({ Ready: other }, { ...later, before })).toMatchObject([
      { reason: 'Better', observedGeneration: 2, lastTransitionTime: '2026-11-21T12:00:00Z' },
    ]);
    const bad = conditionState('False', 'Broken', 'Not well.');
    expect(statusConditions({ Ready: bad }, { ...later, before })).toMatchObject([
      { status: 'False', lastTransitionTime: '2026-11-21T12:01:00Z' },
    ]);
  });

  test('cause one Event per change, and none if all is well from the start', () => {
    const object = tenantObject();
    const good = statusConditions(
      { Ready: READY, Accepted: conditionState('True', 'Accepted', '') },
      AT,
    );
    const refused = conditionState('False', 'InvalidSpec', 'A mistake.');
    const bad = statusConditions({ Ready: refused, Accepted: refused }, { ...AT, before: good });
    expect(conditionEvents(object, [], good)).toEqual([]);
    expect(conditionEvents(object, good, bad)).toMatchObject([
      { type: 'Warning', reason: 'InvalidSpec', action: 'CheckAccepted', note: 'A mistake.' },
    ]);
    expect(conditionEvents(object, bad, bad)).toEqual([]);
    expect(conditionEvents(object, bad, good).map(({ type }) => type)).toEqual([
      'Normal',
      'Normal',
    ]);
  });

  test.each(['TenantPending', 'TenantNotReady'])(
    'a resource that waits for its tenant with %s, as each new one does, gets no Event',
    (reason) => {
      const ready = (state: Parameters<typeof conditionState>) =>
        statusConditions({ Ready: conditionState(...state) }, AT);
      const waiting = ready(['False', reason, 'The tenant has not applied it yet.']);
      const good = ready(['True', 'InForce', '']);
      const object = tenantObject();
      expect(conditionEvents(object, [], waiting)).toEqual([]);
      expect(conditionEvents(object, waiting, good)).toEqual([]);
      const refused = ready(['False', 'Superseded', '']);
      expect(conditionEvents(object, waiting, refused)).toMatchObject([{ reason: 'Superseded' }]);
      expect(conditionEvents(object, refused, waiting)).toEqual([]);
    },
  );
});

describe('status writes', () => {
  const status = (fresh: number, reason = 'InForce') => ({
    conditions: statusConditions({ Ready: conditionState('True', reason, '') }, AT),
    freshness: { fresh },
  });

  test.each([
    ['an equal status is not written', status(1), status(1), null, 'Same'],
    ['the first status is written', undefined, status(1), null, 'Write'],
    ['a changed condition is written at once', status(1), status(1, 'Other'), NOW, 'Write'],
    ['a number is written if none was lately', status(1), status(2), null, 'Write'],
    ['a number waits a minute after the last', status(1), status(2), NOW - 1_000, 'Later'],
    ['a number is written after a minute', status(1), status(2), NOW - COUNTERS_EVERY_MS, 'Write'],
  ] as const)('%s', (...[, before, after, writtenAt, expected]) => {
    expect(statusDecision(before, after, { now: NOW, writtenAt }).kind).toBe(expected);
  });

  test('the order of fields makes no difference', () => {
    const at = { now: NOW, writtenAt: null };
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        const turned = Object.fromEntries(Object.entries(fields).toReversed());
        expect(statusDecision(fields, turned, at)).toEqual({ kind: 'Same' });
      }),
    );
  });
});

describe('an enforced policy', () => {
  test('is due again after a quarter of an hour, after a change, and when expired', () => {
    const enforcedPolicies = new EnforcedPolicies();
    expect(enforcedPolicies.isDue('acme', 'h', NOW)).toBe(true);
    enforcedPolicies.done('acme', { hash: 'h', now: NOW, random: 0.5 });
    expect(enforcedPolicies.isDue('acme', 'h', NOW + CLUSTER_RESYNC_MS)).toBe(false);
    expect(enforcedPolicies.isDue('acme', 'h', NOW + CLUSTER_RESYNC_MS * 1.2)).toBe(true);
    expect(enforcedPolicies.isDue('acme', 'other', NOW)).toBe(true);
    enforcedPolicies.expire();
    expect(enforcedPolicies.isDue('acme', 'h', NOW)).toBe(true);
    expect(enforcedPolicies.isKnown('acme', 'h')).toBe(true);
  });
});

/** What the caches hold, by kind. */
function seenOf(
  objects: Partial<Record<keyof typeof INDEXES, readonly KubernetesObject[]>>,
): ResourceLister {
  const source = (kind: keyof typeof INDEXES): ObjectSource => {
    const cache = createObjectCache(INDEXES[kind]);
    cache.replace(objects[kind] ?? [], '1');
    return cache;
  };
  return new ResourceLister({
    tenants: source('tenants'),
    layerPolicies: source('layerPolicies'),
    providers: source('providers'),
    dreams: source('dreams'),
  });
}

describe('what a change requeues', () => {
  const tenant = tenantObject({ tenantId: 'acme' });
  const rival = tenantObject({ tenantId: 'acme' }, { name: 'rival', namespace: 'team-b' });
  const policy = layerPolicyObject({});
  const beside = layerPolicyObject({}, { name: 'second' });
  const everyone = providerObject({ allowedNamespaces: ['*'], extractive: {} });
  const some = providerObject({ allowedNamespaces: ['team-b'], extractive: {} });
  const seen = seenOf({ tenants: [tenant, rival], layerPolicies: [policy, beside] });
  const none: Keys = { tenants: [], layerPolicies: [], providers: [], dreams: [] };
  const withStatus = (object: KubernetesObject, reason: string): KubernetesObject => ({
    ...object,
    status: { conditions: statusConditions({ Ready: conditionState('True', reason, '') }, AT) },
  });

  test('a tenant requeues itself and its layer policies', () => {
    const keys = KEYS_OF.tenants({ old: null, new: tenant }, seen);
    expect(keys.tenants).toEqual(['team-a/acme']);
    expect(keys.layerPolicies.toSorted()).toEqual(['team-a/acme-team', 'team-a/second']);
  });

  test('a changed status requeues only the resources that show its reason', () => {
    const [a, b] = [withStatus(tenant, 'A'), withStatus(tenant, 'B')];
    expect(KEYS_OF.tenants({ old: a, new: { ...a } }, seen)).toEqual(none);
    const keys = KEYS_OF.tenants({ old: a, new: b }, seen);
    expect(keys.tenants).toEqual([]);
    expect(keys.layerPolicies).toHaveLength(2);
    expect(KEYS_OF.layerPolicies({ old: policy, new: withStatus(policy, 'A') }, seen)).toEqual(
      none,
    );
  });

  test('a deleted tenant requeues those that wait for its id', () => {
    const left = seenOf({ tenants: [rival] });
    expect(KEYS_OF.tenants({ old: tenant, new: null }, left).tenants).toEqual([
      'team-a/acme',
      'team-b/rival',
    ]);
  });

  test('a layer policy requeues its tenant and the policies beside it', () => {
    const keys = KEYS_OF.layerPolicies({ old: beside, new: null }, seen);
    expect(keys.tenants).toEqual(['team-a/acme']);
    expect(keys.layerPolicies).toContain('team-a/acme-team');
  });

  test('a dream requeues its tenant and the dreams beside it', () => {
    const [dream, other] = [dreamObject({}), dreamObject({}, { name: 'weekly' })];
    const dreaming = seenOf({ tenants: [tenant], dreams: [other] });
    const keys = KEYS_OF.dreams({ old: dream, new: null }, dreaming);
    expect(keys).toEqual({
      ...none,
      tenants: ['team-a/acme'],
      dreams: ['team-a/nightly', 'team-a/weekly'],
    });
    expect(KEYS_OF.dreams({ old: dream, new: withStatus(dream, 'A') }, dreaming)).toEqual(none);
    const changed = { old: null, new: tenant };
    expect(KEYS_OF.tenants(changed, dreaming).dreams).toEqual(['team-a/weekly']);
    const turned = { old: withStatus(tenant, 'A'), new: withStatus(tenant, 'B') };
    expect(KEYS_OF.tenants(turned, dreaming)).toEqual({ ...none, dreams: ['team-a/weekly'] });
  });

  test('a provider requeues the tenants that it serves or served', () => {
    expect(KEYS_OF.providers({ old: null, new: some }, seen).tenants).toEqual(['team-b/rival']);
    const wider = { ...everyone, metadata: { ...everyone.metadata, generation: 2 } };
    const keys = KEYS_OF.providers({ old: some, new: wider }, seen);
    expect(keys.tenants.toSorted()).toEqual(['team-a/acme', 'team-b/rival']);
    expect(keys.providers).toEqual([`${NAMESPACE}/local`]);
  });

  test('a provider that fails or recovers requeues only the tenants that it serves', () => {
    const works = withStatus(some, 'Available');
    const Ready = conditionState('False', 'Unavailable', '');
    const fails = { ...some, status: { conditions: statusConditions({ Ready }, AT) } };
    const served = { ...none, tenants: ['team-b/rival'] };
    expect(KEYS_OF.providers({ old: works, new: fails }, seen)).toEqual(served);
    expect(KEYS_OF.providers({ old: fails, new: works }, seen)).toEqual(served);
    expect(KEYS_OF.providers({ old: fails, new: { ...fails } }, seen)).toEqual(none);
    expect(KEYS_OF.providers({ old: some, new: works }, seen)).toEqual(none);
  });

  test('a key converts to a place and back', () => {
    const place = { namespace: 'team-a', name: 'a.b' };
    expect(placeOfKey(namespacedKey(place))).toEqual(place);
  });
});

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
  return readStoredTenant(RECORD, { platform, store, scopeCounts: new ScopeCounts() });
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

  test('counts and reports failures of its own layer only', async () => {
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

  test('drops a fixed failure and shows nothing for a layer without scopes', async () => {
    expect(await layerStatus(scope('team', 'a'))).not.toHaveProperty('lastError');
    const other = await layerStatus(scope('user', 'ann', { ...FAILED, deadLetter: dead }));
    expect(other).not.toHaveProperty('freshness');
    expect(other).not.toHaveProperty('lastError');
  });

  test('says that a failure is retried', async () => {
    const times = { until: NOW + 1_000, dueAt: NOW, since: NOW };
    const hold = { ...times, code: 'PROVIDER_ERROR', exhaustion: null };
    const status = await layerStatus(scope('team', 'a', { ...FAILED, hold }));
    expect(status.lastError).toEqual({
      code: 'PROVIDER_ERROR',
      message: 'Since 2026-11-21T12:00:00.000Z. Varve retries it.',
    });
  });

  test('keeps the last error short, however long the reason is', async () => {
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
  ])('is shown with limits of %s tokens and %s micro-dollars', async (...row) => {
    const [tokens, microDollars, summary] = row;
    expect(await budgetOf(opened(tokens, microDollars))).toBe(summary);
  });

  test('fits its field even with the largest amounts', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const spent = { tokens: most, microDollars: most };
    const account = { ...opened(most, most), spent };
    expect((await budgetOf(account))?.length).toBeGreaterThan(60);
  });
});

const OUTAGE = conditionState('False', 'StoreUnavailable', 'The store does not answer.');
const LEADING = { isLeader: () => true, epoch: () => 1, lose: () => undefined };

async function statusAfter(object: KubernetesObject): Promise<unknown> {
  const written: KubernetesObject[] = [];
  const apply = async (_: unknown, next: KubernetesObject) => {
    written.push(next);
    return next;
  };
  const statuses = new StatusWriter({ api: { apply }, clock: () => NOW, leadership: LEADING });
  const recorder = { record: () => undefined, flush: () => Promise.resolve() };
  const context = { statuses, recorder, platform: stillPlatform() };
  const { signal } = new AbortController();
  await writeReady(object, OUTAGE, { context, signal });
  return written[0]?.['status'];
}

test('during an outage the status names the generation last enforced', async () => {
  const status = { observedGeneration: 1, tenantId: 'acme', conditions: [] };
  const object = tenantObject({}, { status });
  const second = { ...object, metadata: { ...object.metadata, generation: 2 } };
  expect(await statusAfter(second)).toMatchObject({
    observedGeneration: 1,
    tenantId: 'acme',
    conditions: [{ type: 'Ready', reason: 'StoreUnavailable', observedGeneration: 2 }],
  });
});

test('the status of a tenant never enforced names no generation', async () => {
  expect(await statusAfter(tenantObject())).not.toHaveProperty('observedGeneration');
});
