import { describe, expect, test } from 'vitest';
import {
  brokenAt,
  fingerprintOf,
  firstHash,
  isAsWritten,
  isNothing,
  isPendingOf,
  redactedTarget,
  erasureRevision,
  sealReceipt,
  withErased,
  withRecords,
} from '#core/erasure/erasure-receipt.ts';
import {
  FINGERPRINTS_MAX,
  type ErasureLedger,
  type ErasureReceipt,
  type PendingErasure,
} from '#core/records/erasure.ts';
import { digest, NOW, SECOND_MS } from '#test/conformance/samples.ts';

const BY = { digest, receiptId: 'r-1' };
const fingerprint = (kind: string, id: string) => fingerprintOf(digest, 'r-1', { kind, id });

describe('a fingerprint', () => {
  test('is the same only for the same receipt, kind and id', () => {
    const own = fingerprint('Memory', 'm-1');
    expect(own).toMatch(/^[\da-f]{32}$/u);
    expect(fingerprint('Memory', 'm-1')).toBe(own);
    expect(fingerprint('Turn', 'm-1')).not.toBe(own);
    expect(fingerprint('Memory', 'm-2')).not.toBe(own);
    expect(fingerprintOf(digest, 'r-2', { kind: 'Memory', id: 'm-1' })).not.toBe(own);
  });
});

describe('the findings of an erasure', () => {
  test('count by kind, and count an id once however often it is found', () => {
    const first = withErased([], { Turn: ['t-1', 't-1'], Memory: ['m-1'], Line: [] }, BY);
    expect(first).toEqual([
      { kind: 'Memory', count: 1, fingerprints: [fingerprint('Memory', 'm-1')] },
      { kind: 'Turn', count: 1, fingerprints: [fingerprint('Turn', 't-1')] },
    ]);
    const second = withErased(first, { Turn: ['t-1', 't-2'] }, BY);
    expect(second).toEqual([
      first[0],
      { kind: 'Turn', count: 2, fingerprints: ['t-1', 't-2'].map((id) => fingerprint('Turn', id)) },
    ]);
  });

  test('count more ids than the receipt lists, and never fewer than before', () => {
    const ids = Array.from({ length: FINGERPRINTS_MAX + 5 }, (_, n) => `m-${String(n)}`);
    const [many] = withErased([], { Memory: ids }, BY);
    expect(many).toMatchObject({ count: FINGERPRINTS_MAX + 5 });
    expect(many?.fingerprints).toHaveLength(FINGERPRINTS_MAX);
    const [after] = withErased(many === undefined ? [] : [many], { Memory: ['m-0'] }, BY);
    expect(after?.count).toBe(FINGERPRINTS_MAX + 5);
  });

  test('count the records of a tenant step by step, without fingerprints', () => {
    const first = withRecords([], 3);
    expect(first).toEqual([{ kind: 'Record', count: 3, fingerprints: [] }]);
    expect(withRecords(first, 2)).toEqual([{ kind: 'Record', count: 5, fingerprints: [] }]);
  });

  test('are empty if no kind has an id', () => {
    expect(isNothing({})).toBe(true);
    expect(isNothing({ Memory: [], Turn: [] })).toBe(true);
    expect(isNothing({ Memory: [], Turn: ['t-1'] })).toBe(false);
  });
});

describe('the target of an erasure', () => {
  const pending = { id: 'r-1', of: redactedTarget(digest, 'r-1', { kind: 'User', id: 'ann' }) };

  test('appears as a fingerprint, except a tenant, which the receipt names itself', () => {
    expect(pending.of).toEqual({ kind: 'User', fingerprint: fingerprint('User', 'ann') });
    const tenant = { kind: 'Tenant', fingerprint: null };
    expect(redactedTarget(digest, 'r-1', { kind: 'Tenant' })).toEqual(tenant);
  });

  test('appears with its session if it is a turn', () => {
    const turn = { kind: 'Turn', sessionId: 'call 7', id: 'm/1' } as const;
    const cited = 'turn:call%207/m%2F1';
    const of = { kind: 'Turn', fingerprint: fingerprint('Turn', cited) } as const;
    expect(redactedTarget(digest, 'r-1', turn)).toEqual(of);
    expect(isPendingOf(digest, { id: 'r-1', of }, turn)).toBe(true);
    expect(isPendingOf(digest, { id: 'r-1', of }, { ...turn, sessionId: 'call 8' })).toBe(false);
  });

  test('is recognized in a repeated request, even after its name is forgotten', () => {
    expect(isPendingOf(digest, pending, { kind: 'User', id: 'ann' })).toBe(true);
    expect(isPendingOf(digest, pending, { kind: 'User', id: 'ben' })).toBe(false);
    expect(isPendingOf(digest, pending, { kind: 'Session', id: 'ann' })).toBe(false);
    expect(isPendingOf(digest, pending, { kind: 'Tenant' })).toBe(false);
    const whole = { id: 'r-1', of: redactedTarget(digest, 'r-1', { kind: 'Tenant' }) };
    expect(isPendingOf(digest, whole, { kind: 'Tenant' })).toBe(true);
  });
});

describe('the receipts of a tenant', () => {
  const files = { engine: 'sqlite', rewritten: true, remains: [] } as const;
  const pending: PendingErasure = {
    id: 'r-1',
    target: null,
    of: { kind: 'Tenant', fingerprint: null },
    by: 'local',
    again: null,
    requestedAt: NOW,
    erased: [{ kind: 'Memory', count: 1, fingerprints: ['f'] }],
  };
  const begin = { sequence: 0, hash: firstHash(digest) };
  const ending = { digest, erasedAt: NOW + SECOND_MS, files };

  function chain(length: number): readonly ErasureReceipt[] {
    const receipts: ErasureReceipt[] = [];
    for (let n = 1; n <= length; n += 1) {
      const hash = receipts.at(-1)?.hash ?? begin.hash;
      const ledger: ErasureLedger = { tenant: 'acme', receipts: n - 1, hash, pending: [] };
      receipts.push(sealReceipt(ledger, { ...pending, id: `r-${String(n)}` }, ending));
    }
    return receipts;
  }

  test('record what was erased, by whom and when, and form a chain', () => {
    const { target: _, ...kept } = pending;
    const [first, second] = chain(2);
    expect(first).toEqual({
      ...kept,
      tenant: 'acme',
      sequence: 1,
      erasedAt: NOW + SECOND_MS,
      files,
      previousHash: digest(''),
      hash: expect.any(String),
    });
    expect(second).toMatchObject({ id: 'r-2', sequence: 2, previousHash: first?.hash });
  });

  test('stay valid in whatever order a database returns their fields', () => {
    const all = chain(3);
    expect(brokenAt(digest, all, begin)).toBeNull();
    const turned = all.map(
      (receipt) => Object.fromEntries(Object.entries(receipt).toReversed()) as ErasureReceipt,
    );
    expect(brokenAt(digest, turned, begin)).toBeNull();
    expect(turned.every((receipt) => isAsWritten(digest, receipt))).toBe(true);
  });

  test('can be checked from any receipt on', () => {
    const [first, ...rest] = chain(3);
    expect(brokenAt(digest, rest, first ?? begin)).toBeNull();
    expect(brokenAt(digest, rest, begin)).toBe(1);
  });

  test.each<[string, number, (receipt: ErasureReceipt) => Partial<ErasureReceipt>]>([
    ['the name of the requester is changed', 2, () => ({ by: 'another' })],
    ['a time is changed', 2, ({ erasedAt }) => ({ erasedAt: erasedAt + 1 })],
    ['a count is changed', 2, () => ({ erased: [{ kind: 'Memory', count: 2, fingerprints: [] }] })],
    ['the report on files is changed', 2, () => ({ files: { ...files, rewritten: false } })],
    ['its hash is changed', 2, () => ({ hash: digest('x') })],
    ['the previous hash is changed', 2, () => ({ previousHash: digest('x') })],
  ])('reveal that %s', (_, at, differing) => {
    const all = chain(3).map((receipt) =>
      receipt.sequence === at ? { ...receipt, ...differing(receipt) } : receipt,
    );
    expect(brokenAt(digest, all, begin)).toBe(at);
    const broken = all.filter((receipt) => !isAsWritten(digest, receipt));
    expect(broken.map(({ sequence }) => sequence)).toEqual([at]);
  });

  test('reveal a missing receipt, and one rewritten without the rest', () => {
    const all = chain(3);
    expect(brokenAt(digest, all.toSpliced(1, 1), begin)).toBe(2);
    const [first] = all;
    const ledger = { tenant: 'acme', receipts: 1, hash: first?.hash ?? '', pending: [] };
    const forged = sealReceipt(ledger, { ...pending, id: 'forged' }, ending);
    expect(isAsWritten(digest, forged)).toBe(true);
    expect(brokenAt(digest, all.with(1, forged), begin)).toBe(3);
  });

  test('reveal a skipped number, even if each hash follows the one before', () => {
    const [first] = chain(1);
    const ledger = { tenant: 'acme', receipts: 2, hash: first?.hash ?? '', pending: [] };
    const third = sealReceipt(ledger, pending, ending);
    expect(brokenAt(digest, [...chain(1), third], begin)).toBe(2);
  });

  test('hash their fields in alphabetical order, so that anyone can check them', () => {
    const erased = '{"count":1,"fingerprints":["f"],"kind":"Memory"}';
    const traces = '{"engine":"sqlite","remains":[],"rewritten":true}';
    const fields = [
      ...['"again":null', '"by":"local"', `"erased":[${erased}]`],
      ...[`"erasedAt":${String(NOW + SECOND_MS)}`, `"files":${traces}`, '"id":"r-1"'],
      ...['"of":{"fingerprint":null,"kind":"Tenant"}', `"previousHash":"${digest('')}"`],
      ...[`"requestedAt":${String(NOW)}`, '"sequence":1', '"tenant":"acme"'],
    ];
    expect(chain(1)[0]?.hash).toBe(digest(`{${fields.join(',')}}`));
  });

  test('come with a progress value that changes with every step', () => {
    const ledger = { tenant: 'acme', receipts: 0, hash: begin.hash, pending: [] };
    const asked = { ...pending, target: { kind: 'Tenant' }, erased: [] } as const;
    const [one = { kind: 'Memory', count: 1, fingerprints: [] }] = pending.erased;
    const steps: readonly ErasureLedger[] = [
      ledger,
      { ...ledger, pending: [asked] },
      { ...ledger, pending: [{ ...asked, erased: [one] }] },
      { ...ledger, pending: [{ ...asked, erased: [one, { ...one, kind: 'Turn', count: 4 }] }] },
      { ...ledger, pending: [{ ...pending, erased: [{ ...one, count: 5 }] }] },
      { ...ledger, receipts: 1 },
      { ...ledger, receipts: 1, pending: [{ ...asked, id: 'r-2' }] },
    ];
    expect(new Set(steps.map(erasureRevision)).size).toBe(steps.length);
    const same = { ...ledger, pending: [{ ...asked, erased: [{ ...one, fingerprints: [] }] }] };
    expect(erasureRevision(same)).toBe(erasureRevision(steps[2] ?? ledger));
  });
});
