/** How the operator reads the ConfigMap with the platform's limits. */
import { describe, expect, test } from 'vitest';
import { POLICY_MS_MAX } from '#core/records/policy.ts';
import { NO_LIMITS, readLimits, type PlatformLimits } from '#crds/limit-values.ts';

const MINUTE_MS = 60_000;

function limitsOf(data: unknown): PlatformLimits {
  const reading = readLimits(data);
  if (reading.kind === 'Invalid') throw new Error(reading.problem);
  return reading.limits;
}

describe('the ConfigMap of the limits', () => {
  test.each<[string, unknown, Partial<PlatformLimits>]>([
    ['no data', undefined, {}],
    ['other keys only', { somethingElse: 'x' }, {}],
    ['an amount', { largestBudgetDollars: '100.5' }, { largestBudgetMicroDollars: 100_500_000 }],
    ['an amount of zero', { largestBudgetTokens: '0' }, { largestBudgetTokens: 0 }],
    ['a duration', { leastInterval: '1h30m' }, { leastIntervalMs: 90 * MINUTE_MS }],
    [
      'a duration longer than a policy may have',
      { leastInterval: '400d' },
      { leastIntervalMs: POLICY_MS_MAX },
    ],
    ['an empty duration', { leastInterval: '' }, {}],
    ['a duration of zero', { leastInterval: '0s' }, {}],
    ['one class', { modelClasses: ' economy\n' }, { modelClasses: ['economy'] }],
    [
      'both classes',
      { modelClasses: 'economy, standard' },
      { modelClasses: ['economy', 'standard'] },
    ],
    [
      'models',
      { models: 'small-1, vectors\nlarge\n' },
      { models: ['small-1', 'vectors', 'large'] },
    ],
  ])('is read with %s', (_, data, limits) => {
    expect(limitsOf(data)).toEqual({ ...NO_LIMITS, ...limits });
  });

  test.each([
    ['largestBudgetDollars', '1e3', 'an amount in dollars such as 100.00'],
    ['largestBudgetTokens', 'many', 'a whole number'],
    ['leastInterval', '30 minutes', 'a duration such as 30m'],
    ['leastInterval', 30, 'a duration such as 30m'],
    ['modelClasses', 'premium', 'economy, standard or both'],
    ['modelClasses', '', 'economy, standard or both'],
    ['models', ' ', 'names of models'],
  ])('%s: %s is reported as wrong without being shown', (key, value, expected) => {
    expect(readLimits({ largestBudgetTokens: '7', [key]: value })).toEqual({
      kind: 'Invalid',
      problem: `the key ${key} of the ConfigMap varve-platform-limits is not ${expected}`,
    });
  });
});
