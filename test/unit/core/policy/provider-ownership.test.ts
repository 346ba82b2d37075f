/** Who may write a model provider, and what happens to the results of its checks. */
import { describe, expect, test } from 'vitest';
import { decideProvider, decideRemoval, withCheck } from '#core/policy/policy-ownership.ts';
import type { ModelProviderWrite } from '#core/ports/policy-records.ts';
import type {
  ModelProvider,
  ModelProviderRecord,
  ProviderCheck,
} from '#core/records/model-provider.ts';
import type { Owner } from '#core/records/policy.ts';
import { MINUTE_MS, NOW } from '#test/conformance/samples.ts';

const OWNER: Owner = { cluster: 'east', namespace: 'varve', name: 'small', uid: 'uid-1' };
const EXTRACTIVE: ModelProvider = { extractive: {}, allowedNamespaces: ['shop'] };
const CHECK: ProviderCheck = { at: NOW, state: 'Available', code: null, since: NOW - 50 };
const RECORD: ModelProviderRecord = {
  name: 'small',
  owner: OWNER,
  generation: 4,
  hash: 'h',
  provider: EXTRACTIVE,
  appliedAt: NOW - 90,
  createdAt: NOW - 99,
  epoch: 6,
  check: CHECK,
};
const NEW_PROVIDER: ModelProvider = { extractive: {}, allowedNamespaces: ['*'] };
const REBORN: Owner = { ...OWNER, uid: 'uid-2' };
const STRANGERS: readonly [string, Owner][] = [
  ['another namespace', { ...OWNER, namespace: 'bank' }],
  ['another cluster', { ...OWNER, cluster: 'west' }],
];

function put(
  record: ModelProviderRecord | null,
  { owner = OWNER, fence = 0, ...write }: Partial<ModelProviderWrite> & PutDiffering = {},
) {
  const wish = { name: 'small', owner, provider: NEW_PROVIDER };
  return decideProvider({ record, fence }, wish, { hash: 'h-2', now: NOW, epoch: 6, ...write });
}

interface PutDiffering {
  readonly owner?: Owner;
  readonly fence?: number;
}

describe('a resource that declares a provider', () => {
  const declared = { name: 'small', owner: OWNER, hash: 'h-2', provider: NEW_PROVIDER };

  test('creates it as the first generation, unchecked, if the name is free', () => {
    const record = { ...declared, generation: 1, appliedAt: NOW, epoch: 6, check: null };
    expect(put(null)).toStrictEqual({ kind: 'Applied', record });
    expect(put(null, { createdAt: 5 })).toEqual({
      kind: 'Applied',
      record: { ...record, createdAt: 5 },
    });
  });

  test('changes it as the next generation, to be checked again', () => {
    const record = { generation: 5, appliedAt: NOW, check: null };
    expect(put(RECORD)).toMatchObject({ kind: 'Applied', record: { ...declared, ...record } });
  });

  test('takes it over after being recreated under the same name', () => {
    const record = { owner: REBORN, generation: 5, check: null };
    for (const hash of ['h', 'h-2']) {
      expect(put(RECORD, { owner: REBORN, hash })).toMatchObject({ kind: 'Applied', record });
    }
  });

  test('writes nothing if it declares the same, with the same or no creation time', () => {
    for (const made of [{}, { createdAt: NOW - 99 }]) {
      expect(put(RECORD, { hash: 'h', ...made })).toEqual({ kind: 'Unchanged', record: RECORD });
    }
  });

  test('keeps the check if only the creation time becomes known', () => {
    expect(put(RECORD, { hash: 'h', createdAt: 5, epoch: 7 })).toEqual({
      kind: 'Applied',
      record: { ...RECORD, createdAt: 5, epoch: 7 },
    });
  });

  test('is written without an epoch from a folder, which has no leaders', () => {
    const wish = { name: 'small', owner: OWNER, provider: NEW_PROVIDER };
    const result = decideProvider({ record: null, fence: 0 }, wish, { hash: 'h', now: NOW });
    expect(result).toMatchObject({ kind: 'Applied', record: { epoch: 0 } });
  });
});

describe('a provider cannot be changed or removed', () => {
  test.each(STRANGERS)('by %s', (_, owner) => {
    expect(put(RECORD, { owner })).toEqual({ kind: 'Claimed', owner: OWNER });
    const removal = decideRemoval({ record: RECORD, fence: 0 }, owner, 6);
    expect(removal).toEqual({ kind: 'Claimed', owner: OWNER });
  });

  test.each<[string, number, number, number]>([
    ['wrote', 0, 5, 6],
    ['announced itself', 8, 7, 8],
  ])('by a leader if a later one %s', (_, fence, epoch, later) => {
    const fenced = { kind: 'Fenced', epoch: later };
    expect(put(RECORD, { fence, epoch })).toEqual(fenced);
    expect(decideRemoval({ record: RECORD, fence }, OWNER, epoch)).toEqual(fenced);
  });

  test('by a leader that would create it after a later one announced itself', () => {
    expect(put(null, { fence: 8, epoch: 7 })).toEqual({ kind: 'Fenced', epoch: 8 });
  });
});

test('deleting a resource removes its provider, even after the resource was recreated', () => {
  for (const owner of [OWNER, REBORN]) {
    const removal = decideRemoval({ record: RECORD, fence: 0 }, owner, 6);
    expect(removal).toEqual({ kind: 'Removed' });
  }
  expect(decideRemoval({ record: null, fence: 9 }, OWNER, 6)).toEqual({ kind: 'Absent' });
});

describe('the check of a provider by a worker', () => {
  const found = { hash: 'h', at: NOW + 10, state: 'Available', code: null } as const;

  test('is recorded as the first check, with the time of the request', () => {
    const check = { at: NOW + 10, state: 'Available', code: null, since: NOW + 10 };
    const unchecked = { ...RECORD, check: null };
    expect(withCheck(unchecked, found)).toEqual({ ...unchecked, check });
  });

  test('keeps its start time if the state is unchanged', () => {
    expect(withCheck(RECORD, found)?.check).toEqual({ ...CHECK, at: NOW + 10 });
  });

  test('starts a new time if the state changed', () => {
    const failed = { ...found, state: 'Unavailable', code: 'TIMEOUT' } as const;
    const check = { at: NOW + 10, state: 'Unavailable', code: 'TIMEOUT', since: NOW + 10 };
    expect(withCheck(RECORD, failed)?.check).toEqual(check);
  });

  test('is ignored for a provider that has changed or is gone', () => {
    expect(withCheck(RECORD, { ...found, hash: 'h-0' })).toBeNull();
    expect(withCheck(null, found)).toBeNull();
  });

  test.each<[string, number, boolean]>([
    ['is recorded at the same time', 0, true],
    ['is ignored a moment before the last check', 1, false],
    ['is ignored three minutes before the last check', 3 * MINUTE_MS, false],
    ['is recorded if still earlier, since the last clock was wrong', 3 * MINUTE_MS + 1, true],
  ])('%s', (_, beforeMs, isNoted) => {
    const at = NOW - beforeMs;
    expect(withCheck(RECORD, { ...found, at })?.check?.at).toBe(isNoted ? at : undefined);
  });
});
