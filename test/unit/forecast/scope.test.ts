import fc from 'fast-check';
import { expect, test, describe } from 'vitest';
import { openAccount } from '#core/budget/budget-account.ts';
import type { Account } from '#core/records/account.ts';
import type { ModelProvider } from '#core/records/model-provider.ts';
import type { LayerPolicy, TenantPolicy } from '#core/records/policy.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { DEPTHS, type Depth } from '#core/records/summary.ts';
import { askedTexts } from '#core/refresh/call-size.ts';
import { layerRecipe, modelOfClass } from '#operator/forecast/forecast-models.ts';
import {
  forecastScope,
  type ScopeForecast,
  remakingCost,
  forecastPeriod,
} from '#operator/forecast/forecast-tenant.ts';
import { NOW } from '../operator/policy-store.ts';
import {
  CHANGED,
  freshScope,
  HOUR_MS,
  MODELS,
  policyWith,
  rulesOf,
  EXTRACTIVE,
  pricedModel,
} from './samples.ts';

const BACKFILL = { onRecipeChange: 'Backfill' } as const;
const hold = {
  until: NOW + 1,
  dueAt: NOW - 1,
  code: 'BUDGET_EXHAUSTED',
  since: 0,
  exhaustion: null,
};
const deadLetter = { code: 'PROVIDER_REJECTED', reason: 'x', at: NOW };
const sentence: Partial<LayerPolicy> = { depths: ['sentence'] };
const extractiveFallback = layerRecipe(policyWith(sentence), 'user', MODELS).fallbackHash;

interface Case {
  readonly what: string;
  readonly record?: Partial<ScopeRecord>;
  readonly user?: Partial<LayerPolicy>;
  readonly tenant?: Partial<TenantPolicy>;
  readonly before?: TenantPolicy;
  readonly expected: Pick<ScopeForecast, 'reason' | 'when'> | null;
}

const CASES: readonly Case[] = [
  { what: 'the same policy regenerates nothing', expected: null },
  {
    what: 'a lower age regenerates older summaries at once',
    user: { maxAgeMs: HOUR_MS },
    expected: { reason: 'MaxAge', when: 'Now' },
  },
  {
    what: 'a lower age not yet reached regenerates nothing',
    user: { maxAgeMs: HOUR_MS + 1 },
    expected: null,
  },
  {
    what: 'a lower threshold regenerates a scope with as many changes',
    record: CHANGED,
    user: { updateOnChanges: 1 },
    expected: { reason: 'Changes', when: 'Now' },
  },
  {
    what: 'a shorter interval regenerates a changed scope',
    record: CHANGED,
    user: { updateIntervalMs: 60_000 },
    expected: { reason: 'Interval', when: 'Now' },
  },
  {
    what: 'a shorter interval does not regenerate an unchanged scope',
    user: { updateIntervalMs: 60_000 },
    expected: null,
  },
  {
    what: 'other depths change the recipe, which waits for the next due time',
    user: sentence,
    expected: { reason: 'Recipe', when: 'NextDue' },
  },
  {
    what: 'other depths with Backfill regenerate a scope by themselves',
    user: sentence,
    tenant: BACKFILL,
    expected: { reason: 'Recipe', when: 'Backfill' },
  },
  {
    what: 'another model class changes the recipe',
    user: { modelClass: 'economy' },
    expected: { reason: 'Recipe', when: 'NextDue' },
  },
  {
    what: 'a ModelProvider changes the recipe',
    tenant: { models: { economy: null, standard: { provider: 'openai', model: 'large' } } },
    expected: { reason: 'Recipe', when: 'NextDue' },
  },
  {
    what: 'Backfill includes a scope that was behind before',
    record: { recipeHash: 'older' },
    tenant: BACKFILL,
    expected: { reason: 'Recipe', when: 'Backfill' },
  },
  {
    what: 'a scope that was behind before is not due to another change',
    record: { recipeHash: 'older' },
    user: { updateOnChanges: 9 },
    expected: null,
  },
  {
    what: 'a budget regenerates nothing',
    tenant: { budget: { limitTokens: 5, limitMicroDollars: 5, onExhausted: 'Reject' } },
    expected: null,
  },
  {
    what: 'a scope that is due anyway is not counted',
    record: { ...CHANGED, changes: 3 },
    user: { updateOnChanges: 1, maxAgeMs: HOUR_MS },
    expected: null,
  },
  {
    what: 'a fallback text is kept',
    record: { recipeHash: extractiveFallback },
    user: sentence,
    expected: null,
  },
  {
    what: 'an unknown recipe is kept',
    record: { recipeHash: null },
    user: sentence,
    expected: null,
  },
  { what: 'an empty scope is kept', record: { sourceCount: 0 }, user: sentence, expected: null },
  {
    what: 'a dead-lettered scope is left alone',
    record: { deadLetter },
    user: sentence,
    expected: null,
  },
  {
    what: 'a scope waiting for budget is left alone',
    record: { hold },
    user: { maxAgeMs: 0 },
    expected: null,
  },
];

test.each(CASES.map((one) => [one.what, one] as const))(
  'FORECAST-1: in a plan, %s',
  (_, { record, user = {}, tenant = {}, before = policyWith({}), expected }) => {
    const forecast = forecastScope(freshScope(record), rulesOf(before, policyWith(user, tenant)));
    const found = forecast === null ? null : { reason: forecast.reason, when: forecast.when };
    expect(found).toEqual(expected);
  },
);

const DETAILED = askedTexts({ depths: ['detailed'], personalized: false });
const KNOWN = { model: { ...pricedModel('large'), isKnown: true }, asked: DETAILED };
const SMALL = { sourceCount: 9, sourceTokens: 900, changes: 1 };
const LARGE = { sourceCount: 10_000, sourceTokens: 1_000_000, changes: 1 };

describe('the maximum cost of regenerating a summary', () => {
  test('FORECAST-2: is one call over all sources for a small scope', () => {
    const { tokens, microDollars } = remakingCost(SMALL, KNOWN, true);
    // 900 tokens and a quarter more, the frame, and the longest answer: three times 500, and 64.
    expect(tokens).toBe(100 + 1_125 + 1_564);
    expect(microDollars).toBe(100 + 1_125 + 2 * 1_564);
  });

  test('FORECAST-2: is lower for shorter depths', () => {
    const costOf = (...depths: Depth[]) =>
      remakingCost(SMALL, { ...KNOWN, asked: askedTexts({ depths, personalized: false }) }, true);
    expect(costOf('sentence').tokens).toBe(100 + 1_125 + 214);
    expect(costOf(...DEPTHS).tokens).toBe(100 + 1_125 + 64 + Math.ceil(550 * 3.25));
  });

  test('FORECAST-2: covers only the changed segments of a large scope', () => {
    const one = remakingCost(LARGE, KNOWN, true);
    const all = remakingCost(LARGE, KNOWN, false);
    expect(one.tokens).toBeGreaterThan(0);
    expect(one.tokens).toBeLessThan(all.tokens / 20);
    expect(all.tokens).toBeGreaterThan(LARGE.sourceTokens);
    expect(remakingCost({ ...LARGE, changes: 0 }, KNOWN, true).tokens).toBe(0);
  });

  test('FORECAST-2: is zero for the extractive summarizer', () => {
    const extractive = { model: { ...EXTRACTIVE, isKnown: true }, asked: DETAILED };
    expect(remakingCost(LARGE, extractive, false)).toEqual({ tokens: 0, microDollars: 0 });
  });

  test('FORECAST-2: never falls with more changes, or for the whole scope', () => {
    const size = fc.record({
      sourceCount: fc.integer({ min: 1, max: 20_000 }),
      sourceTokens: fc.integer({ min: 1, max: 2_000_000 }),
      changes: fc.integer({ min: 0, max: 50 }),
    });
    fc.assert(
      fc.property(size, fc.integer({ min: 1, max: 10 }), (record, more) => {
        const cost = remakingCost(record, KNOWN, true).tokens;
        const changed = { ...record, changes: record.changes + more };
        expect(remakingCost(changed, KNOWN, true).tokens).toBeGreaterThanOrEqual(cost);
        expect(remakingCost(record, KNOWN, false).tokens).toBeGreaterThanOrEqual(cost);
      }),
      { seed: 6 },
    );
  });
});

describe('the model that a plan counts with', () => {
  const provider: ModelProvider = {
    allowedNamespaces: ['*'],
    openai: {
      baseUrl: 'https://models.example.com/v1',
      secretRef: null,
      models: [
        {
          name: 'mini',
          classes: ['standard'],
          inputMicroDollarsPerMillion: 5,
          outputMicroDollarsPerMillion: 7,
          contextTokens: 30_000,
          outputTokensMax: 4_000,
          thinkingTokens: 0,
        },
      ],
      requestsPerMinute: null,
    },
  };
  const models = { ...MODELS, providers: new Map([['openai', provider]]) };
  const policyOf = (model: string) =>
    policyWith({}, { models: { economy: null, standard: { provider: 'openai', model } } });

  test('FORECAST-2: has the price and window of its ModelProvider', () => {
    expect(modelOfClass(policyOf('mini'), 'standard', models)).toMatchObject({
      name: 'openai/mini',
      price: { inputMicroDollarsPerMillion: 5, outputMicroDollarsPerMillion: 7 },
      inputTokensMax: 26_000,
      isKnown: true,
    });
  });

  test('FORECAST-2: is unknown, not free, if no provider has it', () => {
    expect(modelOfClass(policyOf('gone'), 'standard', models)).toMatchObject({
      name: 'openai/gone',
      price: null,
      isKnown: false,
    });
  });

  test('FORECAST-2: is that of the installation without a ModelProvider', () => {
    expect(modelOfClass(policyWith({}), 'economy', models)).toMatchObject({ name: 'small' });
  });
});

const MIDDLE = Date.UTC(2026, 10, 16);
const BUDGET = { limitTokens: 1_000, limitMicroDollars: null, onExhausted: 'Reject' } as const;
const account = (differing: Partial<Account>): Account => ({
  ...openAccount('acme', '2026-11', BUDGET),
  ...differing,
});
const spent = (tokens: number) => ({ spent: { tokens, microDollars: 0 } });
const planned = (tokens: number) => ({ tokens, microDollars: 0 });

test.each([
  ['nothing spent and nothing planned', {}, 0, MIDDLE, { expected: 0, state: 'Within' }],
  [
    'half spent at half time',
    spent(500),
    0,
    MIDDLE,
    { usual: 500, expected: 1_000, state: 'Within' },
  ],
  ['one token more for the plan', spent(500), 1, MIDDLE, { expected: 1_001, state: 'Beyond' }],
  [
    'more than the limit at once',
    spent(0),
    1_001,
    MIDDLE,
    { usual: 0, expected: 1_001, state: 'Beyond', endsAt: MIDDLE },
  ],
  [
    'a rate above what the limit allows',
    spent(800),
    0,
    MIDDLE,
    { usual: 800, state: 'Beyond', endsAt: MIDDLE + (15 * 86_400_000) / 4 },
  ],
  [
    'a grant',
    { ...spent(500), granted: { tokens: 1, microDollars: 0 } },
    1,
    MIDDLE,
    { limit: 1_001, state: 'Within' },
  ],
  [
    'a reservation',
    { ...spent(500), open: [{ attemptId: 'a', amount: planned(1), at: MIDDLE }] },
    0,
    MIDDLE,
    { reserved: 1, expected: 1_001, state: 'Beyond' },
  ],
  [
    'an hour into the month',
    spent(10),
    0,
    Date.UTC(2026, 10, 1, 1),
    { usual: 300, state: 'Within' },
  ],
])('FORECAST-3: a plan says when the budget ends: %s', (...[, differing, extra, now, expected]) => {
  const [tokens, microDollars] = forecastPeriod(account(differing), planned(extra), now);
  expect(tokens).toMatchObject({ measure: 'tokens', planned: extra, ...expected });
  expect(microDollars).toMatchObject({ limit: null, state: 'NoLimit', endsAt: null });
});
