/**
 * Marks what summaries and memories say that later words of the user replace. A summary stays as
 * it was until its scope is refreshed, and a memory until somebody changes it; the context tells
 * the truth at once.
 */
import type { PartText, SummaryPart } from '../context/context-parts.ts';
import { partTextOf } from '../context/context-text.ts';
import { EARLIER } from '../context/past-turns.ts';
import type { Layer } from '../layer.ts';
import { DEPTHS, type Depth, type Fact } from '../records/summary.ts';
import { isReplaced } from './replaced-memories.ts';
import type { ReadText } from './likely-change.ts';

/** Layers that a user speaks for; what a team or a company holds, its members do not change. */
const SPOKEN_FOR: ReadonlySet<Layer> = new Set(['agent', 'user', 'session', 'project']);
/** Whether later words of the user replace a text that holds since a time. */
export type IsOutdated = (layer: Layer, content: string, at: number) => boolean;

/**
 * @param later what users said, in the conversations that the context is made of
 * @param termsOf as recall compares them
 */
export function outdatedBy(
  later: readonly ReadText[],
  termsOf: (content: string) => readonly string[],
): IsOutdated {
  return (layer, content, at) =>
    SPOKEN_FOR.has(layer) &&
    later.some((said) => said.at > at) &&
    isReplaced({ content, at, terms: termsOf(content) }, later);
}

/** The summary with a mark behind each outdated sentence, in all depths. */
export function withOutdatedMarked(
  part: SummaryPart,
  facts: readonly Fact[],
  isOutdated: IsOutdated,
): SummaryPart {
  const dates = new Map(facts.flatMap(({ sources, at }) => sources.map((id) => [id, at] as const)));
  const depths: Partial<Record<Depth, PartText>> = {};
  for (const depth of DEPTHS) {
    const text = part.depths[depth];
    if (text !== undefined) depths[depth] = markedText(text, part.layer, { dates, isOutdated });
  }
  return { ...part, depths };
}

function markedText(
  part: PartText,
  layer: Layer,
  { dates, isOutdated }: { dates: ReadonlyMap<string, number>; isOutdated: IsOutdated },
): PartText {
  let isMarked = false;
  const sentences = part.sentences.map((sentence) => {
    const known = sentence.sources.flatMap((id) => dates.get(id) ?? []);
    // What was written since the summary is newer than all of it, and has no fact.
    if (known.length === 0 || !isOutdated(layer, sentence.text, Math.max(...known))) {
      return sentence;
    }
    isMarked = true;
    return { ...sentence, text: `${sentence.text}${EARLIER}` };
  });
  return isMarked ? partTextOf(sentences) : part;
}
