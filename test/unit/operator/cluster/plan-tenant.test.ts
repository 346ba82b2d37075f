/** What is to be done about a MemoryTenant: a table of situations and sentences. */
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
    'a tenant that the store does not know is applied, expecting nothing there',
    planOf(plain),
    { kind: 'Apply', expectedGeneration: null, takesOver: null, reason: 'New', isDrift: false },
  ],
  ['an equal policy is kept', planOf({ ...plain, record }), { kind: 'Keep', generation: 1 }],
  [
    'another budget is applied over the generation that was seen, with the difference',
    planOf(observation(tenantObject({ budget: { tokens: 5 } }), { record })),
    { kind: 'Apply', expectedGeneration: 1, reason: 'Changed: budget.tokens none → 5' },
  ],
  [
    'a policy that was enforced and is another one now was changed by somebody else',
    planOf({
      ...plain,
      record: { ...record, hash: 'edited', generation: 4 },
      enforcedHash: { generation: 3, hash: record.hash },
    }),
    { kind: 'Apply', expectedGeneration: 4, isDrift: true },
  ],
  [
    'a policy that the store lost is put back as one that was there',
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
      `a tenant that ${owner.cluster}/${owner.namespace} released is not this namespace’s`,
      planOf({ ...plain, record: { ...record, owner, releasedAt: NOW }, isOwnerGone: true }),
      { kind: 'Claimed', owner, isReleased: true },
    ],
    [
      `a claim of ${owner.cluster}/${owner.namespace} without a resource is not taken over`,
      planOf({ ...plain, record: { ...record, owner }, isOwnerGone: true }),
      { kind: 'Claimed', owner, isReleased: false },
    ],
  ]),
  [
    'a tenant that its owner released, and whose resource still goes, is not touched yet',
    planOf({ ...plain, record: { ...record, owner: OTHER, releasedAt: NOW } }),
    { kind: 'Claimed', owner: OTHER },
  ],
  [
    'a released tenant without a resource is claimed, its claim being free',
    planOf({ ...plain, record: { ...record, owner: OTHER, releasedAt: NOW }, isOwnerGone: true }),
    { kind: 'Apply', takesOver: null, expectedGeneration: 1 },
  ],
  [
    'a tenant whose resource went without letting go is taken over',
    planOf({ ...plain, record: { ...record, owner: OTHER }, isOwnerGone: true }),
    { kind: 'Apply', takesOver: OTHER, expectedGeneration: 1 },
  ],
  [
    'a tenant that was released and is declared by the same resource is applied again',
    planOf({ ...plain, record: { ...record, releasedAt: NOW } }),
    { kind: 'Apply', takesOver: null, expectedGeneration: 1 },
  ],
  [
    'of a paused resource nothing is applied',
    planOf(observation(tenantObject({}, { annotations: PAUSED }))),
    { kind: 'Paused' },
  ],
  [
    'what can not be read is told and not applied',
    planOf(observation(tenantObject({ budget: { tokens: -1 } }), { record })),
    { kind: 'Invalid' },
  ],
  [
    'a resource that goes and holds nothing is left alone',
    planOf(observation(tenantObject({}, { deletedAt: DELETING.deletedAt }))),
    { kind: 'Leave' },
  ],
  [
    'a resource that goes frees its tenant',
    planOf(observation(deleting(), { record })),
    { kind: 'Release', tenant: 'acme', owner: OWNER },
  ],
  [
    'a resource that goes with Erase leaves what was there before its claim',
    planOf(
      observation(deleting({ reclaimPolicy: 'Erase' }), {
        record: { ...record, hadMemories: true },
      }),
    ),
    { kind: 'Release', tenant: 'acme', owner: OWNER },
  ],
  [
    'a resource that goes with Erase has everything erased',
    planOf(observation(deleting({ reclaimPolicy: 'Erase' }), { record })),
    { kind: 'Erase', tenant: 'acme', owner: OWNER },
  ],
  [
    'an erasure goes on after the release that it began with',
    planOf(
      observation(deleting({ reclaimPolicy: 'Erase' }), {
        record: { ...record, releasedAt: NOW },
      }),
    ),
    { kind: 'Erase' },
  ],
  [
    'what can not be read is no order to erase',
    planOf(observation(deleting({ reclaimPolicy: 'Erase', budget: { tokens: -1 } }), { record })),
    { kind: 'Release' },
  ],
  [
    'a resource that goes and has no tenant takes nobody else’s with it',
    planOf(
      observation(deleting({ reclaimPolicy: 'Erase' }), { record: { ...record, owner: OTHER } }),
    ),
    { kind: 'Orphan', reason: 'NothingHeld' },
  ],
  [
    'with force-release only the finaliser goes',
    planOf(observation(deleting({ reclaimPolicy: 'Erase' }, FORCED), { record })),
    { kind: 'Orphan', reason: 'ForceRelease' },
  ],
  [
    'a paused resource that goes waits until it is paused no more',
    planOf(observation(deleting({}, PAUSED), { record })),
    { kind: 'Paused' },
  ],
];

describe('the plan of a tenant', () => {
  test.each(SITUATIONS)('%s', (_, plan, expected) => {
    expect(plan).toMatchObject(expected);
  });

  test('a layer has the policy that was made first, whatever the order', () => {
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
    ['can not be read', layerPolicyObject({ updateOnChanges: -3 })],
    ['is paused', layerPolicyObject({ updateOnChanges: 9 }, { annotations: PAUSED })],
  ])('a layer whose policy %s keeps what was last applied', (_, object) => {
    const before = seenPolicy(layerPolicyObject({ updateOnChanges: 3 }));
    const applied = recordOf({ ...plain, layerPolicies: [before] });
    const after = { ...plain, layerPolicies: [seenPolicy(object)], record: applied };
    expect(planOf(after)).toMatchObject({ kind: 'Keep', hash: applied.hash });
  });

  test('a layer policy that was never applied does nothing while it is paused', () => {
    const paused = seenPolicy(layerPolicyObject({ updateOnChanges: 9 }, { annotations: PAUSED }));
    expect(planOf({ ...plain, layerPolicies: [paused] })).toMatchObject({ hash: record.hash });
  });

  test('another model of the namespace is another policy', () => {
    const models = { economy: null, standard: { provider: 'local', model: 'small' } };
    const plan = planOf({ ...plain, models, record });
    expect(plan).toMatchObject({ kind: 'Apply', policy: { models } });
  });
});
