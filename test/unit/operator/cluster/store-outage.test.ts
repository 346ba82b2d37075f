/** The status of resources while the store is unavailable. */
import { describe, expect, test } from 'vitest';
import type { KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import { VarveError } from '#core/errors.ts';
import type { Store } from '#core/ports/store.ts';
import {
  DEEP_DREAM,
  LAYER_SUMMARY_POLICY,
  MEMORY_TENANT,
  MODEL_PROVIDER,
} from '#crds/resource-types.ts';
import { isLastingOutage, isOfStore, StoreOutage } from '#operator/cluster/store-outage.ts';
import { outageCondition, providerOutage } from '#operator/cluster/tenant-conditions.ts';
import {
  statusConditions,
  conditionState,
  type ConditionState,
  FORCE_RELEASE_ANNOTATION,
} from '#operator/tenant/metadata-and-conditions.ts';
import { DURING_OUTAGE_MS } from '#operator/queue/reconcile-result.ts';
import { NOW } from '../policy-store.ts';
import { operatorFixture, RELEASE } from './operator-fixture.ts';
import {
  DELETING,
  dreamObject,
  layerPolicyObject,
  providerObject,
  tenantObject,
} from './resources.ts';

const EXTRACTIVE = { allowedNamespaces: ['*'], extractive: {} };
const MINUTE_MS = 60_000;

/** A status of the first generation whose Ready says so. */
function saying(status: 'True' | 'False', reason: string) {
  const at = { generation: 1, now: NOW, before: [] };
  return {
    status: { conditions: statusConditions({ Ready: conditionState(status, reason, '') }, at) },
  };
}

const AWAY = tenantObject({}, saying('False', 'StoreUnavailable'));

function verdict(object: unknown, type: 'Ready' | 'Accepted'): string {
  const { conditions } = (object ?? { conditions: [] }) as ReturnType<typeof saying>['status'];
  const condition = conditions.find((one) => one.type === type);
  return condition === undefined ? 'none' : `${condition.status} ${condition.reason}`;
}

describe('a ModelProvider during a store outage', () => {
  const local = (differing: object = {}) =>
    providerObject(EXTRACTIVE, { namespace: RELEASE, ...differing });

  test.each<[string, KubernetesObject, string, string]>([
    ['a new one', local(), 'Unknown StoreUnavailable', 'Unknown StoreUnavailable'],
    [
      'one that was ready',
      local(saying('True', 'Available')),
      'Unknown StoreUnavailable',
      'Unknown StoreUnavailable',
    ],
    [
      'one outside the namespace of the release',
      providerObject(EXTRACTIVE),
      'False WrongNamespace',
      'False WrongNamespace',
    ],
    [
      'an invalid one',
      providerObject({ allowedNamespaces: ['*'] }, { namespace: RELEASE }),
      'False InvalidSpec',
      'False InvalidSpec',
    ],
  ])('%s shows the conditions that are known', async (_, object, ready, accepted) => {
    const fixture = await operatorFixture({ listed: [object], isStoreAway: () => true });
    fixture.run();
    await fixture.time.pass(1_000);
    const status = fixture.status(MODEL_PROVIDER, 'local');
    expect([verdict(status, 'Ready'), verdict(status, 'Accepted')]).toEqual([ready, accepted]);
    expect(status).not.toHaveProperty('observedGeneration');
  });

  test('is checked twice a minute and shows when the store is back', async () => {
    let isUnavailable = true;
    const fixture = await operatorFixture({ listed: [local()], isStoreAway: () => isUnavailable });
    fixture.run();
    await fixture.time.pass(10 * MINUTE_MS);
    const written = fixture.writes.filter((write) => write === 'apply ModelProvider local');
    expect(written.length).toBeGreaterThan(1);
    expect(written.length).toBeLessThanOrEqual((10 * MINUTE_MS) / DURING_OUTAGE_MS);
    isUnavailable = false;
    await fixture.time.pass(MINUTE_MS);
    expect(verdict(fixture.status(MODEL_PROVIDER, 'local'), 'Ready')).toBe('True NotAskedYet');
  });

  test('a store that refuses its work is named with its code', () => {
    const { message } = providerOutage(REFUSED);
    expect(message).toContain('refuses its work (PROVIDER_REJECTED)');
    expect(message).toContain('See why with: varve doctor');
    expect(providerOutage(UNANSWERED).message).toContain('The store does not answer');
  });
});

const WAITING: readonly (readonly [
  ResourceType,
  string,
  (written?: object) => KubernetesObject,
])[] = [
  [LAYER_SUMMARY_POLICY, 'acme-team', (written = {}) => layerPolicyObject({}, written)],
  [DEEP_DREAM, 'nightly', (written = {}) => dreamObject({}, written)],
];

describe.each(WAITING)('a $kind during a store outage', (type, name, made) => {
  async function statusOf(listed: readonly KubernetesObject[]): Promise<unknown> {
    const fixture = await operatorFixture({ listed, isStoreAway: () => true });
    fixture.run();
    await fixture.time.pass(5 * MINUTE_MS);
    return fixture.status(type, name);
  }

  test('shows the outage and where to look if it is new', async () => {
    const status = await statusOf([AWAY, made()]);
    expect(verdict(status, 'Ready')).toBe('Unknown StoreUnavailable');
    expect(verdict(status, 'Accepted')).toBe('True Accepted');
    expect(JSON.stringify(status)).toContain('kubectl describe memorytenant acme -n team-a');
    expect(status).not.toHaveProperty('observedGeneration');
  });

  test('shows that it is invalid if it is new', async () => {
    const broken = made();
    const status = await statusOf([AWAY, { ...broken, spec: { tenantRef: { name: 'acme' } } }]);
    expect(verdict(status, 'Ready')).toBe('False InvalidSpec');
  });

  test('keeps the conditions of its current version', async () => {
    expect(await statusOf([AWAY, made(saying('True', 'InForce'))])).toBeUndefined();
  });

  test('shows the outage if its conditions are of an earlier version', async () => {
    const object = made(saying('True', 'InForce'));
    const edited = { ...object, metadata: { ...object.metadata, generation: 2 } };
    expect(verdict(await statusOf([AWAY, edited]), 'Ready')).toBe('Unknown StoreUnavailable');
  });

  test('writes nothing while its tenant is about to be reconciled', async () => {
    expect(await statusOf([tenantObject(), made()])).toBeUndefined();
  });
});

const UNANSWERED = new VarveError('PROVIDER_ERROR', 'The store is unavailable.');
const REFUSED = new VarveError('PROVIDER_REJECTED', 'The password is another one.');

test.each<[string, ConditionState, string, string]>([
  [
    'a store that refuses its work is named',
    outageCondition(tenantObject(), REFUSED),
    'StoreUnavailable',
    'The store refuses its work (PROVIDER_REJECTED)',
  ],
  [
    'a deletion blocked by a store that refuses its work says so',
    outageCondition(tenantObject({}, DELETING), REFUSED),
    'CleanupBlocked',
    'The store refuses its work (PROVIDER_REJECTED)',
  ],
  [
    'a store that does not answer leaves the last policy in force',
    outageCondition(tenantObject(), UNANSWERED),
    'StoreUnavailable',
    'the last applied policy stays in force',
  ],
  [
    'a deletion blocked by the store names the command to force it',
    outageCondition(tenantObject({}, DELETING), UNANSWERED),
    'CleanupBlocked',
    `kubectl annotate memorytenant acme -n team-a ${FORCE_RELEASE_ANNOTATION}=true`,
  ],
])('a tenant during a store outage: %s', (_, { status, reason, message }, expected, text) => {
  expect([status, reason]).toEqual(['False', expected]);
  expect(message).toContain(text);
});

const OF_THE_API = { details: { httpStatus: 503 } };

test.each<[VarveError, boolean]>([
  [UNANSWERED, true],
  [REFUSED, true],
  [new VarveError('CORRUPT', 'A record cannot be read.'), true],
  [new VarveError('TIMEOUT', 'The store takes too long.'), true],
  [new VarveError('PROVIDER_ERROR', 'The API server is unavailable.', OF_THE_API), false],
  [new VarveError('CANCELLED', 'This process leads no more.'), false],
])('whether %s is a failure of the store', (failure, expected) => {
  expect(isOfStore(failure)).toBe(expected);
});

test.each<[string, unknown, number, boolean]>([
  ['at the first attempts', UNANSWERED, 3, false],
  ['for longer', UNANSWERED, 4, true],
  ['of a fenced leader', new VarveError('CANCELLED', 'Fenced.'), 9, false],
  ['of the API server', new VarveError('PROVIDER_ERROR', 'Away.', OF_THE_API), 9, false],
  ['of the program', new TypeError('a mistake'), 9, false],
])('whether a failure %s counts as a store outage: %#', (_, failure, attempt, expected) => {
  expect(isLastingOutage(failure, attempt)).toBe(expected);
});

describe('a store that answers no reconcile', () => {
  test('is reported at the first attempt of any tenant after half a minute', () => {
    const outage = new StoreOutage();
    expect(outage.isLasting(UNANSWERED, 1, 0)).toBe(false);
    expect(outage.isLasting(UNANSWERED, 1, 30_000)).toBe(false);
    expect(outage.isLasting(UNANSWERED, 1, 30_001)).toBe(true);
  });

  test('is not reported if it answered meanwhile', () => {
    const outage = new StoreOutage();
    outage.isLasting(UNANSWERED, 1, 0);
    outage.answered();
    expect(outage.isLasting(UNANSWERED, 1, 40_000)).toBe(false);
  });

  test('is not measured by failures of the API server', () => {
    const outage = new StoreOutage();
    outage.isLasting(new VarveError('PROVIDER_ERROR', 'Away.', OF_THE_API), 1, 0);
    expect(outage.isLasting(UNANSWERED, 1, 40_000)).toBe(false);
  });

  test('is in the status of each of many tenants within a minute', async () => {
    const names = Array.from({ length: 16 }, (_, at) => `tenant-${String(at)}`);
    const listed = names.map((name) => tenantObject({}, { name }));
    const store = silentStore(() => fixture.time.timers().wait(5_000, NEVER));
    const fixture = await operatorFixture({ listed, options: { store } });
    fixture.run();
    await fixture.time.pass(MINUTE_MS);
    const verdicts = names.map((name) => verdict(fixture.status(MEMORY_TENANT, name), 'Ready'));
    expect(verdicts).toEqual(names.map(() => 'False StoreUnavailable'));
  });
});

const NEVER = new AbortController().signal;

/** A store, each call of which fails after a timeout. */
function silentStore(timeout: () => Promise<void>): Store {
  const call = async () => {
    await timeout();
    throw UNANSWERED;
  };
  const records = new Proxy({}, { get: () => call });
  return new Proxy({}, { get: () => records }) as Store;
}
