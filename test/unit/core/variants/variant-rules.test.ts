import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { NOTHING, type Account } from '#core/records/account.ts';
import { openAccount } from '#core/budget/budget-account.ts';
import { HORIZON_MS, type WindowReading } from '#core/refresh/refresh-contract.ts';
import {
  planVariants,
  hasVariantShare,
  VARIANT_BUDGET_SHARE,
  withVariants,
} from '#core/variants/plan-variants.ts';
import type { Summary } from '#core/records/summary.ts';
import type { Variant } from '#core/records/variant.ts';
import {
  variantAfterGeneral,
  variantAfterRead,
  JOIN_CALL_PAUSE_MS,
  retryVariantLater,
  giveBackVariant,
  holdVariant,
  FAILURE_HOLD_MS,
  REQUEST_AGAIN_MS,
  leaseVariant,
  completeVariant,
  READ_NOTED_MS,
  READ_WITHIN_MS,
  postponeVariant,
  variantDecision,
  variantRecipeHash,
  type VariantDecision,
  type VariantState,
} from '#core/variants/variant-rules.ts';
import { digest, leaseOf, NOW, summaryOf, userScope } from '#test/conformance/samples.ts';
import { variantOf } from '#test/conformance/variant-suite.ts';
import { RECIPE, settledScope } from '../scope-records.ts';

const SCOPE = { ...userScope('acme'), layer: 'project', scopeId: 'shop' } as const;
const ANN = 'user:ann';
const LEASE = { claimId: 'c', batchId: 'b', until: NOW + 1, model: 'm' };
const IDLE = variantOf(SCOPE, ANN, { dueAt: null });
const read = (before: Variant | null, now: number, isCurrent = false) =>
  variantAfterRead(before, { scope: SCOPE, audience: ANN, isCurrent, now });

describe('a read of a variant', () => {
  test('makes the variant due after a delay on the first read', () => {
    expect(read(null, NOW)).toEqual(variantOf(SCOPE, ANN, { dueAt: NOW + JOIN_CALL_PAUSE_MS }));
  });

  test.each<[string, Partial<Variant>, number, boolean, Partial<Variant> | null]>([
    ['writes nothing if the text is current', {}, 1, true, null],
    [
      'records the read an hour later if the text is current',
      {},
      READ_NOTED_MS,
      true,
      { dueAt: null },
    ],
    [
      'makes the variant due if it has no text',
      {},
      1,
      false,
      { dueAt: NOW + 1 + JOIN_CALL_PAUSE_MS },
    ],
    ['writes nothing if the variant is already due', { dueAt: NOW }, 1, false, null],
    [
      'records the read an hour later and keeps the due time',
      { dueAt: NOW },
      READ_NOTED_MS,
      false,
      { dueAt: NOW },
    ],
    ['writes nothing while the variant is on hold', { heldUntil: NOW + 2 }, 1, false, null],
    ['ends a hold that is over', { heldUntil: NOW + 1 }, 1, false, { heldUntil: null }],
  ])('%s', (_, differing, after, isCurrent, expected) => {
    const written = read({ ...IDLE, ...differing }, NOW + after, isCurrent);
    if (expected === null) expect(written).toBeNull();
    else expect(written).toMatchObject({ ...expected, lastReadAt: NOW + after, version: 2 });
  });

  test('writes at most once an hour while the text is current', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: READ_NOTED_MS }), { maxLength: 50 });
    fc.assert(
      fc.property(pauses, (all) => {
        let [variant, now, writes] = [IDLE, NOW, 0];
        for (const pause of all) {
          now += pause;
          const written = read(variant, now, true);
          writes += written === null ? 0 : 1;
          variant = written ?? variant;
          expect(now - variant.lastReadAt).toBeLessThan(READ_NOTED_MS);
        }
        expect(writes).toBeLessThanOrEqual(Math.floor((now - NOW) / READ_NOTED_MS));
      }),
    );
  });
});

describe('a variant after a new general summary', () => {
  test.each<[string, Partial<Variant>, number, number | null]>([
    ['is due if it was read within seven days', {}, READ_WITHIN_MS, NOW + READ_WITHIN_MS],
    ['is not due if it was not read for seven days', {}, READ_WITHIN_MS + 1, null],
    ['is unchanged if it is already due', { dueAt: NOW }, 1, null],
    ['is due and no longer on hold', { heldUntil: NOW + 9 }, 1, NOW + 1],
  ])('%s', (_, differing, after, dueAt) => {
    const marked = variantAfterGeneral({ ...IDLE, ...differing }, NOW + after);
    expect(marked?.dueAt ?? null).toBe(dueAt);
    expect(marked?.heldUntil ?? null).toBeNull();
  });
});

describe('a due variant', () => {
  const recipeHash = variantRecipeHash(digest, RECIPE, ANN);
  const general = summaryOf(SCOPE, ['m-1']);
  const made_ = (differing: Partial<Summary>): Summary =>
    summaryOf(SCOPE, ['m-1'], { audience: ANN, recipeHash, ...differing });
  const STATE: VariantState = {
    variant: variantOf(SCOPE, ANN),
    isPersonalized: true,
    record: settledScope(),
    general,
    made: null,
    recipeHash,
    context: 'Ann sells tulips.',
    now: NOW,
  };
  const scope = (differing: Parameters<typeof settledScope>[0]) => ({
    record: settledScope(differing),
  });

  test.each<[string, Partial<VariantState>, VariantDecision]>([
    ['is made if there is none yet', {}, 'Make'],
    ['is made again if it has another recipe', { made: made_({ recipeHash: RECIPE }) }, 'Make'],
    ['is current if it has this recipe', { made: made_({}) }, 'Current'],
    ['is not wanted if the layer is not personalized', { isPersonalized: false }, 'NotWanted'],
    [
      'is not wanted if nobody read it for seven days',
      { now: NOW + READ_WITHIN_MS + 1 },
      'NotWanted',
    ],
    ['is made if it was read seven days ago', { now: NOW + READ_WITHIN_MS }, 'Make'],
    ['is impossible without a general summary', { general: null }, 'Impossible'],
    [
      'is impossible if the general summary has no facts',
      { general: summaryOf(SCOPE, []) },
      'Impossible',
    ],
    ['is impossible if nothing is known of the reader', { context: null }, 'Impossible'],
    ['is postponed if the scope is due', scope({ dueAt: NOW, dueTrigger: 'Changes' }), 'Later'],
    ['is made if the scope is due later', scope({ dueAt: NOW + 1, dueTrigger: 'Changes' }), 'Make'],
    ['is postponed if the scope is leased', scope({ lease: leaseOf(settledScope()) }), 'Later'],
    [
      'is made if the lease has ended',
      scope({ lease: leaseOf(settledScope(), { until: NOW }) }),
      'Make',
    ],
    [
      'is postponed if a source was deleted',
      scope({ droppedSources: [{ id: 'm-1', reason: 'SourceDeleted' }] }),
      'Later',
    ],
  ])('%s', (_, differing, decision) => {
    expect(variantDecision({ ...STATE, ...differing })).toBe(decision);
  });

  test('has the audience and the general recipe in its recipe hash', () => {
    const hashes = [
      recipeHash,
      RECIPE,
      variantRecipeHash(digest, RECIPE, 'user:bob'),
      variantRecipeHash(digest, digest('other'), ANN),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test('is released at the end of every claim, with its next due time', () => {
    const mine = leaseVariant(variantOf(SCOPE, ANN), LEASE);
    expect(mine).toMatchObject({ lease: LEASE, version: 2 });
    const free = { lease: null, version: 3 };
    expect(completeVariant(mine)).toMatchObject({ ...free, dueAt: null, heldUntil: null });
    expect(giveBackVariant(mine, NOW + 5)).toMatchObject({ ...free, dueAt: NOW });
    const ends = {
      Current: null,
      NotWanted: null,
      Later: REQUEST_AGAIN_MS,
      Impossible: FAILURE_HOLD_MS,
    } as const;
    for (const [decision, heldMs] of Object.entries(ends)) {
      const end = postponeVariant(mine, decision as keyof typeof ends, NOW);
      const heldUntil = heldMs === null ? null : NOW + heldMs;
      expect(end).toMatchObject({ ...free, dueAt: null, heldUntil });
    }
    expect(holdVariant(mine, NOW + 7)).toMatchObject({ ...free, dueAt: null, heldUntil: NOW + 7 });
  });

  test('is retried later after each failure, and on hold after the third', () => {
    const first = retryVariantLater(variantOf(SCOPE, ANN), NOW);
    const second = retryVariantLater(first, NOW);
    const third = retryVariantLater(second, NOW);
    expect((second.dueAt ?? 0) - NOW).toBe(2 * ((first.dueAt ?? 0) - NOW));
    expect([first.attempts, second.attempts]).toEqual([1, 2]);
    expect(third).toMatchObject({ attempts: 0, dueAt: null, heldUntil: NOW + FAILURE_HOLD_MS });
  });
});

describe('variants in batches', () => {
  const of = (audience: string, scopeId: string, model = 'm') => ({
    variant: variantOf({ ...SCOPE, scopeId }, audience),
    model,
  });
  const plan = (wanted: Parameters<typeof planVariants>[0], itemsMax = 9, batchesMax = 9) =>
    planVariants(wanted, { itemsMax, batchesMax }).map(({ model, variants }) => [
      model,
      ...variants.map(({ audience, scopeId }) => `${audience} ${scopeId}`),
    ]);

  test('share a call if they have one reader, and never with another reader', () => {
    const wanted = [of(ANN, 'a'), of('user:bob', 'a'), of(ANN, 'b'), of(ANN, 'c', 'other')];
    expect(plan(wanted)).toEqual([
      ['m', 'user:ann a', 'user:ann b'],
      ['m', 'user:bob a'],
      ['other', 'user:ann c'],
    ]);
  });

  test('are limited per batch and claim, and the rest is not planned', () => {
    const wanted = [of(ANN, 'a'), of(ANN, 'b'), of(ANN, 'c'), of('user:bob', 'a')];
    expect(plan(wanted, 2, 2)).toEqual([
      ['m', 'user:ann a', 'user:ann b'],
      ['m', 'user:ann c'],
    ]);
    expect(plan(wanted, 2, 0)).toEqual([]);
  });
});

describe('variants in the batch window', () => {
  const idle: WindowReading = { kind: 'Idle', wanted: 4 };
  const open: WindowReading = {
    kind: 'Open',
    wanted: 4,
    closesInMs: 60_000,
    pending: 2,
    layers: ['user'],
    urgent: false,
  };
  const due = (at: number | null) => variantOf(SCOPE, ANN, { dueAt: at });

  test.each<[string, WindowReading, readonly Variant[], WindowReading]>([
    ['leave it idle if there are none', idle, [], idle],
    ['leave it idle if one is due beyond the horizon', idle, [due(NOW + HORIZON_MS + 1)], idle],
    [
      'open a window by the first of two',
      idle,
      [due(NOW + 5), due(NOW + 9)],
      { ...open, closesInMs: 5, pending: 2, layers: ['project'] },
    ],
    [
      'open a window that closes at once if one is overdue',
      idle,
      [due(NOW - 5)],
      { ...open, closesInMs: 0, pending: 1, layers: ['project'] },
    ],
    [
      'do not close an open window',
      open,
      [due(NOW)],
      { ...open, pending: 3, layers: ['user', 'project'] },
    ],
  ])('%s', (_, reading, variants, expected) => {
    expect(withVariants(reading, variants, NOW)).toEqual(expected);
  });
});

describe('the variant share of a budget', () => {
  const account = (differing: Partial<Account>): Account => ({
    ...openAccount('acme', '2026-11', {
      limitTokens: null,
      limitMicroDollars: null,
      onExhausted: 'Reject',
    }),
    ...differing,
  });
  const tokens = (n: number) => ({ tokens: n, microDollars: 0 });
  const money = (n: number) => ({ tokens: 0, microDollars: n });

  test.each<[string, Partial<Account>, Account['spent'], boolean]>([
    ['is unlimited without a limit', {}, tokens(1e9), true],
    ['is free if nothing is used', { limitTokens: 100 }, NOTHING, true],
    ['is free below the share', { limitTokens: 100 }, tokens(100 * VARIANT_BUDGET_SHARE - 1), true],
    ['is used up at the share', { limitTokens: 100 }, tokens(100 * VARIANT_BUDGET_SHARE), false],
    ['grows with a grant', { limitTokens: 100, granted: tokens(100) }, tokens(39), true],
    ['is used up by either measure', { limitTokens: 100, limitMicroDollars: 10 }, money(2), false],
    ['is used up with a limit of 0', { limitMicroDollars: 0 }, NOTHING, false],
  ])('%s', (_, differing, used, expected) => {
    expect(hasVariantShare(account(differing), used)).toBe(expected);
  });
});
