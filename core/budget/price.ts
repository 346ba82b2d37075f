/** From tokens to money, in integers, rounded up so that no sum is ever below the bill. */
import type { Price } from '../ports/model.ts';
import { NOTHING, type Amount } from '../records/account.ts';
import type { Usage } from '../records/summary.ts';

const MILLION = 1_000_000;

/** What a call cost; nothing where the model has no price. */
export function costOf(usage: Usage, price: Price | null): Amount {
  if (price === null) return NOTHING;
  const { inputMicroDollarsPerMillion: input, outputMicroDollarsPerMillion: output } = price;
  return {
    tokens: usage.inputTokens + usage.outputTokens,
    microDollars: Math.ceil((usage.inputTokens * input + usage.outputTokens * output) / MILLION),
  };
}

/**
 * The part of a call's usage that one of its items answers for, by its share of the source tokens.
 * Rounded up, so the parts may exceed the whole by a token each and never hide one.
 */
export function shareOf(usage: Usage, part: number, whole: number): Usage {
  const share = whole === 0 ? 1 : part / whole;
  return {
    inputTokens: Math.ceil(usage.inputTokens * share),
    outputTokens: Math.ceil(usage.outputTokens * share),
  };
}

/** What embedding so many tokens costs, by a price in micro-dollars for a million of them. */
export function embeddingCost(tokens: number, microDollarsPerMillionTokens: number): Amount {
  return { tokens, microDollars: Math.ceil((tokens * microDollarsPerMillionTokens) / MILLION) };
}
