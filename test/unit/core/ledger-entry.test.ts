import { describe, expect, test } from 'vitest';
import {
  attemptClosed,
  closedEntry,
  isCorrection,
  openEntry,
  type Settlement,
} from '#core/budget/ledger-entry.ts';
import type { LedgerEntry } from '#core/records/account.ts';
import { NOW, SECOND_MS } from '#test/conformance/samples.ts';

const ATTEMPT = {
  tenant: 'acme',
  attemptId: 'a',
  purpose: 'summary',
  batchId: 'b',
  model: 'small',
} as const;
const RESERVED = { tokens: 60, microDollars: 7 };
const ENTRY = openEntry({ attempt: ATTEMPT, amount: RESERVED, now: NOW });

describe('the ledger', () => {
  test('records a reserved attempt as open, with nothing spent, in the month of the reservation', () => {
    expect(ENTRY).toEqual({
      ...ATTEMPT,
      period: '2026-11',
      state: 'Reserved',
      outcome: 'Open',
      reserved: RESERVED,
      spent: { tokens: 0, microDollars: 0 },
      reservedAt: NOW,
      settledAt: null,
    });
  });

  test.each<[LedgerEntry['state'], LedgerEntry['outcome'], string]>([
    ['Settled', 'Usage', 'the provider reported the usage'],
    ['Settled', 'UnknownOutcome', 'no answer came'],
    ['Released', 'NotCharged', 'the provider refused the call'],
  ])('records an attempt as %s by %s if %s', (state, outcome) => {
    const spent = { tokens: 55, microDollars: 6 };
    const now = NOW + SECOND_MS;
    expect(closedEntry(ENTRY, { outcome, now }, spent)).toEqual({
      ...ENTRY,
      state,
      outcome,
      spent,
      settledAt: now,
    });
  });

  test.each<[boolean, LedgerEntry['outcome'], Settlement['outcome'], string]>([
    [true, 'UnknownOutcome', 'Usage', 'the usage of an unanswered call becomes known'],
    [false, 'Usage', 'Usage', 'the usage was known before'],
    [false, 'NotCharged', 'Usage', 'the call was refused'],
    [false, 'UnknownOutcome', 'UnknownOutcome', 'there is still no answer'],
    [false, 'UnknownOutcome', 'NotCharged', 'the repeated call is refused'],
  ])('is corrected (%s) from %s by %s: %s', (expected, outcome, later) => {
    expect(isCorrection({ outcome }, { outcome: later })).toBe(expected);
  });

  test('names the settled attempt and its end to a caller who reserves for it again', () => {
    expect(attemptClosed({ attemptId: 'a', state: 'Released' })).toMatchObject({
      code: 'CONFLICT',
      details: { attemptId: 'a', state: 'Released' },
    });
  });
});
