/** The headings that an answer groups its lines under: they are claims as well. */
import type { AnswerFact } from '../prompt/answer.ts';
import { groundEach } from '../grounding/grounding.ts';
import { HEADING_LENGTH_MAX, LINE_SOURCES_MAX, type DocumentLine } from '../records/document.ts';
import type { Source } from '../sources/source.ts';
import { lineKey } from '../tiers/line-key.ts';
import { oneLine } from '../text/lines.ts';
import type { AnsweredLine } from './dream-answer.ts';

/** A heading says what its lines are about, in words of its own. */
const HEADING_RULES = ['identifier', 'measure'] as const;

/**
 * By the heading of the answer: as it is written, or as MEMORY.md has it already. One that names
 * a number, a day or the like that the sources of its lines do not have is not in it.
 */
export function groundedHeadings(
  answered: readonly AnsweredLine[],
  base: readonly DocumentLine[],
  sources: ReadonlyMap<string, Source>,
): ReadonlyMap<string, string> {
  const known = new Map(base.map(({ heading }) => [lineKey(heading ?? ''), heading]));
  const ids = new Map(base.map(({ id, text }) => [lineKey(text), id]));
  const headings = new Map<string, string>();
  const claims: (AnswerFact & { readonly heading: string })[] = [];
  for (const [heading, lines] of Map.groupBy(answered, (line) => line.heading)) {
    if (heading === null) continue;
    const same = known.get(lineKey(heading));
    if (same != null) {
      headings.set(heading, same);
      continue;
    }
    const text = oneLine(heading);
    const cited = lines.flatMap((line) => [...line.sources, ids.get(lineKey(line.text)) ?? '']);
    const under = [...new Set(cited)].filter((id) => sources.has(id)).slice(0, LINE_SOURCES_MAX);
    if (text === '' || text.length > HEADING_LENGTH_MAX) continue;
    claims.push({ heading, text, sources: under });
  }
  for (const [at, { reason, text }] of groundEach(claims, sources, {
    rules: HEADING_RULES,
  }).entries()) {
    if (reason === null) headings.set(claims[at]?.heading ?? text, text);
  }
  return headings;
}
