/**
 * Word stems, so that "deploys" and "deployed" match.
 * Source: the Snowball stemmers of M. F. Porter, from the package `snowball-stemmers`.
 */
import { newStemmer } from 'snowball-stemmers';
import { ownCopy } from '../storable-text.ts';

/** `porter` is the older English algorithm, which ROUGE uses to compare words. */
type StemAlgorithm = 'english' | 'german' | 'spanish' | 'porter';

/**
 * Maximum stems in the cache of one function; it pays because a text is both analyzed and embedded.
 * The key is the word, whose stem never changes. Stemming takes 12 µs a word, a look-up a tenth of
 * one. A full cache is cleared, which costs less than tracking use.
 */
const STEMS_KEPT_MAX = 20_000;

/** A longer word is an identifier or noise and is not stemmed. */
const STEM_UNITS_MAX = 40;

const STEMMED: Readonly<Record<StemAlgorithm, RegExp>> = {
  english: /^[a-z]+$/u,
  porter: /^[a-z]+$/u,
  german: /^[a-zäöüß]+$/u,
  spanish: /^[a-záéíóúüñ]+$/u,
};

/** Returns a function that stems lower-case words; it leaves other languages' words unchanged. */
export function createStem(algorithm: StemAlgorithm): (word: string) => string {
  const stemmer = newStemmer(algorithm);
  const stemmed = STEMMED[algorithm];
  const kept = new Map<string, string>();
  return (given) => {
    if (given.length > STEM_UNITS_MAX || !stemmed.test(given)) return given;
    const known = kept.get(given);
    if (known !== undefined) return known;
    // A slice as key or stem would keep the whole text in memory.
    const word = ownCopy(given);
    if (kept.size >= STEMS_KEPT_MAX) kept.clear();
    const made = stemmer.stem(word);
    kept.set(word, made);
    return made;
  };
}

/** Stems of English words, shared by all callers. */
export const stem = createStem('english');
