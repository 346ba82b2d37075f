/**
 * Marks sentences of summaries, and memories, that later words of the user or another layer
 * replace. A summary stays as it is until its scope is refreshed, and a memory until somebody
 * changes it, but the context shows at once what is outdated.
 */
import type { PartText, SummaryPart } from '../context/context-parts.ts';
import { partTextOf } from '../context/context-text.ts';
import { markOf } from '../context/earlier-mark.ts';
import type { Layer } from '../layer.ts';
import { DEPTHS, type Depth, type Fact } from '../records/summary.ts';
import type { StandingOf } from './outdated-memories.ts';

/** Returns the ids of the facts' sources, each with the time since when it holds. */
export function datesOf(facts: readonly Fact[]): readonly (readonly [id: string, at: number])[] {
  return facts.flatMap(({ sources, at }) => sources.map((id) => [id, at] as const));
}

/**
 * Returns the summary, in all its depths, with a mark behind each outdated sentence.
 * @param dates of its sources; a sentence whose sources have none stays unmarked
 */
export function withOutdatedMarked(
  part: SummaryPart,
  dates: ReadonlyMap<string, number>,
  standingOf: StandingOf,
): SummaryPart {
  const depths: Partial<Record<Depth, PartText>> = {};
  for (const depth of DEPTHS) {
    const text = part.depths[depth];
    if (text !== undefined) depths[depth] = markedText(text, part.layer, { dates, standingOf });
  }
  return { ...part, depths };
}

function markedText(
  part: PartText,
  layer: Layer,
  { dates, standingOf }: { dates: ReadonlyMap<string, number>; standingOf: StandingOf },
): PartText {
  let isMarked = false;
  const sentences = part.sentences.map((sentence) => {
    const known = sentence.sources.flatMap((id) => dates.get(id) ?? []);
    if (known.length === 0) return sentence;
    const { text: content, trust } = sentence;
    const mark = markOf(standingOf({ layer, content, trust, at: Math.max(...known) }));
    if (mark === '') return sentence;
    isMarked = true;
    return { ...sentence, text: `${content}${mark}` };
  });
  return isMarked ? partTextOf(sentences) : part;
}
