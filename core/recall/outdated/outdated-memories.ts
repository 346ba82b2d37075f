/** Finds the memories of one answer that a newer text replaces without saying so. */
import { endingOf, strongestOf, type Ending } from '../../extraction/compare-with-known.ts';
import { takesChangeBack } from '../../extraction/rules/changes-taken-back.ts';
import { isOfUser } from '../../extraction/statements-and-corrections.ts';
import { HOLDS, type Standing } from '../../context/outdated-mark.ts';
import { PRECEDENCE, type Layer } from '../../layer.ts';
import { once } from '../../once.ts';
import { countOccurrences } from '../../text/term-statistics.ts';
import type { Memory } from '../../records/memory.ts';
import { leastTrust, type Trust } from '../../trust.ts';
import { givesAnotherValue, newestValues } from '../../extraction/newer-value.ts';
import {
  asHolding,
  likelyEnding,
  mayReplace,
  readDatedText,
  type DatedText,
  type ReadText,
  type TextsWith,
} from './likely-correction.ts';
import { dayOf } from '../../text/day.ts';
import { inFirstPerson } from '../../extraction/statement.ts';
import type { TextAnalyzer } from '../../ports/text-analyzer.ts';
import type { SaidAt } from '../../said-at.ts';
import { recallTerms } from '../words/recall-terms.ts';

/** A text of a memory or a summary. */
export interface LayeredText extends DatedText {
  /** In one answer each layer is one scope. */
  readonly layer: Layer;
  readonly trust: Trust;
}

export interface ComparedMemory extends LayeredText {
  readonly id: string;
}

/** By the id of an older memory: the ids of the newer ones, at least one. */
export type NewerIds = ReadonlyMap<string, readonly string[]>;

export interface OutdatedMemories {
  /** The newer ones hold in place of the older one. */
  readonly outdated: NewerIds;
  /** Ids of the outdated ones that also say something that still holds. */
  readonly inPart: ReadonlySet<string>;
  /** The newer ones belong to another layer, and precedence does not decide for them. */
  readonly newerElsewhere: NewerIds;
}

type ReadLayered = LayeredText & ReadText;

type Holding = 'Newer' | 'Undecided' | 'Both';

/** Longest text that an answer compares, in UTF-16 code units; a longer one is a document. */
const COMPARED_UNITS_MAX = 1_000;
/** The same for all texts of one comparison. */
const COMPARED_UNITS_OF_ALL_MAX = 10_000;

/** Returns the texts that an answer has time to compare: those that stand first. */
export function comparedFirst<T extends { readonly content: string }>(
  texts: readonly T[],
): readonly T[] {
  let units = 0;
  return texts.filter(({ content: { length } }) => {
    const isCompared = length <= COMPARED_UNITS_MAX && units + length <= COMPARED_UNITS_OF_ALL_MAX;
    if (isCompared) units += length;
    return isCompared;
  });
}

/**
 * Compares each memory with the newer ones. One that is taken back ends nothing.
 * @param memories those of one answer; the time grows with the square of their number and lengths,
 *   so take `comparedFirst` of what others wrote
 */
export function outdatedMemories(memories: readonly ComparedMemory[]): OutdatedMemories {
  const textsWith = countedIn(memories);
  const read = memories.map((memory) => ({ ...memory, ...readLayered(memory, textsWith) }));
  const outdated = newValues(read);
  const newerElsewhere = new Map<string, readonly string[]>();
  const whole = new Set(outdated.keys());
  for (const older of read) {
    for (const newer of read) {
      const holding = holdingOf(older, newer);
      const ending = holding === 'Both' ? 'None' : endingBy(older, newer);
      if (ending === 'None') continue;
      if (holding === 'Newer' && ending === 'All') whole.add(older.id);
      const known = holding === 'Newer' ? outdated : newerElsewhere;
      known.set(older.id, [...new Set([...(known.get(older.id) ?? []), newer.id])]);
    }
  }
  const takers = new Set(
    read.filter(({ content }) => takesChangeBack(content)).map(({ id }) => id),
  );
  const endsNothing = (id: string): boolean =>
    whole.has(id) && (outdated.get(id) ?? []).some((by) => takers.has(by));
  const held = [...outdated]
    .map(([id, by]) => [id, by.filter((each) => !endsNothing(each))] as const)
    .filter(([, by]) => by.length > 0);
  const inPart = new Set(held.map(([id]) => id)).difference(whole);
  return { outdated: new Map(held), inPart, newerElsewhere };
}

/** Returns how much of a memory newer ones end, by its record or by a comparison. */
export function endingOfMemory(
  { id, state, isRepeat }: Pick<Memory, 'id' | 'state' | 'isRepeat'>,
  { outdated, inPart }: Pick<OutdatedMemories, 'outdated' | 'inPart'>,
): Ending {
  if (state === 'superseded' && isRepeat !== true) return 'All';
  if (!outdated.has(id)) return 'None';
  return inPart.has(id) ? 'Some' : 'All';
}

/** Whether a later text takes back all that a text says: `I did not move to York in the end`. */
export function isTakenBack(text: ReadText, others: readonly ReadText[]): boolean {
  return others.some(
    (each) =>
      each.at > text.at && takesChangeBack(each.content) && endingAcross(text, each) === 'All',
  );
}

/** Returns those of some memories that none of the others ends. */
export function unended(
  memories: readonly ComparedMemory[],
  others: readonly ComparedMemory[],
): readonly ComparedMemory[] {
  const newer = others.map((each) => readLayered(each));
  return memories.filter((memory) => {
    const older = readLayered(memory);
    return !newer.some(
      (other) => holdingOf(older, other) === 'Newer' && endingBy(older, other) === 'All',
    );
  });
}

interface Dated {
  readonly at: number;
}

interface Replacements<T> extends Pick<OutdatedMemories, 'outdated'> {
  /** What is shown behind a hit, as it may replace it. */
  readonly beside: NewerIds;
  /** The name of a hit in these maps. */
  readonly keyOf: (hit: T) => string;
}

/**
 * Puts each hit behind what replaces it, the newest first. A replacement moves up, or is added if
 * it is no hit: the older one alone would mislead. What may replace a hit is added behind it.
 * @param others results beyond the limit or below the threshold
 */
export function newerFirst<T extends Dated>(
  hits: readonly T[],
  others: readonly T[],
  { outdated, beside, keyOf }: Replacements<T>,
): readonly T[] {
  const named = (among: readonly T[], keys: readonly string[] = []): readonly T[] =>
    among.filter((hit) => keys.includes(keyOf(hit))).toSorted((a, b) => b.at - a.at);
  const all = [...hits, ...others];
  const order = new Set<T>();
  // Each replacement is newer than what it replaces, so the recursion ends.
  const add = (hit: T): void => {
    if (order.has(hit)) return;
    for (const newer of named(all, outdated.get(keyOf(hit)))) add(newer);
    order.add(hit);
    for (const newer of named(others, beside.get(keyOf(hit)))) add(newer);
  };
  for (const hit of hits) add(hit);
  return [...order];
}

/** Counts terms over all texts, for both texts of a pair; a turn's terms count in its session. */
function countedIn(texts: readonly DatedText[]): TextsWith {
  const counts = once(() => countOccurrences(texts.flatMap(({ terms }) => [...terms()])));
  return (term) => counts().get(term) ?? 0;
}

/** Layers of one person, where the newest words hold. */
export const PERSONAL: ReadonlySet<Layer> = new Set(['user', 'session']);
/** Layers of groups: a single member does not change what they hold. */
const SHARED: ReadonlySet<Layer> = new Set(['team', 'org', 'company']);
const OF_A_MEMBER: ReadonlySet<Layer> = new Set(['agent', 'user', 'session']);

/**
 * Decides which of two texts about the same thing holds. In one layer it is the newer one. Across
 * layers it is the newer one if its layer is more specific and it is trusted as much.
 */
function holdingOf(older: Omit<LayeredText, 'terms'>, newer: LayeredText): Holding {
  if (newer.at <= older.at) return 'Both';
  if (older.layer === newer.layer) return 'Newer';
  if (leastTrust([older.trust, newer.trust]) !== older.trust) return 'Both';
  if (PERSONAL.has(older.layer) && PERSONAL.has(newer.layer)) return 'Newer';
  // `I` means a different person in each of the two layers.
  if (isOfUser(older.content) || isOfUser(newer.content)) return 'Both';
  if (PRECEDENCE[newer.layer] > PRECEDENCE[older.layer]) return 'Undecided';
  return SHARED.has(older.layer) && OF_A_MEMBER.has(newer.layer) ? 'Undecided' : 'Newer';
}

/** Finds new values: `The timeout is 45 seconds` replaces `… 30 seconds`, as in MEMORY.md. */
function newValues(
  memories: readonly (ReadLayered & Pick<ComparedMemory, 'id'>)[],
): Map<string, readonly string[]> {
  const outdated = new Map<string, readonly string[]>();
  for (const ofLayer of Map.groupBy(memories, ({ layer }) => layer).values()) {
    const holding = ofLayer.map((each) => ({ at: each.at, values: asHolding(each, null).values }));
    for (const [older, newer] of [...newestValues(ofLayer), ...newestValues(holding)]) {
      const [ended, by] = [ofLayer[older], ofLayer[newer]];
      if (ended === undefined || by === undefined) continue;
      const left = asHolding(by, ended);
      if (left === by || givesAnotherValue(ended, left)) outdated.set(ended.id, [by.id]);
    }
  }
  return outdated;
}

function readLayered(told: LayeredText, textsWith?: TextsWith): ReadLayered {
  return { ...told, ...readDatedText(told, textsWith) };
}

function endingBy(older: ReadLayered, newer: ReadLayered): Ending {
  return older.layer === newer.layer ? endingOfText(older, newer) : endingAcross(older, newer);
}

/**
 * Returns what the newer text ends, where no rule compares values of several texts, as in one
 * layer: another value ends the whole older text.
 */
export function endingAcross(older: ReadText, newer: ReadText): Ending {
  const isOtherValue = newer.at > older.at && givesAnotherValue(older, asHolding(newer, older));
  return isOtherValue ? 'All' : endingOfText(older, newer);
}

/** Returns the standing of a text among the texts of other layers. */
export type StandingOf = (told: Omit<LayeredText, 'terms'>) => Standing;

/**
 * Compares texts of summaries with what an answer contains of other layers.
 * @param all memories and summaries
 * @param termsOf returns terms as a search compares them
 */
export function standingAmong(
  all: readonly LayeredText[],
  termsOf: (text: string) => readonly string[],
): StandingOf {
  const textsWith = countedIn(all);
  const enders = all.map((told) => readLayered(told, textsWith)).filter(mayReplace);
  return (told) => {
    const others = enders.filter(
      (newer) => newer.layer !== told.layer && holdingOf(told, newer) !== 'Both',
    );
    if (others.length === 0) return HOLDS;
    const older = readLayered(
      { ...told, terms: once(() => new Set(termsOf(told.content))) },
      textsWith,
    );
    const newer = others.filter((other) => endingBy(older, other) !== 'None');
    const undecided = newer.filter((other) => holdingOf(told, other) === 'Undecided');
    const decided = newer.filter((other) => holdingOf(told, other) === 'Newer');
    return {
      ended: strongestOf(decided.map((other) => endingBy(older, other))),
      newerIn: [...new Set(undecided.map(({ layer }) => layer))],
    };
  };
}

function endingOfText(older: ReadText, text: ReadText): Ending {
  if (text.at <= older.at) return 'None';
  const newer = asHolding(text, older);
  const ending = endingOf(older.lasting, newer.lasting);
  if (ending !== 'None') return ending;
  return likelyEnding(older, newer);
}

/**
 * Returns the memory as it is compared. One of a user says what the user would say: `Dana lives in
 * Lyon` of the user `dana` is ended by `I moved to Berlin`.
 * @param now when the answer is given, by the asker's clock
 */
export function comparedMemory(
  { id, layer, scopeId, trust, content: written, validFrom }: Memory,
  analyzer: TextAnalyzer,
  now?: SaidAt,
): ComparedMemory {
  const content = layer === 'user' ? inFirstPerson(written, [scopeId]) : written;
  const terms = once(() => new Set(recallTerms(analyzer, content)));
  const today = now === undefined ? undefined : dayOf(now);
  return { id, layer, trust, content, at: validFrom, today, terms };
}
