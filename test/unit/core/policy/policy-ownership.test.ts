/** Who may declare, release, move and erase a tenant. */
import { describe, expect, test } from 'vitest';
import {
  decideMove,
  decidePut,
  decideRelease,
  mayFollow,
  requireErasable,
} from '#core/policy/policy-ownership.ts';
import type { PolicyWrite } from '#core/ports/policy-records.ts';
import type { Owner, PolicyRecord } from '#core/records/policy.ts';
import { NOW, policyOf } from '#test/conformance/samples.ts';

const OWNER: Owner = { cluster: 'east', namespace: 'shop', name: 'acme', uid: 'uid-1' };
const RECORD: PolicyRecord = {
  tenant: 'acme',
  owner: OWNER,
  generation: 4,
  hash: 'h',
  policy: policyOf('acme', 500),
  appliedAt: NOW - 9,
  epoch: 6,
  releasedAt: null,
};
const RELEASED: PolicyRecord = { ...RECORD, releasedAt: NOW - 1 };
const NEW_POLICY = policyOf('acme', 700);

/** Resources other than the owner's, by how they differ from it. */
const OTHERS: readonly [string, Owner][] = [
  ['a resource recreated under the same name', { ...OWNER, uid: 'uid-2' }],
  ['a resource with another name', { ...OWNER, name: 'other', uid: 'uid-2' }],
  ['a resource in another namespace', { ...OWNER, namespace: 'bank' }],
  ['a resource in another cluster', { ...OWNER, cluster: 'west' }],
];

function put(
  record: PolicyRecord | null,
  { owner = OWNER, fence = 0, ...write }: Partial<PolicyWrite> & { owner?: Owner; fence?: number },
) {
  const changed = { hash: 'h-2', now: NOW, epoch: 6, ...write };
  return decidePut({ record, fence }, { owner, policy: NEW_POLICY }, changed);
}

describe('a resource that declares a tenant', () => {
  test('claims a tenant without an owner', () => {
    const record = {
      ...{ tenant: 'acme', owner: OWNER, generation: 1, hash: 'h-2', policy: NEW_POLICY },
      ...{ appliedAt: NOW, epoch: 6, releasedAt: null },
    };
    expect(put(null, {})).toEqual({ kind: 'Applied', record });
  });

  test('changes its own tenant as the next generation', () => {
    const record = { ...RECORD, generation: 5, hash: 'h-2', policy: NEW_POLICY, appliedAt: NOW };
    expect(put(RECORD, {})).toEqual({ kind: 'Applied', record });
  });

  test('writes nothing if it declares the same again', () => {
    expect(put(RECORD, { hash: 'h' })).toEqual({ kind: 'Unchanged', record: RECORD });
  });

  test('reclaims its tenant after a release, even with the same policy', () => {
    const record = { hash: 'h', generation: 5, releasedAt: null };
    expect(put(RELEASED, { hash: 'h' })).toMatchObject({ kind: 'Applied', record });
  });

  test.each(OTHERS)('changes nothing as %s while the owner holds the tenant', (_, owner) => {
    expect(put(RECORD, { owner })).toEqual({ kind: 'Claimed', owner: OWNER });
  });

  test.each(OTHERS.slice(0, 2))('takes over a released tenant as %s', (_, owner) => {
    const record = { owner, generation: 5, releasedAt: null };
    expect(put(RELEASED, { owner })).toMatchObject({ kind: 'Applied', record });
    // The same policy of another owner is a new claim, not a repetition.
    expect(put(RELEASED, { owner, hash: 'h' })).toMatchObject({ kind: 'Applied', record });
  });

  test.each(OTHERS.slice(2))('does not take over a released tenant as %s', (_, owner) => {
    expect(put(RELEASED, { owner })).toEqual({ kind: 'Claimed', owner: OWNER });
  });

  test.each<[string, number | null | undefined, string]>([
    ['applies its policy if it saw the current generation', 4, 'Applied'],
    ['applies its policy if it names no generation', undefined, 'Applied'],
    ['is refused if it saw an earlier generation', 3, 'Changed'],
    ['is refused if it saw no tenant', null, 'Changed'],
  ])('%s', (_, expectedGeneration, kind) => {
    const write = expectedGeneration === undefined ? {} : { expectedGeneration };
    expect(put(RECORD, write)).toMatchObject({ kind, record: { tenant: 'acme' } });
  });

  test('is refused if the tenant it saw is gone, and claims one it expected to be absent', () => {
    expect(put(null, { expectedGeneration: 4 })).toEqual({ kind: 'Changed', record: null });
    expect(put(null, { expectedGeneration: null })).toMatchObject({ kind: 'Applied' });
  });

  test('learns of the owner rather than of its late leader', () => {
    const owner = { ...OWNER, namespace: 'bank' };
    expect(put(RECORD, { owner, epoch: 1 })).toMatchObject({ kind: 'Claimed' });
  });

  test.each<[string, boolean | undefined, boolean | undefined, boolean]>([
    ['that exist before the first claim are recorded', undefined, true, true],
    ['that do not exist before the first claim are not recorded', undefined, false, false],
    ['recorded once stay recorded', true, false, true],
    ['added after the first claim are not recorded', false, true, false],
  ])('memories %s', (_, noted, hadMemories, expected) => {
    const had = noted === true ? { hadMemories: true as const } : {};
    const before = noted === undefined ? null : { ...RECORD, ...had };
    const result = put(before, hadMemories === undefined ? {} : { hadMemories });
    const record = result.kind === 'Applied' ? result.record : null;
    expect(record).not.toBeNull();
    expect(record?.hadMemories).toBe(expected ? true : undefined);
  });
});

/** A leader writes with its epoch; a later leader of the cluster ends it. */
describe('a leader of the operator', () => {
  const west = { ...OWNER, cluster: 'west' };

  test.each<[string, PolicyRecord | null, Owner, number, number, number | null]>([
    ['that follows an earlier writer', RECORD, OWNER, 0, 7, null],
    ['that wrote before', RECORD, OWNER, 0, 6, null],
    ['that precedes a later writer', RECORD, OWNER, 0, 5, 6],
    ['that precedes one that announced itself', RECORD, OWNER, 8, 7, 8],
    ['that precedes one that announced itself, without a tenant', null, OWNER, 8, 7, 8],
    ['that announced itself', RECORD, OWNER, 8, 8, null],
    ['without a tenant', null, OWNER, 0, 0, null],
  ])('%s writes and releases only if it leads', (_, record, owner, fence, epoch, later) => {
    const fenced = { kind: 'Fenced', epoch: later };
    const written = put(record, { owner, fence, epoch });
    const released = decideRelease({ record, fence }, owner, { now: NOW, epoch });
    if (later === null) {
      expect(written).toMatchObject({ kind: 'Applied', record: { epoch } });
      expect(released.kind).toBe(record === null ? 'Absent' : 'Released');
      return;
    }
    expect(written).toEqual(fenced);
    expect(released).toEqual(record === null ? { kind: 'Absent' } : fenced);
  });

  test('learns that it no longer leads before it learns that nothing changed', () => {
    expect(put(RECORD, { hash: 'h', epoch: 5 })).toEqual({ kind: 'Fenced', epoch: 6 });
    const state = { record: RELEASED, fence: 0 };
    expect(decideRelease(state, OWNER, { now: NOW, epoch: 5 })).toMatchObject({ kind: 'Fenced' });
  });

  test('erases what another cluster released, by the epochs of its own cluster only', () => {
    expect(() => {
      requireErasable({ record: null, fence: 3 }, { owner: west, epoch: 3 });
    }).not.toThrow();
  });

  test('of a folder writes and releases without an epoch', () => {
    const record = { ...RECORD, epoch: 0 };
    const write = { hash: 'h-2', now: NOW };
    const target = { owner: OWNER, policy: NEW_POLICY };
    expect(decidePut({ record, fence: 0 }, target, write)).toMatchObject({ record: { epoch: 0 } });
    expect(decideRelease({ record, fence: 0 }, OWNER, { now: NOW })).toEqual({
      kind: 'Released',
      record: { ...record, releasedAt: NOW },
    });
  });
});

describe('a resource that releases a tenant', () => {
  const release = (record: PolicyRecord | null, owner = OWNER) =>
    decideRelease({ record, fence: 0 }, owner, { now: NOW, epoch: 7 });

  test('releases its own tenant, which keeps its policy', () => {
    const record = { ...RECORD, epoch: 7, releasedAt: NOW };
    expect(release(RECORD)).toEqual({ kind: 'Released', record });
  });

  test('changes nothing the second time, or if there is no tenant', () => {
    expect(release(RELEASED)).toEqual({ kind: 'Unchanged', record: RELEASED });
    expect(release(null)).toEqual({ kind: 'Absent' });
  });

  test.each<[string, PolicyRecord, number | undefined, number | undefined]>([
    ['records the time of an erasure', RECORD, NOW + 9, NOW + 9],
    ['adds it to an earlier release', RELEASED, NOW + 9, NOW + 9],
    ['replaces it by another one', { ...RELEASED, erasesAt: NOW + 1 }, NOW + 9, NOW + 9],
    ['takes it back', { ...RELEASED, erasesAt: NOW + 1 }, undefined, undefined],
  ])('%s and keeps the time of the release', (_, record, erasesAt, expected) => {
    const write = { now: NOW, epoch: 7, erasesAt };
    const result = decideRelease({ record, fence: 0 }, OWNER, write);
    if (result.kind !== 'Released') throw new Error(result.kind);
    const releasedAt = record.releasedAt ?? NOW;
    expect(result.record.releasedAt).toBe(releasedAt);
    expect(result.record.erasesAt).toBe(expected);
    const again = decideRelease({ record: result.record, fence: 0 }, OWNER, write);
    expect(again).toEqual({ kind: 'Unchanged', record: result.record });
  });

  test.each([RECORD, RELEASED])('changes nothing of a generation that it did not see', (record) => {
    const write = { now: NOW, epoch: 7, generation: 3, erasesAt: NOW };
    expect(decideRelease({ record, fence: 0 }, OWNER, write)).toEqual({ kind: 'Changed', record });
  });

  test.each(OTHERS)('changes nothing as %s', (_, owner) => {
    expect(release(RECORD, owner)).toEqual({ kind: 'Claimed', owner: OWNER });
    expect(release(RELEASED, owner)).toEqual({ kind: 'Claimed', owner: OWNER });
  });
});

describe('an administrator who moves a tenant to another namespace', () => {
  test('moves a released tenant, which the new namespace may then declare', () => {
    const owner = { ...OWNER, namespace: 'bank' };
    expect(decideMove(RELEASED, 'bank')).toEqual({ kind: 'Moved', record: { ...RELEASED, owner } });
  });

  test('changes nothing if the tenant is in force, already there, or absent', () => {
    expect(decideMove(RECORD, 'bank')).toEqual({ kind: 'Claimed', owner: OWNER });
    expect(decideMove(RECORD, 'shop')).toEqual({ kind: 'Unchanged', record: RECORD });
    expect(decideMove(RELEASED, 'shop')).toEqual({ kind: 'Unchanged', record: RELEASED });
    expect(decideMove(null, 'bank')).toEqual({ kind: 'Absent' });
  });

  test.each(OTHERS)('lets %s follow the last owner only within its namespace', (_, next) => {
    const isNear = next.cluster === 'east' && next.namespace === 'shop';
    expect(mayFollow(OWNER, next)).toBe(isNear);
  });
});

describe('an owner that erases a tenant', () => {
  const erase =
    (record: PolicyRecord | null, owner: Owner, fence = 0, epoch = 6) =>
    () => {
      requireErasable({ record, fence }, { owner, epoch });
    };

  test('may erase a released or undeclared tenant', () => {
    expect(erase(RELEASED, OWNER)).not.toThrow();
    expect(erase(null, OWNER)).not.toThrow();
  });

  test('may not erase a tenant that it still holds', () => {
    expect(erase(RECORD, OWNER)).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  });

  test.each(OTHERS)('may not erase it as %s, released or not', (_, owner) => {
    for (const record of [RECORD, RELEASED]) {
      expect(erase(record, owner)).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
    }
  });

  test('may not erase it once a later leader wrote or announced itself', () => {
    expect(erase(RELEASED, OWNER, 0, 5)).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
    expect(erase(RELEASED, OWNER, 7)).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
    expect(erase(null, OWNER, 7)).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  });
});
