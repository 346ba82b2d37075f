/** The analyzer port: a text to the terms that the keyword leg of a search compares. */

export interface TextAnalyzer {
  /**
   * Changes with anything that changes a term; a store analyzes texts with another version again.
   */
  readonly revision: string;
  /**
   * Terms in the order of the text, with repetitions: lower-case stems, the parts of identifiers
   * and the whole, pairs of characters in scripts without spaces. No term holds white space, and
   * what says little in any text is left out.
   */
  terms(text: string): readonly string[];
}
