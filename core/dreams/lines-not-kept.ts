/** Finds the lines of blocks that a dream without a model read but did not keep. */
import { withoutSourceDate } from '../sources/source.ts';
import type { DocumentLine } from '../records/document.ts';
import { saysNothing } from '../text/small-talk.ts';
import { saidOf } from '../text/joined-sentences.ts';
import { readLine } from './compare-lines.ts';

/**
 * Returns the lines from which nothing was kept, except greetings. If one sentence of a line is
 * kept, the line counts as kept.
 * @param kept texts that MEMORY.md has or had, and texts that the diary names elsewhere
 */
export function linesNotKept(
  lines: readonly DocumentLine[],
  kept: readonly string[],
): readonly DocumentLine[] {
  const known = new Set<string>();
  for (const text of kept) {
    const { key, said, clauses } = readLine(withoutSourceDate(text));
    for (const each of [key, said, ...clauses]) known.add(each);
  }
  return lines.filter(({ text }) => {
    if (text.trim() === '' || saysNothing(saidOf(text))) return false;
    const { key, said, clauses } = readLine(text);
    return ![key, said, ...clauses].some((each) => known.has(each));
  });
}
