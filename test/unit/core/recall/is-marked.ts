/** Whether a newer memory marks an older one as outdated, for the tests of recall. */
import { outdatedMemories, type ComparedMemory } from '#core/recall/outdated/outdated-memories.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

const analyzer = createTextAnalyzer();

/** @param more when they were said, and the day on which they are compared */
export function isMarked(
  older: string,
  newer: string,
  more: Pick<ComparedMemory, 'today'> & { readonly said?: number; readonly step?: number } = {},
): boolean {
  const { said = 0, step = 1, ...rest } = more;
  const known = [older, newer].map((content, place): ComparedMemory => {
    const terms = () => new Set(recallTerms(analyzer, content));
    const at = said + place * step;
    return { id: String(place), content, at, layer: 'user', trust: 'stated', terms, ...rest };
  });
  return outdatedMemories(known).outdated.has('0');
}
