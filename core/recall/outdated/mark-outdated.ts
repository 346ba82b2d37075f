/**
 * Marks sentences of summaries, and memories, that something newer replaces: facts of the same
 * summary or what was written since, later words of the user, or another layer. A summary stays as
 * it is until its scope is refreshed, and a memory until somebody changes it, but a reader sees at
 * once what is outdated.
 */
import { withTexts, type PartText, type SummaryPart } from '../../context/context-parts.ts';
import { partTextOf } from '../../context/context-text.ts';
import { EARLIER_MARK, markOf, withoutOutdatedMark } from '../../context/outdated-mark.ts';
import { strongestOf, type Ending } from '../../extraction/compare-with-known.ts';
import type { Layer } from '../../layer.ts';
import { once } from '../../once.ts';
import type { Fact } from '../../records/summary.ts';
import type { Scope } from '../../scope.ts';
import { mayReplace, readDatedText } from './likely-correction.ts';
import {
  endingAcross,
  standingAmong,
  type ComparedMemory,
  type LayeredText,
  type StandingOf,
  outdatedMemories,
} from './outdated-memories.ts';
import type { EndingByUser } from './replacements.ts';
import { dayOf } from '../../text/day.ts';
import { inFirstPerson } from '../../extraction/statement.ts';
import type { OutdatedMarks, ServedText } from '../../refresh/served-summary.ts';
import type { SaidAt } from '../../said-at.ts';
import { withoutSourceDate } from '../../sources/source.ts';
import { saidOf } from '../../text/joined-sentences.ts';

/** Speakers of a chat who say `I` of the owner of its scope; a named speaker may be anybody. */
const OWNERS: ReadonlySet<string | null> = new Set([null, 'user', 'human']);

/**
 * Compares the texts of one scope as a search compares its memories.
 * @param termsOf returns terms as a search compares them
 */
export function outdatedMarks(
  scope: Pick<Scope, 'layer' | 'scopeId'>,
  termsOf: (text: string) => readonly string[],
  now: SaidAt,
): OutdatedMarks {
  const { layer } = scope;
  const today = dayOf(now);
  return (told) => {
    const compared = told.flatMap((each, place) => {
      if (!OWNERS.has(each.speaker)) return [];
      const { trust, at } = each;
      const content = comparedText(each, scope);
      const terms = once(() => new Set(termsOf(content)));
      return { id: String(place), layer, trust, content, at, today, terms };
    });
    const { outdated, inPart } = outdatedMemories(compared);
    return new Map(
      [...outdated.keys()].map((id) => {
        const ended = inPart.has(id) ? 'Some' : 'All';
        return [Number(id), markOf({ ended, newerIn: [] })];
      }),
    );
  };
}

/** Returns what the owner of the scope would say: `Dana lives in Lyon` ends with `I moved`. */
export function comparedText(
  { text, speaker }: Pick<ServedText, 'text' | 'speaker'>,
  { layer, scopeId }: Pick<Scope, 'layer' | 'scopeId'>,
): string {
  const said = withoutSourceDate(speaker === null ? text : saidOf(text));
  return layer === 'user' ? inFirstPerson(said, [scopeId]) : said;
}

/** The facts of one summary of a layer. */
export interface LayerFacts extends Pick<Scope, 'layer' | 'scopeId'> {
  readonly facts: readonly Fact[];
}

/** What marks sentences of summaries. */
export interface ComparedLayers {
  /** Since when each source of a sentence holds, by its id. */
  readonly dates: ReadonlyMap<string, number>;
  readonly standingOf: StandingOf;
}

/**
 * Compares what summaries say with later words of the user and with other layers.
 * @param memories those of the same context, by id
 */
export function comparedLayers(
  summaries: readonly LayerFacts[],
  {
    memories,
    termsOf,
    endedByUser,
  }: {
    readonly memories: ReadonlyMap<string, ComparedMemory>;
    readonly termsOf: (text: string) => readonly string[];
    readonly endedByUser: EndingByUser;
  },
): ComparedLayers {
  const toldIn = ({ layer, facts }: LayerFacts): readonly LayeredText[] =>
    facts.map(({ text: content, at, trust }) => {
      return { layer, trust, content, at, terms: once(() => new Set(termsOf(content))) };
    });
  const among = standingAmong([...memories.values(), ...summaries.flatMap(toldIn)], termsOf);
  const endedByOwn = endingByOwn([...memories.values()], termsOf);
  const dates = new Map(summaries.flatMap(({ facts }) => datesOf(facts)));
  // One that is said again has a later time than its summary knows.
  for (const [id, { at }] of memories) dates.set(id, Math.max(at, dates.get(id) ?? at));
  const scopes = new Map(summaries.map((each) => [each.layer, each]));
  const standingOf: StandingOf = (each) => {
    const { layer, content: text, at } = each;
    const scope = scopes.get(layer);
    const content = scope === undefined ? text : comparedText({ text, speaker: null }, scope);
    const byOwn = scope === undefined ? 'None' : endedByOwn(layer, content, at);
    const ended = strongestOf([endedByUser(layer, content, at), byOwn]);
    return ended === 'None' ? among(each) : { ended, newerIn: [] };
  };
  return { dates, standingOf };
}

/** Returns how much of a text the memories of its own layer end, which a summary may lack. */
function endingByOwn(
  memories: readonly ComparedMemory[],
  termsOf: (text: string) => readonly string[],
): (layer: Layer, content: string, at: number) => Ending {
  const read = memories.map((memory) => ({ ...readDatedText(memory), layer: memory.layer }));
  const enders = read.filter(mayReplace);
  return (layer, content, at) => {
    const newer = enders.filter((each) => each.layer === layer && each.at > at);
    if (newer.length === 0) return 'None';
    const older = readDatedText({ content, at, terms: once(() => new Set(termsOf(content))) });
    return strongestOf(newer.map((each) => endingAcross(older, each)));
  };
}

/** Returns the ids of the facts' sources, each with the time since when it holds. */
function datesOf(facts: readonly Fact[]): readonly (readonly [id: string, at: number])[] {
  return facts.flatMap(({ sources, at }) => sources.map((id) => [id, at] as const));
}

/**
 * Returns the summary, in all its depths, with a mark behind each outdated sentence. A sentence
 * whose sources have no date stays unmarked.
 */
export function withOutdatedMarked(part: SummaryPart, compared: ComparedLayers): SummaryPart {
  return withTexts(part, (text) => markedText(text, part.layer, compared));
}

function markedText(part: PartText, layer: Layer, { dates, standingOf }: ComparedLayers): PartText {
  let isMarked = false;
  const sentences = part.sentences.map((sentence) => {
    const known = sentence.sources.flatMap((id) => dates.get(id) ?? []);
    if (known.length === 0) return sentence;
    const { text, trust } = sentence;
    // Facts of the same summary may have ended it already.
    if (text.endsWith(EARLIER_MARK)) return sentence;
    const content = withoutOutdatedMark(text);
    const mark = markOf(standingOf({ layer, content, trust, at: Math.max(...known) }));
    if (mark === '') return sentence;
    isMarked = true;
    return { ...sentence, text: `${content}${mark}` };
  });
  return isMarked ? partTextOf(sentences) : part;
}
