/**
 * The order in which sentences were said, by turns or by blocks of a file: a reader takes the later
 * line as the newer.
 */
import { foldedText } from '../grounding/comparable-text.ts';

interface Told {
  /** Ids of what it rests on. */
  readonly sources: readonly string[];
  /** Its words there; null if they are not kept. */
  readonly quote: string | null;
}

/**
 * Sorts facts by the first cited turns that have their words, and within a turn by where it has
 * them.
 */
export function inOrderOfSpeech<T extends Told>(
  facts: readonly T[],
  turns: readonly { readonly id: string; readonly content: string }[],
): readonly T[] {
  const texts = new Map(
    turns.map(({ id, content }, place) => [id, { text: foldedText(content), place }]),
  );
  const placed = facts.map((fact) => {
    const cited = fact.sources.flatMap((id) => texts.get(id) ?? []);
    const quote = foldedText(fact.quote ?? '');
    const said = cited.find(({ text }) => text.includes(quote)) ?? cited[0];
    const offset = Math.max(0, said?.text.indexOf(quote) ?? 0);
    return { fact, place: said?.place ?? turns.length, offset };
  });
  return placed
    .toSorted((a, b) => a.place - b.place || a.offset - b.offset)
    .map(({ fact }) => fact);
}
