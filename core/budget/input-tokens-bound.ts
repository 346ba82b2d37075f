/**
 * The most tokens that a prompt may be counted as: a call reserves the price (price.ts) of these
 * and of its longest answer.
 */
import type { TokenCounter } from '../ports/token-counter.ts';
import { utf8Bytes } from '../storable-text.ts';

/** Another tokenizer may make up to this many tokens of one token of Varve's. */
export const TOKENIZER_MARGIN = 1.25;

/** What a server adds around two messages: roles, separators, the names of the schema. */
const TEMPLATE_TOKENS = 256;

/**
 * Returns the most tokens that a server may count for a prompt. It may have another tokenizer, but
 * none makes tokens shorter than a byte.
 */
export function inputTokensBound(tokens: TokenCounter, texts: readonly string[]): number {
  return texts.reduce(
    (sum, text) =>
      sum + Math.min(utf8Bytes(text), Math.ceil(tokens.count(text) * TOKENIZER_MARGIN)),
    TEMPLATE_TOKENS,
  );
}
