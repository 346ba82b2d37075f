/** When a status is written, and what a change makes the operator look at. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { conditionsOf, found } from '#operator/tenant/conditions.ts';
import {
  keysOfDream,
  keysOfLayerPolicy,
  keysOfProvider,
  keysOfTenant,
  type Keys,
} from '#operator/cluster/controllers.ts';
import { keyOf, placeOfKey } from '#operator/tenant/resource-key.ts';
import { INDEXES, ResourceLister, type ObjectSource } from '#operator/cluster/resource-lister.ts';
import { AppliedPolicies, RESYNC_MS } from '#operator/tenant/applied-policies.ts';
import { newsOf } from '#operator/cluster/write-status.ts';
import { COUNTERS_EVERY_MS, statusDecision } from '#operator/cluster/status-writer.ts';
import { createObjectCache } from '#operator/informer/object-cache.ts';
import { NOW } from '../policy-store.ts';
import {
  dreamObject,
  layerPolicyObject,
  NAMESPACE,
  providerObject,
  tenantObject,
} from './resources.ts';

const READY = found('True', 'InForce', 'All is well.');
const AT = { generation: 1, now: NOW };

describe('conditions', () => {
  test('the time moves with the status and with nothing else', () => {
    const [first] = conditionsOf({ Ready: READY }, [], AT);
    const later = { generation: 2, now: NOW + 60_000 };
    const before = first === undefined ? [] : [first];
    const other = found('True', 'Better', 'Still well.');
    expect(conditionsOf({ Ready: other }, before, later)).toMatchObject([
      { reason: 'Better', observedGeneration: 2, lastTransitionTime: '2026-11-21T12:00:00Z' },
    ]);
    const bad = found('False', 'Broken', 'Not well.');
    expect(conditionsOf({ Ready: bad }, before, later)).toMatchObject([
      { status: 'False', lastTransitionTime: '2026-11-21T12:01:00Z' },
    ]);
  });

  test('what turns is an Event once; that all is well from the first is none', () => {
    const object = tenantObject();
    const good = conditionsOf({ Ready: READY, Accepted: found('True', 'Accepted', '') }, [], AT);
    const refused = found('False', 'InvalidSpec', 'A mistake.');
    const bad = conditionsOf({ Ready: refused, Accepted: refused }, good, AT);
    expect(newsOf(object, [], good)).toEqual([]);
    expect(newsOf(object, good, bad)).toMatchObject([
      { type: 'Warning', reason: 'InvalidSpec', action: 'CheckAccepted', note: 'A mistake.' },
    ]);
    expect(newsOf(object, bad, bad)).toEqual([]);
    expect(newsOf(object, bad, good).map(({ type }) => type)).toEqual(['Normal', 'Normal']);
  });
});

describe('the one status write', () => {
  const status = (fresh: number, reason = 'InForce') => ({
    conditions: conditionsOf({ Ready: found('True', reason, '') }, [], AT),
    freshness: { fresh },
  });

  test.each([
    ['the same is not written', status(1), status(1), null, 'Same'],
    ['the first is written', undefined, status(1), null, 'Write'],
    ['a condition is written at once', status(1), status(1, 'Other'), NOW, 'Write'],
    ['a number is written once nobody did a moment ago', status(1), status(2), null, 'Write'],
    ['a number waits a minute for the next', status(1), status(2), NOW - 1_000, 'Later'],
    ['and no longer', status(1), status(2), NOW - COUNTERS_EVERY_MS, 'Write'],
  ] as const)('%s', (...[, before, after, writtenAt, expected]) => {
    expect(statusDecision(before, after, { now: NOW, writtenAt }).kind).toBe(expected);
  });

  test('fields in another order are no difference', () => {
    const at = { now: NOW, writtenAt: null };
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        const turned = Object.fromEntries(Object.entries(fields).toReversed());
        expect(statusDecision(fields, turned, at)).toEqual({ kind: 'Same' });
      }),
    );
  });
});

describe('what was carried out', () => {
  test('counts for a quarter of an hour, for the same policy, and until it expires', () => {
    const appliedPolicies = new AppliedPolicies();
    expect(appliedPolicies.isDue('acme', 'h', NOW)).toBe(true);
    appliedPolicies.done('acme', { hash: 'h', now: NOW, random: 0.5 });
    expect(appliedPolicies.isDue('acme', 'h', NOW + RESYNC_MS)).toBe(false);
    expect(appliedPolicies.isDue('acme', 'h', NOW + RESYNC_MS * 1.2)).toBe(true);
    expect(appliedPolicies.isDue('acme', 'other', NOW)).toBe(true);
    appliedPolicies.expire();
    expect(appliedPolicies.isDue('acme', 'h', NOW)).toBe(true);
    expect(appliedPolicies.isKnown('acme', 'h')).toBe(true);
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

describe('what a change asks for', () => {
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
    status: { conditions: conditionsOf({ Ready: found('True', reason, '') }, [], AT) },
  });

  test('a tenant is looked at with what names it', () => {
    const keys = keysOfTenant({ old: null, new: tenant }, seen);
    expect(keys.tenants).toEqual(['team-a/acme']);
    expect(keys.layerPolicies.toSorted()).toEqual(['team-a/acme-team', 'team-a/second']);
  });

  test('a status alone brings nothing back but those who show its reason', () => {
    const [a, b] = [withStatus(tenant, 'A'), withStatus(tenant, 'B')];
    expect(keysOfTenant({ old: a, new: { ...a } }, seen)).toEqual(none);
    const keys = keysOfTenant({ old: a, new: b }, seen);
    expect(keys.tenants).toEqual([]);
    expect(keys.layerPolicies).toHaveLength(2);
    expect(keysOfLayerPolicy({ old: policy, new: withStatus(policy, 'A') }, seen)).toEqual(none);
  });

  test('when a tenant goes, who waits for its id is looked at', () => {
    const left = seenOf({ tenants: [rival] });
    expect(keysOfTenant({ old: tenant, new: null }, left).tenants).toEqual([
      'team-a/acme',
      'team-b/rival',
    ]);
  });

  test('a layer policy asks for its tenant and for those of the same tenant', () => {
    const keys = keysOfLayerPolicy({ old: beside, new: null }, seen);
    expect(keys.tenants).toEqual(['team-a/acme']);
    expect(keys.layerPolicies).toContain('team-a/acme-team');
  });

  test('a dream asks for its tenant and for those of the same tenant', () => {
    const [dream, other] = [dreamObject({}), dreamObject({}, { name: 'weekly' })];
    const dreaming = seenOf({ tenants: [tenant], dreams: [other] });
    const keys = keysOfDream({ old: dream, new: null }, dreaming);
    expect(keys).toEqual({
      ...none,
      tenants: ['team-a/acme'],
      dreams: ['team-a/nightly', 'team-a/weekly'],
    });
    expect(keysOfDream({ old: dream, new: withStatus(dream, 'A') }, dreaming)).toEqual(none);
    const changed = { old: null, new: tenant };
    expect(keysOfTenant(changed, dreaming).dreams).toEqual(['team-a/weekly']);
    const turned = { old: withStatus(tenant, 'A'), new: withStatus(tenant, 'B') };
    expect(keysOfTenant(turned, dreaming)).toEqual({ ...none, dreams: ['team-a/weekly'] });
  });

  test('a provider asks for the tenants that it serves or served', () => {
    expect(keysOfProvider({ old: null, new: some }, seen).tenants).toEqual(['team-b/rival']);
    const wider = { ...everyone, metadata: { ...everyone.metadata, generation: 2 } };
    const keys = keysOfProvider({ old: some, new: wider }, seen);
    expect(keys.tenants.toSorted()).toEqual(['team-a/acme', 'team-b/rival']);
    expect(keys.providers).toEqual([`${NAMESPACE}/local`]);
  });

  test('a key is a place and back', () => {
    const place = { namespace: 'team-a', name: 'a.b' };
    expect(placeOfKey(keyOf(place))).toEqual(place);
  });
});
