import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openAccount } from '#core/budget/budget-account.ts';
import {
  BACKFILL_WAITING_MAX,
  backfillMarks,
  isBehind,
  mayBackfill,
  recipeMarks,
} from '#core/refresh/recipe-backfill.ts';
import type { Account } from '#core/records/account.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { applyCommit } from '#core/refresh/scope-transitions.ts';
import { leaseOf, MINUTE_MS, NOW } from '#test/conformance/samples.ts';
import { duePolicy, heldUntil, settledScope } from './scope-records.ts';

const rules = { recipeOf: () => 'new', fallbackOf: () => 'extractive', now: NOW };
const marked = (record: Partial<ScopeRecord>) =>
  recipeMarks([settledScope({ recipeHash: 'old', ...record })], rules);

describe('the backfill of a changed recipe', () => {
  test('makes a scope with another recipe due, with that reason', () => {
    const due = { dueAt: NOW, dueTrigger: 'Recipe', version: 8 };
    expect(marked({})).toMatchObject([due]);
  });

  test.each<[string, Partial<ScopeRecord>]>([
    ['with the same recipe', { recipeHash: 'new' }],
    ['with an unknown recipe', { recipeHash: null }],
    ['with a fallback text', { recipeHash: 'extractive' }],
    ['that is leased', { lease: leaseOf(settledScope()) }],
    ['on hold', { hold: heldUntil(NOW + MINUTE_MS) }],
    ['that is a dead letter', { deadLetter: { code: 'TIMEOUT', reason: 'TIMEOUT', at: NOW } }],
    ['that is already due', { dueAt: NOW, dueTrigger: 'Changes' }],
    ['without a source', { sourceCount: 0 }],
  ])('skips a scope %s', (_, record) => {
    expect(marked(record)).toEqual([]);
  });

  test('proceeds at a bounded rate, whatever is waiting', () => {
    fc.assert(
      fc.property(fc.nat({ max: 60 }), fc.nat({ max: 60 }), (waiting, others) => {
        const records = [
          ...Array.from({ length: waiting }, () =>
            settledScope({ recipeHash: 'old', dueAt: NOW, dueTrigger: 'Recipe' }),
          ),
          ...Array.from({ length: others }, () => settledScope({ recipeHash: 'old' })),
        ];
        const marks = recipeMarks(records, rules);
        const room = Math.max(0, BACKFILL_WAITING_MAX - waiting);
        expect(marks).toHaveLength(Math.min(others, room));
      }),
    );
  });

  test('marks as many page by page as over all records at once', () => {
    const one = fc.constantFrom<Partial<ScopeRecord>>(
      { recipeHash: 'old' },
      { recipeHash: 'new' },
      { recipeHash: 'old', dueAt: NOW, dueTrigger: 'Recipe' },
    );
    fc.assert(
      fc.property(fc.array(fc.array(one, { maxLength: 15 }), { maxLength: 4 }), (pages) => {
        const read = pages.map((page) => page.map((each) => settledScope(each)));
        const marks = backfillMarks(rules);
        for (const page of read) marks.add(page);
        expect(marks.records()).toHaveLength(recipeMarks(read.flat(), rules).length);
        expect(marks.records().every(({ dueTrigger }) => dueTrigger === 'Recipe')).toBe(true);
        const behind = read.flat().some(({ recipeHash }) => recipeHash === 'old');
        expect(marks.isAnyBehind()).toBe(behind);
      }),
    );
  });

  const letter = { code: 'MODEL_OUTPUT_INVALID', reason: 'NoGroundedFact', at: NOW };
  test.each<[boolean, string, Partial<ScopeRecord>]>([
    [true, 'has another recipe', { recipeHash: 'old' }],
    [false, 'has this recipe', { recipeHash: 'new' }],
    [true, 'failed with another recipe', { deadLetter: { ...letter, recipeHash: 'old' } }],
    [false, 'failed with this recipe', { deadLetter: { ...letter, recipeHash: 'new' } }],
    [false, 'failed with an unknown recipe', { recipeHash: 'old', deadLetter: letter }],
  ])('is behind (%s) if it %s', (expected, _, record) => {
    expect(isBehind(settledScope(record), rules)).toBe(expected);
    const empty = settledScope({ ...record, sourceCount: 0 });
    expect(isBehind(empty, rules)).toBe(false);
  });

  test('skips a scope until its least interval has passed', () => {
    const spaced = { ...rules, leastIntervalMs: MINUTE_MS };
    const made = (at: number) => [
      settledScope({ recipeHash: 'old', generatedAt: at, checkedAt: at }),
    ];
    expect(recipeMarks(made(NOW - MINUTE_MS + 1), spaced)).toEqual([]);
    expect(recipeMarks(made(NOW - MINUTE_MS), spaced)).toHaveLength(1);
  });

  test.each<[string, Partial<Account>, boolean]>([
    ['nothing was spent', {}, true],
    ['nearly half was spent', { spent: { tokens: 49, microDollars: 0 } }, true],
    ['half was spent', { spent: { tokens: 50, microDollars: 0 } }, false],
    ['half is reserved', { open: [reservation(50)] }, false],
    ['half of one measure was spent', { spent: { tokens: 0, microDollars: 5 } }, false],
    [
      'a grant raised the limit',
      { spent: { tokens: 50, microDollars: 0 }, granted: { tokens: 9, microDollars: 0 } },
      true,
    ],
  ])('leaves half of the budget for changes: %s', (_, differing, may) => {
    const limits = { limitTokens: 100, limitMicroDollars: 10, onExhausted: 'Reject' } as const;
    expect(mayBackfill({ ...openAccount('acme', '2026-11', limits), ...differing })).toBe(may);
  });

  test('a commit records the recipe that its claim named', () => {
    const leased = settledScope({ lease: leaseOf(settledScope(), { recipeHash: 'claimed' }) });
    const rules = { policy: duePolicy(), now: NOW };
    const committed = { ...leased, cited: new Set<string>(), generated: true };
    expect(applyCommit(leased, committed, rules).recipeHash).toBe('claimed');
    const checked = { ...committed, generated: false };
    const known = { ...leased, recipeHash: 'known' };
    expect(applyCommit(known, checked, rules).recipeHash).toBe('known');
  });
});

function reservation(tokens: number): Account['open'][number] {
  return { attemptId: 'a', amount: { tokens, microDollars: 0 }, at: NOW };
}
