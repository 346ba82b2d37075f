import { describe, expect, test } from 'vitest';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { recipeHash, segmentRecipeHash } from '#core/refresh/recipe.ts';
import { digest } from '#test/conformance/samples.ts';

const MODEL = { name: 'model-a', revision: '1' };
const LAYER = defaultPolicy('acme').layers.user;

const hashOf = (
  layer: Partial<TenantPolicy['layers']['user']> = {},
  model: Partial<typeof MODEL> = {},
) => recipeHash(digest, { layer: { ...LAYER, ...layer }, model: { ...MODEL, ...model } });

describe('recipe', () => {
  test.each([
    ['other depths', hashOf({ depths: ['sentence'] })],
    ['personalization', hashOf({ personalized: true })],
    ['another model', hashOf({}, { name: 'model-b' })],
    ['another revision of the model', hashOf({}, { revision: '2' })],
  ])('%s changes the recipe', (_, hash) => {
    expect(hash).not.toBe(hashOf());
  });

  test.each([
    ['times', hashOf({ updateIntervalMs: 1, maxAgeMs: 1, batchWindowMs: 1, updateOnChanges: 9 })],
    ['the model class alone', hashOf({ modelClass: 'economy' })],
    ['the order of the depths', hashOf({ depths: LAYER.depths.toReversed() })],
    ['whether unchanged scopes are skipped', hashOf({ skipIfUnchanged: false })],
  ])('%s does not change the recipe', (_, hash) => {
    expect(hash).toBe(hashOf());
  });

  test.each([
    ['another model', { model: { ...MODEL, name: 'model-b' }, about: null }],
    ['another revision', { model: { ...MODEL, revision: '2' }, about: null }],
    ['another audience', { model: MODEL, about: 'a gardener' }],
  ])('%s changes the segments', (_, recipe) => {
    const general = segmentRecipeHash(digest, { model: MODEL, about: null });
    expect(segmentRecipeHash(digest, recipe)).not.toBe(general);
  });

  test('prices and budgets are not part of the recipe', () => {
    const priced = { ...MODEL, price: { inputMicroDollarsPerMillion: 9 }, inputTokensMax: 9 };
    expect(recipeHash(digest, { layer: LAYER, model: priced })).toBe(hashOf());
  });
});
