/** How much is reserved before a call of a model: the price of the most that it can use. */
import type { Price } from '../ports/model.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import type { Amount } from '../records/account.ts';
import type { Usage } from '../records/summary.ts';
import { utf8Bytes } from '../storable-text.ts';
import { costOf } from './price.ts';

/** Another tokenizer than ours may make so many tokens of one of ours. */
export const TOKENIZER_MARGIN = 1.25;

/** What a server puts around two messages: roles, separators, the names of the schema. */
const TEMPLATE_TOKENS = 256;

/** Returns the amount to reserve. @param usageMax tokens that the call can use at most */
export function reservedAmount(usageMax: Usage, price: Price): Amount {
  return costOf(usageMax, price);
}

/**
 * Tokens that a prompt is read as at most. The server may have another tokenizer, but none makes
 * tokens shorter than a byte.
 */
export function inputTokensBound(tokens: TokenCounter, texts: readonly string[]): number {
  return texts.reduce(
    (sum, text) =>
      sum + Math.min(utf8Bytes(text), Math.ceil(tokens.count(text) * TOKENIZER_MARGIN)),
    TEMPLATE_TOKENS,
  );
}
