/**
 * Finds texts that a newer one may correct, as it is about the same thing and has a word of change,
 * though no rule recognizes what it ends. No text is marked for this: readers see the days of both.
 */
import { countOccurrences } from '../text/term-statistics.ts';

export interface ComparedText {
  readonly at: number;
  /** Its words, as they are compared. */
  readonly terms: readonly string[];
  readonly mayChange: boolean;
}

/** Two texts on one thing share at least this many words, and this share of the shorter one. */
const SHARED_WORDS_MIN = 2;
const SHARED_SHARE_MIN = 0.5;
/** A word of at most this many texts, or of this share of them, tells what one is about. */
const TELLING_TEXTS_MAX = 4;
const TELLING_SHARE_MAX = 0.1;

/** Maps the place of a text to the places of those that may correct it; the time is quadratic. */
export function possibleCorrections(
  texts: readonly ComparedText[],
): ReadonlyMap<number, readonly number[]> {
  const counts = countOccurrences(texts.flatMap(({ terms }) => terms));
  const most = Math.max(TELLING_TEXTS_MAX, texts.length * TELLING_SHARE_MAX);
  const read = texts.map(({ at, terms, mayChange }, place) => {
    const about = new Set(terms.filter((term) => (counts.get(term) ?? 0) <= most));
    return { place, at, about, mayChange };
  });
  const changes = read.filter(({ mayChange }) => mayChange);
  const by = new Map<number, readonly number[]>();
  for (const { place, at, about } of read) {
    const newer = changes.filter((other) => {
      const shared = about.intersection(other.about).size;
      const least = Math.min(about.size, other.about.size) * SHARED_SHARE_MIN;
      return other.at > at && shared >= Math.max(SHARED_WORDS_MIN, least);
    });
    const places = newer.map((other) => other.place);
    if (places.length > 0) by.set(place, places);
  }
  return by;
}
