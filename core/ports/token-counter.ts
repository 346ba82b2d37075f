/** The token port (design 6.23). */

export interface TokenCounter {
  /** What makes the count: `cl100k (gpt-tokenizer)` or `characters/4`. */
  readonly name: string;
  /**
   * Counts the tokens of a text, at most its bytes in UTF-8. Text that looks like a special token
   * counts as ordinary text.
   */
  count(text: string): number;
}
