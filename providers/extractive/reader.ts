/** Whom a text is for: what its reader is known to deal with weighs more (design 6.21). */
import { contentStems } from '#core/text/words.ts';

/**
 * A word of the reader's weighs so many times what it weighs for everybody: enough that a fact
 * about the reader's matter comes before one that says as much about another, and no fact is left
 * out that everybody should know as long as there is room.
 */
const READER_WEIGHT = 4;

/** Weights of stems for a reader who is described by a text. */
export function weightsForReader(
  weights: ReadonlyMap<string, number>,
  about: string,
  stem: (word: string) => string,
): ReadonlyMap<string, number> {
  const own = new Set(contentStems(about, stem));
  return new Map(
    [...weights].map(([each, weight]) => [each, own.has(each) ? weight * READER_WEIGHT : weight]),
  );
}
