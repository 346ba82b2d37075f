/**
 * Finds texts that a newer one may correct, as it is about the same thing and has a word of change,
 * though no rule recognizes what it ends. No text is marked for this: readers see the days of both.
 */
import { countOccurrences } from '../../text/term-statistics.ts';

interface ComparedText {
  readonly at: number;
  /** Its words, as they are compared. */
  readonly terms: readonly string[];
  readonly mayChange: boolean;
}

/** When two texts are about one thing. */
export interface OneThing {
  /** They share at least this many telling words, and this share of the shorter text's. */
  readonly sharedMin: number;
  readonly sharedShareMin: number;
  /** A word of at most this many texts, or of this share of them, tells what one is about. */
  readonly tellingTextsMax: number;
  readonly tellingShareMax: number;
}

const LIKELY_ONE_THING: OneThing = {
  sharedMin: 2,
  sharedShareMin: 0.5,
  tellingTextsMax: 4,
  tellingShareMax: 0.1,
};

/** Maps the place of a text to the places of those that may correct it; the time is quadratic. */
export function possibleCorrections(
  texts: readonly ComparedText[],
  one: OneThing = LIKELY_ONE_THING,
): ReadonlyMap<number, readonly number[]> {
  const counts = countOccurrences(texts.flatMap(({ terms }) => terms));
  const most = Math.max(one.tellingTextsMax, texts.length * one.tellingShareMax);
  const read = texts.map(({ at, terms, mayChange }, place) => {
    const about = new Set(terms.filter((term) => (counts.get(term) ?? 0) <= most));
    return { place, at, about, mayChange };
  });
  const changes = read.filter(({ mayChange }) => mayChange);
  const by = new Map<number, readonly number[]>();
  for (const { place, at, about } of read) {
    const newer = changes.filter((other) => {
      const shared = about.intersection(other.about).size;
      const least = Math.min(about.size, other.about.size) * one.sharedShareMin;
      return other.at > at && shared >= Math.max(one.sharedMin, least);
    });
    const places = newer.map((other) => other.place);
    if (places.length > 0) by.set(place, places);
  }
  return by;
}
