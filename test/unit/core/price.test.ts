import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Price } from '#core/ports/model.ts';
import { costOf, embeddingCost, usageShare } from '#core/budget/price.ts';

const PRICE: Price = {
  inputMicroDollarsPerMillion: 150_000,
  outputMicroDollarsPerMillion: 600_000,
};

describe('price', () => {
  test.each([
    [0, 0, 0],
    [1, 0, 1],
    [0, 1, 1],
    [10, 5, 5],
    [1_000_000, 0, 150_000],
    [1_000_001, 0, 150_001],
    [1_000_000, 1_000_000, 750_000],
  ])('%d tokens in and %d out cost %d micro-dollars', (inputTokens, outputTokens, cost) => {
    const tokens = inputTokens + outputTokens;
    const expected = { tokens, microDollars: cost };
    expect(costOf({ inputTokens, outputTokens }, PRICE)).toEqual(expected);
  });

  test('a model without a price costs nothing and uses no tokens of the budget', () => {
    const usage = { inputTokens: 9, outputTokens: 9 };
    expect(costOf(usage, null)).toEqual({ tokens: 0, microDollars: 0 });
  });

  test.each([
    [0, 0],
    [1, 1],
    [1_000_000, 20_000],
    [1_000_001, 20_001],
  ])('embedding %d tokens costs %d micro-dollars', (tokens, microDollars) => {
    expect(embeddingCost(tokens, 20_000)).toEqual({ tokens, microDollars });
  });

  test('an item pays for its share of a call, or for all of it if no share is known', () => {
    const used = { inputTokens: 90, outputTokens: 30 };
    expect(usageShare(used, 1, 3)).toEqual({ inputTokens: 30, outputTokens: 10 });
    expect(usageShare(used, 2, 4)).toEqual({ inputTokens: 45, outputTokens: 15 });
    expect(usageShare(used, 0, 0)).toEqual(used);
  });

  const usage = fc.record({ inputTokens: fc.nat(1_000_000), outputTokens: fc.nat(100_000) });

  test('a cost is a whole number, at least the bill and less than one above it', () => {
    fc.assert(
      fc.property(usage, fc.nat(20_000_000), fc.nat(80_000_000), (used, input, output) => {
        const price = { inputMicroDollarsPerMillion: input, outputMicroDollarsPerMillion: output };
        const { microDollars } = costOf(used, price);
        const exact = (used.inputTokens * input + used.outputTokens * output) / 1_000_000;
        expect(Number.isInteger(microDollars)).toBe(true);
        expect(microDollars).toBeGreaterThanOrEqual(exact);
        expect(microDollars - exact).toBeLessThan(1);
      }),
    );
  });

  test('the shares of the items cover every token of their call', () => {
    const parts = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(usage, parts, (used, all) => {
        const whole = all.reduce((sum, part) => sum + part, 0);
        const shares = all.map((part) => usageShare(used, part, whole));
        const read = shares.reduce((sum, share) => sum + share.inputTokens, 0);
        expect(read).toBeGreaterThanOrEqual(used.inputTokens);
        // Where nothing tells the items apart, each answers for the whole.
        if (whole > 0) expect(read).toBeLessThanOrEqual(used.inputTokens + all.length);
      }),
    );
  });
});
