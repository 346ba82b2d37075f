import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

export const { terms } = createTextAnalyzer();

/** Ten memories; each of these words occurs in one of them. */
export function scopeOf(text: string) {
  const known = new Set(terms(text));
  return {
    documents: 10,
    averageLength: 4,
    documentFrequency: (term: string) => Number(known.has(term)),
  };
}
