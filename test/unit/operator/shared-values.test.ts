import { describe, expect, test } from 'vitest';

import { defaultPolicy } from '#core/records/policy.ts';
import { TenantViews } from '#operator/cluster/last-reconcile.ts';
import { SharedValues } from '#operator/shared-values.ts';
import { ownerOf } from '#test/conformance/samples.ts';

describe('values that many have', () => {
  test('equal values are one, and others stay what they are', () => {
    const shared = new SharedValues();
    const first = shared.of({ depths: ['sentence'] });
    expect(shared.of({ depths: ['sentence'] })).toBe(first);
    expect(shared.of({ depths: ['paragraph'] })).toEqual({ depths: ['paragraph'] });
    expect([shared.of(null), shared.of('a'), shared.of(7)]).toEqual([null, 'a', 7]);
  });

  test('the value that was used longest ago is forgotten first', () => {
    const shared = new SharedValues(2);
    const [a, b] = [shared.of({ a: 1 }), shared.of({ b: 1 })];
    expect(shared.of({ a: 1 })).toBe(a);
    shared.of({ c: 1 });
    expect(shared.of({ a: 1 })).toBe(a);
    expect(shared.of({ b: 1 })).not.toBe(b);
  });
});

test('what was found of two tenants shares the settings that they have alike', () => {
  const views = new TenantViews();
  const budget = { ...defaultPolicy('b').budget, limitTokens: 5 };
  for (const [key, more] of [
    ['a', {}],
    ['b', { budget }],
  ] as const) {
    const policy = { ...defaultPolicy(key), ...more };
    const moment = { generation: 1, hash: 'h', appliedAt: 0, epoch: 0, releasedAt: null };
    const record = { ...moment, tenant: key, owner: ownerOf(key), policy };
    views.put(key, { uid: key, tenant: key, record, facts: null, limits: null });
    expect(views.get(key)?.record).toEqual(record);
  }
  const [a, b] = ['a', 'b'].map((key) => views.get(key)?.record?.policy);
  expect(a?.layers).toBe(b?.layers);
  expect(a?.budget).not.toEqual(b?.budget);
});
