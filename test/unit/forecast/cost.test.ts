import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { modelOfClass } from '#operator/forecast/forecast-models.ts';
import { remakingCost } from '#operator/forecast/forecast-scope.ts';
import type { ModelProvider } from '#core/records/model-provider-spec.ts';
import { EXTRACTIVE, MODELS, policyWith, pricedModel } from './samples.ts';

const KNOWN = { ...pricedModel('large'), isKnown: true };
const SMALL = { sourceCount: 9, sourceTokens: 900, changes: 1 };
const LARGE = { sourceCount: 10_000, sourceTokens: 1_000_000, changes: 1 };

describe('what remaking a summary costs at most', () => {
  test('FORECAST-2: a small scope is one call over all of its sources', () => {
    const { tokens, microDollars } = remakingCost(SMALL, KNOWN, true);
    // 900 tokens and a quarter more, the frame, and the longest answer: three times 500, and 64.
    expect(tokens).toBe(100 + 1_125 + 1_564);
    expect(microDollars).toBe(100 + 1_125 + 2 * 1_564);
  });

  test('FORECAST-2: of a large scope only the segments that changed are made again', () => {
    const one = remakingCost(LARGE, KNOWN, true);
    const all = remakingCost(LARGE, KNOWN, false);
    expect(one.tokens).toBeGreaterThan(0);
    expect(one.tokens).toBeLessThan(all.tokens / 20);
    expect(all.tokens).toBeGreaterThan(LARGE.sourceTokens);
    expect(remakingCost({ ...LARGE, changes: 0 }, KNOWN, true).tokens).toBe(0);
  });

  test('FORECAST-2: the summarizer without a model costs nothing', () => {
    const extractive = { ...EXTRACTIVE, isKnown: true };
    expect(remakingCost(LARGE, extractive, false)).toEqual({ tokens: 0, microDollars: 0 });
  });

  test('FORECAST-2: more sources never cost less, nor do more changes', () => {
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
      embedding: null,
    },
  };
  const models = { ...MODELS, providers: new Map([['openai', provider]]) };
  const policyOf = (model: string) =>
    policyWith({}, { models: { economy: null, standard: { provider: 'openai', model } } });

  test('FORECAST-2: that of a ModelProvider has its price and its window', () => {
    expect(modelOfClass(policyOf('mini'), 'standard', models)).toMatchObject({
      name: 'openai/mini',
      price: { inputMicroDollarsPerMillion: 5, outputMicroDollarsPerMillion: 7 },
      inputTokensMax: 26_000,
      isKnown: true,
    });
  });

  test('FORECAST-2: one that no provider has is said to be unknown, and not to be free', () => {
    expect(modelOfClass(policyOf('gone'), 'standard', models)).toMatchObject({
      name: 'openai/gone',
      price: null,
      isKnown: false,
    });
  });

  test('FORECAST-2: without a ModelProvider it is that of the installation', () => {
    expect(modelOfClass(policyWith({}), 'economy', models)).toMatchObject({ name: 'small' });
  });
});
