/**
 * Word stems, so that "deploys" and "deployed" count as one word.
 * Source: the Snowball stemmers of M. F. Porter, through the package `snowball-stemmers`.
 */
import { newStemmer } from 'snowball-stemmers';

export type StemAlgorithm = 'english' | 'porter';

/** A word that is longer than this is an identifier or noise: its first characters name it. */
const STEM_CHARS_MAX = 40;

/**
 * Makes a function that stems lowercase words and remembers what it has stemmed. The memory lives
 * as long as the function does; make one per text, and its size is bounded by that text's words.
 */
export function createStem(algorithm: StemAlgorithm): (word: string) => string {
  const stemmer = newStemmer(algorithm);
  const known = new Map<string, string>();
  return (word) => {
    const cut = word.slice(0, STEM_CHARS_MAX);
    const seen = known.get(cut);
    if (seen !== undefined) return seen;
    const stem = stemmer.stem(cut);
    known.set(cut, stem);
    return stem;
  };
}
