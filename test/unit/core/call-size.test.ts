import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { askedTexts, callSizes } from '#core/refresh/call-size.ts';
import type { BatchItem } from '#core/ports/model.ts';
import { promptOf } from '#core/prompt/summary-prompt.ts';
import { answerTokensMax } from '#core/prompt/answer-schema.ts';
import { DEPTH_TOKENS_MAX, DEPTHS, type Depth } from '#core/records/summary.ts';
import { memorySource } from '#core/sources/source.ts';
import { utf8Bytes } from '#core/storable-text.ts';
import { digest, memoryOf } from '#test/conformance/samples.ts';

/** A model that knows no tokenizer: a byte of its prompt may be a token. */
const model = {
  usageMax: (batch: { items: readonly BatchItem[] }) => {
    const { system, user } = promptOf(batch, { attemptId: 'attempt', digest, now: 0 });
    const inputTokens = utf8Bytes(system) + utf8Bytes(user);
    return { inputTokens, outputTokens: answerTokensMax(batch) };
  },
};

function itemOf(sources: number, tokensMax: number): BatchItem {
  return {
    item: 'a',
    layer: 'team',
    depths: ['detailed'],
    task: 'Extract',
    tokensMax,
    audience: null,
    sources: Array.from({ length: sources }, (_, n) =>
      memorySource(memoryOf('acme', n, { content: 'x'.repeat(80), tokenCount: 80 })),
    ),
  };
}

describe('the depths that a layer asks for', () => {
  test.each<[readonly Depth[], boolean, readonly Depth[], number]>([
    [['detailed', 'sentence'], false, ['sentence', 'detailed'], DEPTH_TOKENS_MAX.detailed],
    [['sentence'], false, ['sentence'], DEPTH_TOKENS_MAX.sentence],
    [['sentence'], true, ['sentence', 'detailed'], DEPTH_TOKENS_MAX.detailed],
  ])('for %s (personalized: %s) are %s', (depths, personalized, asked, tokensMax) => {
    expect(askedTexts({ depths: [...depths], personalized })).toEqual({ depths: asked, tokensMax });
  });
});

describe('sizes of calls', () => {
  test('counts alone predict the input tokens of a call, including its rules', () => {
    const counts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(counts, (sources) => {
        const { rules, sizeOf } = callSizes(model);
        const items = sources.map((count) => itemOf(count, 500));
        const real = model.usageMax({ items }).inputTokens;
        const estimated = sources.reduce((sum, count) => {
          const { task, depths, tokensMax } = itemOf(count, 500);
          const outline = { task, depths, tokensMax, sources: count, tokens: count * 80 };
          return sum + sizeOf(outline).inputTokens;
        }, rules);
        expect(estimated).toBeGreaterThanOrEqual(real * 0.95);
        expect(estimated).toBeLessThanOrEqual(real * 1.35);
      }),
    );
  });

  test('the output limit of an item is the limit that the call enforces', () => {
    const { sizeOf } = callSizes(model);
    for (const [task, depths, tokensMax, sources] of [
      ['Extract', ['detailed'], 500, 3],
      ['Extract', DEPTHS, 500, 3],
      ['Select', DEPTHS, 400, 70],
    ] as const) {
      const item = { ...itemOf(sources, tokensMax), task, depths };
      const { outputTokens } = sizeOf({ task, depths, tokensMax, sources, tokens: sources * 80 });
      expect(outputTokens).toBe(answerTokensMax({ items: [item] }));
    }
  });
});
