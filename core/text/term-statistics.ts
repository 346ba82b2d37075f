/** Statistics of terms and signs, for all that ranks texts by them. */

/** Returns how often each value occurs, in the order of first occurrences. */
export function countOccurrences<T>(values: Iterable<T>): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** How soon repetitions of a term stop counting. */
const SATURATION = 1.2;

/**
 * Returns the weight of a term by how often it occurs in a text (BM25): 1 for once in a text of
 * average length.
 * @param relativeLength length of the text as a multiple of the average
 * @param lengthWeight how much long texts are penalized, 0 to 1
 */
export function termPresence(count: number, relativeLength: number, lengthWeight: number): number {
  const damping = SATURATION * (1 - lengthWeight + lengthWeight * relativeLength);
  return (count * (1 + SATURATION)) / (count + damping);
}

/**
 * The least number of texts assumed. Otherwise, among three texts, a term that occurs once would
 * seem common, and a term that does not occur would outweigh it four to one.
 */
const TEXTS_MIN = 50;

/**
 * Returns the inverse document frequency of BM25 (Robertson, Zaragoza, "The Probabilistic Relevance
 * Framework: BM25 and Beyond", 2009): the rarer a term, the higher; a term that every text has
 * keeps a little.
 * @param having number of texts that have the term
 * @param texts number of all texts
 */
export function inverseDocumentFrequency(having: number, texts: number): number {
  const all = Math.max(texts, TEXTS_MIN);
  const some = Math.min(having, all);
  return Math.log(1 + (all - some + 0.5) / (some + 0.5));
}

/**
 * Returns how rare a sign is: the fewer texts have it, the higher; one that every text has keeps
 * a little.
 * @param having number of texts that have the sign
 * @param texts number of all texts
 */
export function rarity(having: number, texts: number): number {
  return Math.log(1 + texts / Math.max(1, having));
}
