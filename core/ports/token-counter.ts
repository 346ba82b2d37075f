/** The token port (design 6.23). */

export interface TokenCounter {
  /** Who made a number: `cl100k (gpt-tokenizer)`, `cl100k (js-tiktoken)`, `characters/4`. */
  readonly name: string;
  /**
   * Tokens of a text, no more than its bytes in UTF-8; text that looks like a special token counts
   * as ordinary text.
   */
  count(text: string): number;
}
