/** Converts tokens to money, in integers, rounded up so that no sum is below the bill. */
import type { Price } from '../ports/model.ts';
import { NOTHING, type Amount } from '../records/account.ts';
import type { Usage } from '../records/summary.ts';

const MILLION = 1_000_000;

/** Returns the cost of a call; nothing if the model has no price. */
export function costOf(usage: Usage, price: Price | null): Amount {
  if (price === null) return NOTHING;
  const { inputMicroDollarsPerMillion: input, outputMicroDollarsPerMillion: output } = price;
  return {
    tokens: usage.inputTokens + usage.outputTokens,
    microDollars: Math.ceil((usage.inputTokens * input + usage.outputTokens * output) / MILLION),
  };
}

/**
 * Returns one item's part of a call's usage, by its share of the source tokens. Rounded up, so the
 * parts may exceed the whole by a token each, and no usage is lost.
 */
export function usageShare(usage: Usage, part: number, whole: number): Usage {
  const share = whole === 0 ? 1 : part / whole;
  return {
    inputTokens: Math.ceil(usage.inputTokens * share),
    outputTokens: Math.ceil(usage.outputTokens * share),
  };
}

/** Returns the cost of embedding tokens, by a price in micro-dollars per million tokens. */
export function embeddingCost(tokens: number, microDollarsPerMillionTokens: number): Amount {
  return { tokens, microDollars: Math.ceil((tokens * microDollarsPerMillionTokens) / MILLION) };
}
