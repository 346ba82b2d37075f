import { describe, expect, test } from 'vitest';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import {
  policyInForce,
  policyToRefreshBy,
  policyToWriteBy,
  sessionSilenceOf,
} from '#core/policy/policy-in-force.ts';
import type { Layer } from '#core/layer.ts';
import type { PolicyRecord } from '#core/records/policy.ts';
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  NOW,
  ownerOf,
  policyOf,
  SECOND_MS,
} from '#test/conformance/samples.ts';
import { duePolicyOf } from '#core/refresh/when-to-refresh.ts';

const DECLARED: PolicyRecord = {
  tenant: 'acme',
  owner: ownerOf('a'),
  generation: 1,
  hash: 'h',
  policy: policyOf('acme', 500),
  appliedAt: NOW,
  epoch: 0,
  releasedAt: null,
};

/** Policies of which those of the given record alone are known. */
const having = (record: PolicyRecord | null) => ({
  get: (tenant: string) => Promise.resolve(record?.tenant === tenant ? record : null),
});

describe('a tenant', () => {
  test('that declared a policy is read, written and refreshed by that policy', async () => {
    const policies = having(DECLARED);
    for (const policy of [policyInForce, policyToRefreshBy, policyToWriteBy]) {
      expect(await policy(policies, 'acme')).toBe(DECLARED.policy);
    }
  });

  test('that declared nothing is read, written and refreshed by the defaults', async () => {
    const policies = having(DECLARED);
    for (const policy of [policyInForce, policyToRefreshBy, policyToWriteBy]) {
      expect(await policy(policies, 'other')).toEqual(defaultPolicy('other'));
    }
  });

  test('that was released is read by its last policy, but neither written nor refreshed', async () => {
    const policies = having({ ...DECLARED, releasedAt: NOW });
    expect(await policyInForce(policies, 'acme')).toBe(DECLARED.policy);
    expect(await policyToRefreshBy(policies, 'acme')).toBeNull();
    await expect(policyToWriteBy(policies, 'acme')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('ends its sessions after half an hour of silence, or after the declared time', () => {
    const policy = defaultPolicy('acme');
    expect(sessionSilenceOf(policy)).toBe(30 * MINUTE_MS);
    expect(sessionSilenceOf({ ...policy, sessionSilenceMs: MINUTE_MS })).toBe(MINUTE_MS);
  });

  test('refreshes a scope by the policy of its layer', () => {
    const policy = defaultPolicy('acme');
    expect(duePolicyOf(policy, 'team')).toEqual({
      layer: policy.layers.team,
      urgentDebounceMs: 15 * SECOND_MS,
    });
  });
});

describe('a tenant that declares nothing', () => {
  test.each<[Layer, number, number, number, string]>([
    ['session', 5 * MINUTE_MS, 1, HOUR_MS, 'standard'],
    ['agent', 30 * MINUTE_MS, 3, DAY_MS, 'standard'],
    ['user', 30 * MINUTE_MS, 3, DAY_MS, 'standard'],
    ['project', 30 * MINUTE_MS, 3, DAY_MS, 'standard'],
    ['team', HOUR_MS, 5, 3 * DAY_MS, 'standard'],
    ['org', HOUR_MS, 10, 7 * DAY_MS, 'economy'],
    ['company', HOUR_MS, 10, 7 * DAY_MS, 'economy'],
  ])(
    'has %s summaries checked every %d ms, at %d changes, stale after %d ms, by the %s model',
    (layer, updateIntervalMs, updateOnChanges, maxAgeMs, modelClass) => {
      const times = { updateIntervalMs, updateOnChanges, maxAgeMs };
      expect(defaultPolicy('acme').layers[layer]).toMatchObject({
        ...times,
        modelClass,
        depths: ['sentence', 'paragraph', 'detailed'],
        skipIfUnchanged: true,
        personalized: false,
        batchWindowMs: layer === 'session' ? 10 * SECOND_MS : 5 * MINUTE_MS,
      });
    },
  );

  test('has no hierarchy and no limit, and keeps transcripts for 30 days', () => {
    expect(defaultPolicy('acme')).toMatchObject({
      tenant: 'acme',
      hierarchy: { teamOfProject: {}, orgOfTeam: {}, companyOfOrg: {} },
      budget: { limitTokens: null, limitMicroDollars: null },
      transcriptRetentionDays: 30,
      context: { maxTokens: 3_000, hotTurnsLimit: 8, relatedEntitiesLimit: 25 },
    });
  });
});
