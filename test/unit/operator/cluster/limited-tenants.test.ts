/** Tenants under the platform's limits: the plan, the messages, and the result. */
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { DeepDream } from '#crds/deep-dream.ts';
import { LIMITS_NAME, NO_LIMITS, type PlatformLimits } from '#crds/limit-values.ts';
import { readObject } from '#crds/read-object.ts';
import { DEEP_DREAM, LAYER_SUMMARY_POLICY, MEMORY_TENANT } from '#crds/resource-types.ts';
import { LIMITS_AGE_MS_MAX, LimitsSource } from '#operator/cluster/platform-limits-source.ts';
import { dreamConditions } from '#operator/cluster/reconcile-dream.ts';
import { tenantConditions, type TenantOutcome } from '#operator/cluster/tenant-conditions.ts';
import { PAUSED_ANNOTATION, conditionsIn } from '#operator/tenant/metadata-and-conditions.ts';
import { compileDream } from '#operator/tenant/compile-policy.ts';
import { classWithin } from '#operator/tenant/apply-platform-limits.ts';
import { stillPlatform } from '../policy-store.ts';
import { virtualTime } from '../virtual-time.ts';
import { operatorFixture, RELEASE } from './operator-fixture.ts';
import {
  DELETING,
  dreamObject,
  layerPolicyObject,
  NAMESPACE,
  observation,
  OWNER,
  planOf,
  recordOf,
  seenPolicy,
  tenantObject,
} from './resources.ts';

const LEAST_MS = 45 * 60_000;
const limits: PlatformLimits = { ...NO_LIMITS, leastIntervalMs: LEAST_MS };
const KNOWN = { kind: 'Known', limits } as const;
const UNKNOWN = { kind: 'Unknown', problem: 'The key models is wrong.' } as const;
/** A look and a look again, each with its spread. */
const TWO_LOOKS_MS = 2 * LIMITS_AGE_MS_MAX + 60_000;

describe('the plan under limits', () => {
  test('applies a tenant within them', () => {
    const plan = planOf(observation(tenantObject(), { limits: KNOWN }));
    expect(plan).toMatchObject({
      kind: 'Apply',
      policy: { leastIntervalMs: LEAST_MS, layers: { session: { updateIntervalMs: LEAST_MS } } },
      applied: { changes: expect.arrayContaining([expect.stringContaining('45m')]) as unknown },
    });
  });

  test('also limits a layer policy that was applied before them', () => {
    const before = layerPolicyObject({ layer: 'team', updateInterval: '1m' });
    const seen = observation(tenantObject(), { layerPolicies: [seenPolicy(before)] });
    const record = recordOf(seen);
    expect(record.policy.layers.team.updateIntervalMs).toBe(60_000);
    const limited = { policy: { layers: { team: { updateIntervalMs: LEAST_MS } } } };
    expect(planOf({ ...seen, record, limits: KNOWN })).toMatchObject(limited);
    const annotations = { [PAUSED_ANNOTATION]: 'true' };
    const paused = layerPolicyObject({ layer: 'team', updateInterval: '1m' }, { annotations });
    const held = { ...seen, record, limits: KNOWN, layerPolicies: [seenPolicy(paused)] };
    expect(planOf(held)).toMatchObject(limited);
  });

  test('applies nothing while they are unknown', () => {
    const seen = observation(tenantObject(), { limits: UNKNOWN });
    expect(planOf(seen)).toEqual({ kind: 'LimitsUnknown', problem: UNKNOWN.problem });
  });

  test('releases a tenant even while they are unknown', () => {
    const record = recordOf(observation(tenantObject()));
    const going = observation(tenantObject({}, DELETING), { limits: UNKNOWN, record });
    expect(planOf(going)).toMatchObject({ kind: 'Release', owner: OWNER });
  });
});

describe('conditions under limits', () => {
  const { policy } = recordOf(observation(tenantObject()));
  const saying = (outcome: TenantOutcome) => {
    const place = { namespace: NAMESPACE, name: 'acme' };
    const view = { place, tenant: 'acme', releaseNamespace: RELEASE, outcome, policy };
    return tenantConditions({ ...view, facts: null, isTemporalAway: false });
  };
  const changes = ['updateInterval 45m (session)', 'budget.tokens 5'];

  test.each<[string, TenantOutcome, object]>([
    [
      'what they changed',
      { kind: 'InForce', applied: { changes, unserved: [] } },
      {
        status: 'True',
        reason: 'Limited',
        message: expect.stringContaining(
          "The platform's limits apply: updateInterval 45m (session); budget.tokens 5.",
        ) as unknown,
      },
    ],
    [
      'nothing if they changed nothing',
      { kind: 'InForce', applied: { changes: [], unserved: [] } },
      { status: 'True', reason: 'Accepted' },
    ],
    [
      'limits that cannot be read',
      { kind: 'LimitsUnknown', problem: UNKNOWN.problem, isKept: true },
      {
        status: 'False',
        reason: 'LimitsUnreadable',
        message:
          `The platform's limits cannot be read. ${UNKNOWN.problem} ` +
          'The last valid policy stays in force.',
      },
    ],
  ])('Accepted reports %s', (_, outcome, finding) => {
    expect(saying(outcome).Accepted).toMatchObject(finding);
  });

  test('Ready counts a limited dream as in force and names the least interval', () => {
    const object = dreamObject({});
    const reading = readObject(object, DeepDream);
    if (reading.kind === 'Invalid') throw new Error(reading.report);
    const economy: PlatformLimits = { ...limits, modelClasses: ['economy'] };
    const view = {
      dream: { object, reading },
      tenantName: 'acme',
      tenant: tenantObject(),
      tenantId: 'acme',
      tenantReady: null,
      isHeard: true,
      applied: classWithin(compileDream(reading.resource), economy),
      schedule: { name: 'nightly', nextAt: 1, last: null },
      isWaiting: false,
      before: null,
    };
    expect(dreamConditions({ ...view, limits: NO_LIMITS }).Ready).toMatchObject({
      status: 'False',
    });
    const ready = dreamConditions({ ...view, limits: economy }).Ready;
    expect(ready).toMatchObject({ status: 'True', reason: 'Scheduled' });
    expect(ready.message).toContain('at least 45m apart');
  });
});

describe('an operator under limits', () => {
  const configMap = (data: object): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: LIMITS_NAME, namespace: RELEASE },
    data,
  });
  const declared = [
    tenantObject(),
    layerPolicyObject({ layer: 'team', updateInterval: '1m' }),
    dreamObject({ cron: '* * * * *' }),
  ];

  test('applies changed and removed limits without a restart', async () => {
    const live = [...declared, configMap({ leastInterval: '45m' })];
    const fixture = await operatorFixture({ listed: declared, live });
    const least = async () => (await fixture.store.policies.get('acme'))?.policy.leastIntervalMs;
    fixture.run();
    await fixture.time.pass(1_000);
    expect(await least()).toBe(LEAST_MS);
    const told = { status: fixture.status(MEMORY_TENANT, 'acme') };
    const conditions = conditionsIn({ ...tenantObject(), ...told });
    expect(conditions.find(({ type }) => type === 'Accepted')?.reason).toBe('Limited');
    for (const [type, name] of [
      [LAYER_SUMMARY_POLICY, 'acme-team'],
      [DEEP_DREAM, 'nightly'],
    ] as const) {
      const of = conditionsIn({ ...tenantObject(), status: fixture.status(type, name) });
      expect([name, of.find((one) => one.type === 'Ready')?.status]).toEqual([name, 'True']);
    }
    live[3] = configMap({ leastInterval: '2h' });
    await fixture.time.pass(TWO_LOOKS_MS);
    expect(await least()).toBe(7_200_000);
    live[3] = configMap({ leastInterval: 'soon' });
    await fixture.time.pass(TWO_LOOKS_MS);
    expect(await least()).toBe(7_200_000);
    live.pop();
    await fixture.time.pass(TWO_LOOKS_MS);
    expect(await least()).toBeUndefined();
    expect((await fixture.store.policies.get('acme'))?.policy.layers.team.updateIntervalMs).toBe(
      60_000,
    );
    fixture.stop.abort();
  });

  test('reports on the tenant that the limits cannot be read', async () => {
    const live = [...declared, configMap({ models: ' ' })];
    const fixture = await operatorFixture({ listed: declared, live });
    fixture.run();
    await fixture.time.pass(1_000);
    expect(await fixture.store.policies.get('acme')).toBeNull();
    const told = { status: fixture.status(MEMORY_TENANT, 'acme') };
    const accepted = conditionsIn({ ...tenantObject(), ...told }).find(
      ({ type }) => type === 'Accepted',
    );
    expect(accepted).toMatchObject({ status: 'False', reason: 'LimitsUnreadable' });
    fixture.stop.abort();
  });
});

type Data = Readonly<Record<string, string>>;
type Answer = Data | ErrorCode | null;

const HOURLY = { leastInterval: '1h' };
const LIMITS = { ...NO_LIMITS, leastIntervalMs: 3_600_000 };
const WRONG = { leastInterval: 'soon' };

function fixture(first: Answer) {
  const messages: string[] = [];
  const time = virtualTime();
  const asked: string[] = [];
  const gauges: number[] = [];
  const state = { answer: first };
  const source = new LimitsSource({
    api: {
      get: async (type, { namespace, name }): Promise<KubernetesObject | null> => {
        asked.push(`${type.plural} ${String(namespace)}/${name}`);
        const { answer } = state;
        if (answer === null) return null;
        if (typeof answer === 'string') throw new VarveError(answer, 'It says no.');
        return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: answer };
      },
    },
    releaseNamespace: 'varve',
    timers: time.timers(),
    log: stillPlatform(messages).log,
    metrics: { set: (_, __, value) => void gauges.push(value) },
  });
  const later = async (answer: Answer) => {
    state.answer = answer;
    await time.pass(LIMITS_AGE_MS_MAX);
    return source.known();
  };
  return { source, later, asked, gauges, messages, time };
}

describe('the platform’s limits', () => {
  test('are read by name in the namespace of the release, once for concurrent callers', async () => {
    const { source, asked, gauges } = fixture(HOURLY);
    const all = await Promise.all([source.known(), source.known(), source.known()]);
    expect(new Set(all.map((known) => JSON.stringify(known))).size).toBe(1);
    expect(all[0]).toEqual({ kind: 'Known', limits: LIMITS });
    expect(asked).toEqual(['configmaps varve/varve-platform-limits']);
    expect(gauges).toEqual([0]);
  });

  test('are read again after half a minute, or at once after expire()', async () => {
    const { source, later, asked, time } = fixture(HOURLY);
    await source.known();
    await time.pass(LIMITS_AGE_MS_MAX - 1);
    await source.known();
    expect(asked).toHaveLength(1);
    expect(await later({ leastInterval: '2h' })).toMatchObject({
      limits: { leastIntervalMs: 7_200_000 },
    });
    source.expire();
    await source.known();
    expect(asked).toHaveLength(3);
  });

  test('limit nothing without the ConfigMap or after its deletion', async () => {
    expect(await fixture(null).source.known()).toEqual({ kind: 'Known', limits: NO_LIMITS });
    const { source, later } = fixture(HOURLY);
    await source.known();
    expect(await later(null)).toEqual({ kind: 'Known', limits: NO_LIMITS });
  });

  test.each<[string, Answer]>([
    ['is wrong', WRONG],
    ['may not be read', 'FORBIDDEN'],
    ['cannot be read', 'PROVIDER_ERROR'],
  ])('stay as last known if the ConfigMap %s, with one log message', async (_, answer) => {
    const { source, later, gauges, messages } = fixture(HOURLY);
    await source.known();
    expect(await later(answer)).toEqual({ kind: 'Known', limits: LIMITS });
    expect(await later(answer)).toEqual({ kind: 'Known', limits: LIMITS });
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(/^platform limits cannot be read; .* stay in force: .+\.$/u);
    expect(gauges).toEqual([0, 1, 1]);
    await later({ leastInterval: '2h' });
    expect(messages.at(-1)).toBe('platform limits are readable again');
    expect(gauges.at(-1)).toBe(0);
  });

  test.each<[Answer, string]>([
    [
      WRONG,
      'The key leastInterval of the ConfigMap varve-platform-limits is not a duration such as 30m.',
    ],
    [
      'FORBIDDEN',
      'The operator may not get the ConfigMap varve-platform-limits in the namespace varve; ' +
        'its Role has to allow that.',
    ],
  ])('are unknown, with the reason, until they are read once', async (answer, problem) => {
    const { source, later } = fixture(answer);
    expect(await source.known()).toEqual({ kind: 'Unknown', problem });
    expect(await later(HOURLY)).toEqual({ kind: 'Known', limits: LIMITS });
  });

  test('are read again if the server does not answer at first', async () => {
    const { source, asked } = fixture('PROVIDER_ERROR');
    await expect(source.known()).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
    await expect(source.known()).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
    expect(asked).toHaveLength(2);
  });
});
