/** The order in which sentences were said: a reader takes the later line as the newer. */

interface Told {
  /** Ids of what it rests on; the first is where it was said. */
  readonly sources: readonly string[];
  /** Its words there; null if they are not kept. */
  readonly quote: string | null;
}

/** Sorts facts by the turns that say them, and within a turn by where it says them. */
export function inOrderOfSpeech<T extends Told>(
  facts: readonly T[],
  turns: readonly { readonly id: string; readonly content: string }[],
): readonly T[] {
  const contents = new Map(turns.map(({ id, content }, place) => [id, { content, place }]));
  const placed = facts.map((fact) => {
    const turn = contents.get(fact.sources[0] ?? '');
    const offset = fact.quote === null ? 0 : turn?.content.indexOf(fact.quote);
    return { fact, place: turn?.place ?? turns.length, offset: offset ?? 0 };
  });
  return placed
    .toSorted((a, b) => a.place - b.place || a.offset - b.offset)
    .map(({ fact }) => fact);
}
