/**
 * Marks sentences of summaries, and memories, that later words of the user or another layer
 * replace. A summary stays as it is until its scope is refreshed, and a memory until somebody
 * changes it, but the context shows at once what is outdated.
 */
import type { PartText, SummaryPart } from '../context/context-parts.ts';
import { partTextOf } from '../context/context-text.ts';
import { markOf } from '../context/earlier-mark.ts';
import type { Ending } from '../extraction/compare-with-known.ts';
import type { Layer } from '../layer.ts';
import { once } from '../once.ts';
import { DEPTHS, type Depth, type Fact } from '../records/summary.ts';
import { endersAmong, endingAmong, type StandingOf } from './outdated-memories.ts';
import type { ReadText } from './likely-correction.ts';

/** Layers that a user speaks for; single members do not change what a team or a company holds. */
const SPOKEN_FOR: ReadonlySet<Layer> = new Set(['agent', 'user', 'session', 'project']);
/** Returns how much of a text, which holds since `at`, later words of the user end. */
export type EndingByUser = (layer: Layer, content: string, at: number) => Ending;

/**
 * @param later what users said in the conversations that the context is made of
 * @param termsOf returns terms as recall compares them
 */
export function endingByUser(
  later: readonly ReadText[],
  termsOf: (content: string) => readonly string[],
): EndingByUser {
  return (layer, content, at) =>
    SPOKEN_FOR.has(layer) && later.some((said) => said.at > at)
      ? endingAmong({ content, at, terms: once(() => termsOf(content)) }, later)
      : 'None';
}

/** As `endingByUser`; returns those of the texts that end all that another one says. */
export function endersByUser<T extends ReadText>(
  later: readonly T[],
  termsOf: (content: string) => readonly string[],
): (layer: Layer, content: string, at: number) => readonly T[] {
  return (layer, content, at) =>
    SPOKEN_FOR.has(layer)
      ? endersAmong({ content, at, terms: once(() => termsOf(content)) }, later)
      : [];
}

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
