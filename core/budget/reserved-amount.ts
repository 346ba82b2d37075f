/**
 * How much is reserved before a call of a model: the price (price.ts) of the most that it can use.
 */
import type { TokenCounter } from '../ports/token-counter.ts';
import { utf8Bytes } from '../storable-text.ts';

/** Another tokenizer than ours may make so many tokens of one of ours. */
export const TOKENIZER_MARGIN = 1.25;

/** What a server puts around two messages: roles, separators, the names of the schema. */
const TEMPLATE_TOKENS = 256;

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
