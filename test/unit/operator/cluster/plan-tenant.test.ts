/** What to do about a MemoryTenant: a table of situations and sentences. */
import { describe, expect, test } from 'vitest';
import {
  FORCE_RELEASE_ANNOTATION,
  PAUSED_ANNOTATION,
} from '#operator/tenant/metadata-and-conditions.ts';
import { oldestPolicyByLayer, type TenantPlan } from '#operator/tenant/plan-tenant.ts';
import { NOW } from '../policy-store.ts';
import {
  DELETING,
  layerPolicyObject,
  observation,
  OWNER,
  planOf,
  recordOf,
  seenPolicy,
  tenantObject,
} from './resources.ts';

const PAUSED = { [PAUSED_ANNOTATION]: 'true' };
const FORCED = { [FORCE_RELEASE_ANNOTATION]: 'true' };
const OTHER = { ...OWNER, name: 'other', uid: 'uid-other' };
const STRANGER = { ...OWNER, namespace: 'team-b', uid: 'uid-stranger' };
const FAR = { ...OWNER, cluster: 'cluster-2', uid: 'uid-far' };

const plain = observation(tenantObject());
const record = recordOf(plain);
const deleting = (spec: object = {}, annotations = {}) =>
  tenantObject(spec, { ...DELETING, annotations });

const SITUATIONS: readonly (readonly [string, TenantPlan, Partial<TenantPlan>])[] = [
  [
    'a tenant that the store does not know is applied as new',
    planOf(plain),
    { kind: 'Apply', expectedGeneration: null, takesOver: null, reason: 'New', isDrift: false },
  ],
  ['an equal policy is kept', planOf({ ...plain, record }), { kind: 'Keep', generation: 1 }],
  [
    'another budget is applied over the known generation, with the difference',
    planOf(observation(tenantObject({ budget: { tokens: 5 } }), { record })),
    { kind: 'Apply', expectedGeneration: 1, reason: 'Changed: budget.tokens none → 5' },
  ],
  [
    'a policy that differs from the enforced one counts as drift',
    planOf({
      ...plain,
      record: { ...record, hash: 'edited', generation: 4 },
      enforcedHash: { generation: 3, hash: record.hash },
    }),
    { kind: 'Apply', expectedGeneration: 4, isDrift: true },
  ],
  [
    'a policy that the store lost is restored and counts as drift',
    planOf({ ...plain, enforcedHash: { generation: 3, hash: record.hash } }),
    { kind: 'Apply', expectedGeneration: null, isDrift: true },
  ],
  [
    'a tenant of another owner is not touched',
    planOf({ ...plain, record: { ...record, owner: OTHER } }),
    { kind: 'Claimed', owner: OTHER, isReleased: false },
  ],
  ...[STRANGER, FAR].flatMap((owner): (readonly [string, TenantPlan, Partial<TenantPlan>])[] => [
    [
      `a tenant released by ${owner.cluster}/${owner.namespace} is not claimed`,
      planOf({ ...plain, record: { ...record, owner, releasedAt: NOW }, isOwnerGone: true }),
      { kind: 'Claimed', owner, isReleased: true },
    ],
    [
      `a claim of ${owner.cluster}/${owner.namespace} is not taken over without its resource`,
      planOf({ ...plain, record: { ...record, owner }, isOwnerGone: true }),
      { kind: 'Claimed', owner, isReleased: false },
    ],
  ]),
  [
    'a released tenant whose resource is still being deleted is not touched yet',
    planOf({ ...plain, record: { ...record, owner: OTHER, releasedAt: NOW } }),
    { kind: 'Claimed', owner: OTHER },
  ],
  [
    'a released tenant without a resource is claimed',
    planOf({ ...plain, record: { ...record, owner: OTHER, releasedAt: NOW }, isOwnerGone: true }),
    { kind: 'Apply', takesOver: null, expectedGeneration: 1 },
  ],
  [
    'a tenant whose resource went without a release is taken over',
    planOf({ ...plain, record: { ...record, owner: OTHER }, isOwnerGone: true }),
    { kind: 'Apply', takesOver: OTHER, expectedGeneration: 1 },
  ],
  [
    'a released tenant declared by the same resource is applied again',
    planOf({ ...plain, record: { ...record, releasedAt: NOW } }),
    { kind: 'Apply', takesOver: null, expectedGeneration: 1 },
  ],
  [
    'a paused resource is not applied',
    planOf(observation(tenantObject({}, { annotations: PAUSED }))),
    { kind: 'Paused' },
  ],
  [
    'an invalid resource is not applied',
    planOf(observation(tenantObject({ budget: { tokens: -1 } }), { record })),
    { kind: 'Invalid' },
  ],
  [
    'a deleted resource without a finalizer is left alone',
    planOf(observation(tenantObject({}, { deletedAt: DELETING.deletedAt }))),
    { kind: 'Leave' },
  ],
  [
    'a deleted resource releases its tenant',
    planOf(observation(deleting(), { record })),
    { kind: 'Release', tenant: 'acme', owner: OWNER },
  ],
  [
    'a deleted resource with Erase only releases a tenant that had memories before',
    planOf(
      observation(deleting({ reclaimPolicy: 'Erase' }), {
        record: { ...record, hadMemories: true },
      }),
    ),
    { kind: 'Release', tenant: 'acme', owner: OWNER },
  ],
  [
    'a deleted resource with Erase erases its tenant',
    planOf(observation(deleting({ reclaimPolicy: 'Erase' }), { record })),
    { kind: 'Erase', tenant: 'acme', owner: OWNER },
  ],
  [
    'an erasure continues after its release',
    planOf(
      observation(deleting({ reclaimPolicy: 'Erase' }), {
        record: { ...record, releasedAt: NOW },
      }),
    ),
    { kind: 'Erase' },
  ],
  [
    'an invalid deleted resource with Erase only releases its tenant',
    planOf(observation(deleting({ reclaimPolicy: 'Erase', budget: { tokens: -1 } }), { record })),
    { kind: 'Release' },
  ],
  [
    'a deleted resource does not touch the tenant of another owner',
    planOf(
      observation(deleting({ reclaimPolicy: 'Erase' }), { record: { ...record, owner: OTHER } }),
    ),
    { kind: 'Orphan', reason: 'NothingHeld' },
  ],
  [
    'force-release removes only the finalizer',
    planOf(observation(deleting({ reclaimPolicy: 'Erase' }, FORCED), { record })),
    { kind: 'Orphan', reason: 'ForceRelease' },
  ],
  [
    'a deleted resource waits while it is paused',
    planOf(observation(deleting({}, PAUSED), { record })),
    { kind: 'Paused' },
  ],
];

describe('the plan of a tenant', () => {
  test.each(SITUATIONS)('%s', (_, plan, expected) => {
    expect(plan).toMatchObject(expected);
  });

  test('a layer uses the policy created first, whatever the order', () => {
    const first = seenPolicy(layerPolicyObject({ updateOnChanges: 3 }, { name: 'b' }));
    const second = seenPolicy(
      layerPolicyObject({ updateOnChanges: 9 }, { name: 'a', createdAt: '2026-11-21T12:00:01Z' }),
    );
    const twin = seenPolicy(layerPolicyObject({ updateOnChanges: 5 }, { name: 'c' }));
    for (const policies of [
      [first, second, twin],
      [twin, second, first],
    ]) {
      expect(oldestPolicyByLayer(policies).get('team')?.object.metadata.name).toBe('b');
      expect(planOf({ ...plain, layerPolicies: policies })).toMatchObject({
        policy: { layers: { team: { updateOnChanges: 3 } } },
      });
    }
  });

  test.each([
    ['is invalid', layerPolicyObject({ updateOnChanges: -3 })],
    ['is paused', layerPolicyObject({ updateOnChanges: 9 }, { annotations: PAUSED })],
  ])('a layer whose policy %s keeps what was last applied', (_, object) => {
    const before = seenPolicy(layerPolicyObject({ updateOnChanges: 3 }));
    const applied = recordOf({ ...plain, layerPolicies: [before] });
    const after = { ...plain, layerPolicies: [seenPolicy(object)], record: applied };
    expect(planOf(after)).toMatchObject({ kind: 'Keep', hash: applied.hash });
  });

  test('a paused layer policy that was never applied does nothing', () => {
    const paused = seenPolicy(layerPolicyObject({ updateOnChanges: 9 }, { annotations: PAUSED }));
    expect(planOf({ ...plain, layerPolicies: [paused] })).toMatchObject({ hash: record.hash });
  });

  test('another model of the namespace changes the policy', () => {
    const models = { economy: null, standard: { provider: 'local', model: 'small' } };
    const plan = planOf({ ...plain, models, record });
    expect(plan).toMatchObject({ kind: 'Apply', policy: { models } });
  });
});
