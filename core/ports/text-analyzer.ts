/** The analyzer port: splits a text into the terms that keyword search compares. */

export interface TextAnalyzer {
  /** Changes whenever any term would change; a store then analyzes its texts again. */
  readonly revision: string;
  /**
   * Returns terms in the order of the text, with repetitions: lower-case stems, identifiers with
   * their parts, and pairs of characters in scripts without spaces. A term has no white space.
   * Words that say little in any text are left out.
   */
  terms(text: string): readonly string[];
}
