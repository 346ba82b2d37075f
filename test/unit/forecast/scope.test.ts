import { expect, test } from 'vitest';
import type { LayerPolicy, TenantPolicy } from '#core/records/policy.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { layerRecipe } from '#operator/forecast/forecast-models.ts';
import { forecastScope, type ScopeForecast } from '#operator/forecast/forecast-scope.ts';
import { NOW } from '../operator/policy-store.ts';
import { CHANGED, freshScope, HOUR_MS, MODELS, policyWith, rulesOf } from './samples.ts';

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
  { what: 'the same policy remakes nothing', expected: null },
  {
    what: 'a lower age remakes what is older, at once',
    user: { maxAgeMs: HOUR_MS },
    expected: { reason: 'MaxAge', when: 'Now' },
  },
  {
    what: 'a lower age that it has not reached remakes nothing',
    user: { maxAgeMs: HOUR_MS + 1 },
    expected: null,
  },
  {
    what: 'a lower threshold remakes what has as many changes',
    record: CHANGED,
    user: { updateOnChanges: 1 },
    expected: { reason: 'Changes', when: 'Now' },
  },
  {
    what: 'a shorter interval remakes what has changed',
    record: CHANGED,
    user: { updateIntervalMs: 60_000 },
    expected: { reason: 'Interval', when: 'Now' },
  },
  {
    what: 'a shorter interval remakes nothing that has not changed',
    user: { updateIntervalMs: 60_000 },
    expected: null,
  },
  {
    what: 'other depths are another recipe, which waits for the next due time',
    user: sentence,
    expected: { reason: 'Recipe', when: 'NextDue' },
  },
  {
    what: 'with Backfill it is remade by itself',
    user: sentence,
    tenant: BACKFILL,
    expected: { reason: 'Recipe', when: 'Backfill' },
  },
  {
    what: 'another class of models is another recipe',
    user: { modelClass: 'economy' },
    expected: { reason: 'Recipe', when: 'NextDue' },
  },
  {
    what: 'a ModelProvider is another model',
    tenant: { models: { economy: null, standard: { provider: 'openai', model: 'large' } } },
    expected: { reason: 'Recipe', when: 'NextDue' },
  },
  {
    what: 'Backfill begins with what was behind before',
    record: { recipeHash: 'older' },
    tenant: BACKFILL,
    expected: { reason: 'Recipe', when: 'Backfill' },
  },
  {
    what: 'what was behind before is none of the doing of another change',
    record: { recipeHash: 'older' },
    user: { updateOnChanges: 9 },
    expected: null,
  },
  {
    what: 'a budget remakes nothing',
    tenant: { budget: { limitTokens: 5, limitMicroDollars: 5, onExhausted: 'Reject' } },
    expected: null,
  },
  {
    what: 'what is due anyway is none of its doing',
    record: { ...CHANGED, changes: 3 },
    user: { updateOnChanges: 1, maxAgeMs: HOUR_MS },
    expected: null,
  },
  {
    what: 'a text that stands in is kept',
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
  { what: 'an empty scope is left', record: { sourceCount: 0 }, user: sentence, expected: null },
  { what: 'what was given up is left', record: { deadLetter }, user: sentence, expected: null },
  {
    what: 'what waits for budget is left',
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
