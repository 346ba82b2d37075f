/** Compiled policies under the platform's limits: a table, and what holds for all of them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LAYERS } from '#core/layer.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import { DEFAULT_LAYERS, defaultPolicy } from '#core/policy/policy-defaults.ts';
import { TenantPolicy } from '#core/records/policy.ts';
import { NO_LIMITS, type PlatformLimits } from '#crds/limit-values.ts';
import { withinLimits } from '#operator/tenant/apply-platform-limits.ts';
import { dreamPolicy } from '#test/conformance/dream-samples.ts';

const MINUTE_MS = 60_000;
const LEAST_MS = 45 * MINUTE_MS;
const ALONE = defaultPolicy('acme');
const PROVIDED = {
  economy: null,
  standard: { provider: 'local', model: 'small' },
};

const limited = (limits: Partial<PlatformLimits>, policy: TenantPolicy = ALONE) =>
  withinLimits(policy, { ...NO_LIMITS, ...limits });

describe('a policy under the limits of the platform', () => {
  test('stays unchanged without limits, and nothing is reported', () => {
    const { policy, applied } = limited({});
    expect(policy).toEqual(ALONE);
    expect(applied).toEqual({ changes: [], unserved: [] });
  });

  test('with defaults has update intervals no shorter than they allow', () => {
    const { policy, applied } = limited({ leastIntervalMs: LEAST_MS });
    expect(TenantPolicy.parse(policy)).toEqual(policy);
    expect(policy.leastIntervalMs).toBe(LEAST_MS);
    const raised = { updateIntervalMs: LEAST_MS };
    const { session, agent, user, project, team } = DEFAULT_LAYERS;
    expect(policy.layers).toEqual({
      ...DEFAULT_LAYERS,
      session: { ...session, ...raised },
      agent: { ...agent, ...raised },
      user: { ...user, ...raised },
      project: { ...project, ...raised },
      team,
    });
    expect(applied.changes).toEqual([
      'no summary or dream more often than every 45m',
      'updateInterval 45m (agent, user, session, project)',
    ]);
  });

  test('also holds grants to the largest budget', () => {
    const { policy } = limited({ largestBudgetMicroDollars: 50 });
    expect(TenantPolicy.parse(policy).largestBudget).toEqual({ tokens: null, microDollars: 50 });
    expect(limited({}, policy).policy).not.toHaveProperty('largestBudget');
  });

  test('has a maximum age no shorter than the least interval', () => {
    const { policy, applied } = limited({ leastIntervalMs: 120 * MINUTE_MS });
    expect(policy.layers.session.maxAgeMs).toBe(120 * MINUTE_MS);
    expect(applied.changes).toContain('maxAge 2h (session)');
  });

  test.each<[string, ModelClass[], ModelClass, readonly string[]]>([
    [
      'economy only',
      ['economy'],
      'economy',
      ['modelClass economy (agent, user, session, project, team)', 'modelClass economy (dreams)'],
    ],
    ['both', ['economy', 'standard'], 'standard', []],
  ])('uses only allowed model classes: %s', (_, modelClasses, expected, changes) => {
    const { policy, applied } = limited({ modelClasses }, { ...ALONE, dreams: [dreamPolicy()] });
    expect(policy.layers.session.modelClass).toBe(expected);
    expect(policy.dreams?.map(({ modelClass }) => modelClass)).toEqual([expected]);
    expect(policy.layers.org.modelClass).toBe('economy');
    expect(applied.changes).toEqual(changes);
  });

  test('uses standard in every layer if only standard is allowed', () => {
    const { policy, applied } = limited({ modelClasses: ['standard'] });
    expect(new Set(LAYERS.map((layer) => policy.layers[layer].modelClass))).toEqual(
      new Set(['standard']),
    );
    expect(applied.changes).toEqual(['modelClass standard (org, company)']);
  });

  test.each<[string, ModelClass[] | null, TenantPolicy['models'], readonly ModelClass[]]>([
    ['one such class', ['economy'], PROVIDED, ['economy']],
    ['one served class', ['economy', 'standard'], PROVIDED, []],
    ['no provider', ['economy'], undefined, []],
    ['no limit', null, PROVIDED, []],
  ])(
    'reports allowed classes that no provider serves, with %s',
    (_, modelClasses, models, unserved) => {
      const policy = models === undefined ? ALONE : { ...ALONE, models };
      expect(limited({ modelClasses }, policy).applied.unserved).toEqual(unserved);
    },
  );

  test.each<
    [string, Partial<TenantPolicy['budget']>, Partial<TenantPolicy['budget']>, readonly string[]]
  >([
    [
      'no budget',
      {},
      { limitTokens: 1_000, limitMicroDollars: 5_000_000 },
      ['budget.dollars 5.00', 'budget.tokens 1000'],
    ],
    [
      'a larger budget',
      { limitTokens: 1_001, limitMicroDollars: 1 },
      { limitTokens: 1_000, limitMicroDollars: 1 },
      ['budget.tokens 1000'],
    ],
    [
      'a smaller budget',
      { limitTokens: 0, limitMicroDollars: 2 },
      { limitTokens: 0, limitMicroDollars: 2 },
      [],
    ],
  ])('has a budget within the largest, given %s', (_, given, expected, changes) => {
    const policy = { ...ALONE, budget: { ...ALONE.budget, ...given } };
    const limits = { largestBudgetTokens: 1_000, largestBudgetMicroDollars: 5_000_000 };
    const { policy: within, applied } = limited(limits, policy);
    expect(within.budget).toEqual({ ...ALONE.budget, ...expected });
    expect(applied.changes).toEqual(changes);
  });

  test('does not change when limited twice, and is free again when the limits go', () => {
    const limits = fc.record({
      largestBudgetMicroDollars: fc.option(fc.nat()),
      largestBudgetTokens: fc.option(fc.nat()),
      leastIntervalMs: fc.option(fc.integer({ min: 1, max: 86_400_000 })),
      modelClasses: fc.option(
        fc.constantFrom<ModelClass[]>(['economy'], ['standard'], ['standard', 'economy']),
      ),
      models: fc.constant(null),
    });
    fc.assert(
      fc.property(limits, (some) => {
        const { policy } = withinLimits(ALONE, some);
        expect(withinLimits(policy, some).policy).toEqual(policy);
        for (const layer of LAYERS) {
          const { updateIntervalMs, maxAgeMs, modelClass } = policy.layers[layer];
          expect(updateIntervalMs).toBeGreaterThanOrEqual(some.leastIntervalMs ?? 0);
          expect(maxAgeMs).toBeGreaterThanOrEqual(updateIntervalMs);
          expect(some.modelClasses ?? [modelClass]).toContain(modelClass);
        }
        expect(withinLimits(policy, NO_LIMITS).policy).not.toHaveProperty('leastIntervalMs');
      }),
    );
  });
});
