/** The extractive summarizer: facts in the words of their sources, without a model. */
import { retractionIn } from '#core/extraction/retraction.ts';
import { hasSourceDate, withCountedFrom } from '#core/sources/source.ts';
import { type Candidate, listCandidates, tornOnes } from './candidate-sentences.ts';
import { rejectedProposals, type Spoken } from './conversation-outcome.ts';
import { formWeights, saysSomething, ranksOf, stemWeights } from './sentence-score.ts';
import { type Choice, selectCandidates, type Weighed } from './select-facts.ts';
import { type SaidAt, saidAtOf } from '#core/said-at.ts';
import { createStem } from '#core/text/stem.ts';
import {
  endedBy,
  likelyEndedBy,
  maybeEndedBy,
  type StemmedStatement,
  outdatedStatements,
} from './outdated-statements.ts';
import { revisedOutcomes, takenBack } from './revised-outcomes.ts';
import { mergeTurns, type Turn } from './speaker-turns.ts';
import { contentStems } from '#core/text/words.ts';

// For whom a text is: topics of its reader weigh more (design 6.21).

/**
 * Factor for the weight of a reader's words. It is high enough that a fact about the reader's topic
 * comes before an equal fact about another, and low enough that facts for everybody still find
 * room.
 */
const READER_WEIGHT = 4;

/** Returns the weights of stems for a reader whom a text describes. */
function weightsForReader(
  weights: ReadonlyMap<string, number>,
  about: string,
  stem: (word: string) => string,
): ReadonlyMap<string, number> {
  const own = new Set(contentStems(about, stem));
  return new Map(
    [...weights].map(([each, weight]) => [each, own.has(each) ? weight * READER_WEIGHT : weight]),
  );
}

export interface ExtractSource {
  readonly id: string;
  readonly text: string;
  /** ISO 8601 time of the source. */
  readonly at: string;
  readonly speaker?: string;
  /** Id of the long turn that contains it (`extractive-model.ts`). */
  readonly longTurn?: string;
}

export interface ExtractedFact {
  readonly text: string;
  /** Ids of the sources that the text is made of, in order. */
  readonly sources: readonly string[];
  /** Verbatim substring of the first source. */
  readonly quote: string;
  readonly speaker?: string;
}

interface ExtractOptions {
  readonly countTokens: (text: string) => number;
  /** Cap of all facts joined: the detailed depth. */
  readonly maxTokens: number;
  /** Cap of one fact, and of the facts that come first: the sentence depth. */
  readonly maxSentenceTokens: number;
  /** Whether a fact names its speaker even if all are of one: each goes among lines of others. */
  readonly isNamed?: boolean;
  /** A description of the reader; null or absent if the facts are for everybody. */
  readonly about?: string | null;
}

/** The paragraph depth's share of the detailed depth's cap: 200 of 500 tokens. */
const PARAGRAPH_SHARE = 0.4;

/**
 * Returns facts of the sources, shortest depth first: the first facts fill `maxSentenceTokens`, the
 * next ones the paragraph depth, and all together `maxTokens`, joined by a space with a full stop
 * after each. Within a depth they are in source order. The same input gives the same bytes. Source:
 * design 6.20.
 */
export function extractFacts(
  sources: readonly ExtractSource[],
  options: ExtractOptions,
): readonly ExtractedFact[] {
  const turns = mergeTurns(sources, options);
  const stem = createStem('english');
  const listed = listCandidates(turns, { ...options, stem });
  const talk = saidAs(['Spoken'], listed, turns);
  const dropped = takenBack(saidAs(['Spoken', 'Typed'], listed, turns));
  const rejected = rejectedProposals(talk, stem);
  const { replaced, completedBy } = revisedOutcomes(talk, stem);
  const standing = listed
    .filter(({ order }) => ![rejected, replaced, dropped].some((some) => some.has(order)))
    .map((each) => withCompletion(each, completedBy.get(each.order)));
  const retractions = retractionsAmong(listed, turns);
  const stated = statements(standing, { sources, turns });
  const candidates = current(standing, { stated, retractions });
  const { about = null } = options;
  const weighed = (some: readonly Candidate[]): Weighed => {
    const weights = stemWeights(some);
    return {
      candidates: some,
      stemWeights: about === null ? weights : weightsForReader(weights, about, stem),
      formWeights: formWeights(some, turns),
      ranks: ranksOf(some, turns),
      sayingSomething: some.map((each) => {
        const turn = turns[each.turnIndex];
        return turn !== undefined && saysSomething(each, turn);
      }),
    };
  };
  const chosen = standingOnes(candidates, (some) =>
    selectCandidates({
      ...partsOf(some, weighed),
      countTokens: options.countTokens,
      isTalk: turns.some(({ kind }) => kind === 'Spoken'),
      caps: depthCaps(options),
    }),
  );
  const facts = chosen.map((candidate) => toFact(candidate, { sources, turns }));
  return facts.length > 0 || retractions.size > 0 ? facts : newestWords(sources, options);
}

/** A decision must not be told without a later one that gives it another value. */
function withCompletion(candidate: Candidate, by: number | undefined): Candidate {
  return by === undefined ? candidate : { ...candidate, newer: [...candidate.newer, by] };
}

/** Maximum selections; each leaves out what the previous one tore from its context. */
const SELECTIONS_MAX = 3;

function standingOnes(
  candidates: readonly Candidate[],
  select: (some: readonly Candidate[]) => readonly Candidate[],
): readonly Candidate[] {
  let left = candidates;
  let chosen = select(left);
  for (let tries = 1; tries < SELECTIONS_MAX; tries += 1) {
    const torn = tornOnes(chosen);
    if (torn.size === 0) return chosen;
    left = left.filter(({ order }) => !torn.has(order));
    chosen = select(left);
  }
  const torn = tornOnes(chosen);
  return chosen.filter(({ order }) => !torn.has(order));
}

/** Separates long turns from the rest. If only long turns say anything, they count as said. */
function partsOf(
  candidates: readonly Candidate[],
  weighed: (some: readonly Candidate[]) => Weighed,
): Pick<Choice, 'said' | 'long'> {
  const { own = [], long = [] } = Object.groupBy(candidates, ({ longTurn }) =>
    longTurn === null ? 'own' : 'long',
  );
  const said = weighed(own);
  const isTelling = own.some(
    ({ stems }, index) => stems.length > 0 && (said.formWeights[index] ?? 0) > 0,
  );
  if (isTelling) return { said, long: weighed(long) };
  return {
    said: weighed(candidates.map((each) => ({ ...each, longTurn: null }))),
    long: weighed([]),
  };
}

/** The fallback if no sentence says anything, as in "ok" or an emoji: the newest source. */
function newestWords(
  sources: readonly ExtractSource[],
  { countTokens, maxTokens, maxSentenceTokens }: ExtractOptions,
): readonly ExtractedFact[] {
  const source = sources.findLast(({ text }) => text.trim() !== '');
  if (source === undefined) return [];
  const words = source.text.trim().match(/\S+\s*/gu) ?? [];
  let quote = '';
  for (const word of words) {
    // Leave one token for the full stop at the end.
    if (countTokens(`${quote}${word}`) >= Math.min(maxTokens, maxSentenceTokens)) break;
    quote += word;
  }
  const text = quote.trim();
  return text === '' ? [] : [{ text, sources: [source.id], quote: text }];
}

/** Returns the orders of the sentences that only take back what was said. */
function retractionsAmong(
  listed: readonly Candidate[],
  turns: readonly Turn[],
): ReadonlySet<number> {
  const found = listed.filter(({ text, turnIndex }) => {
    return retractionIn(text.slice(turns[turnIndex]?.prefix.length)) !== null;
  });
  return new Set(found.map(({ order }) => order));
}

/**
 * Drops superseded candidates, retractions and what they end, and names what likely ends others. A
 * statement that changed a value says since when it holds, and so does one that it likely ends.
 */
function current(
  listed: readonly Candidate[],
  {
    stated,
    retractions,
  }: { readonly stated: readonly StemmedStatement[]; readonly retractions: ReadonlySet<number> },
): readonly Candidate[] {
  const { dropped, newest } = outdatedStatements(stated);
  const ended = endedBy(stated);
  const holding = stated.filter(
    ({ candidate: { order } }) => !dropped.has(order) && !ended.has(order),
  );
  const likely = likelyEndedBy(holding);
  const isRetracted = (order: number): boolean =>
    retractions.has(order) || (likely.get(order) ?? []).some((by) => retractions.has(by));
  const unretracted = holding.filter(({ candidate: { order } }) => !isRetracted(order));
  const newer = new Map([...maybeEndedBy(unretracted), ...likely]);
  const differing = new Set([
    ...newest,
    ...ended.values(),
    ...newer.keys(),
    ...[...newer.values()].flat(),
  ]);
  const times = new Map(stated.map((statement) => [statement.candidate.order, statement]));
  return listed.flatMap((candidate) => {
    const { order } = candidate;
    if (dropped.has(order) || ended.has(order) || isRetracted(order)) return [];
    const known = {
      ...candidate,
      newer: [...candidate.newer, ...(newer.get(order) ?? [])],
      isLikelyEnded: likely.has(order),
    };
    const said = times.get(order);
    const isDated = differing.has(order) && said !== undefined && said.at > 0;
    return isDated ? [dated(known, said)] : [known];
  });
}

function dated(candidate: Candidate, at: SaidAt): Candidate {
  const { text } = candidate;
  return hasSourceDate(text) ? candidate : { ...candidate, text: withCountedFrom(text, at) };
}

/** Rising caps of the depths, none above the whole. */
function depthCaps({ maxSentenceTokens, maxTokens }: ExtractOptions): readonly number[] {
  const sentence = Math.min(maxSentenceTokens, maxTokens);
  const paragraph = Math.max(sentence, Math.floor(maxTokens * PARAGRAPH_SHARE));
  return [sentence, paragraph, maxTokens];
}

interface FactParts {
  readonly sources: readonly ExtractSource[];
  readonly turns: readonly Turn[];
}

/** The candidates among which a newer one may replace an older one. */
function statements(
  candidates: readonly Candidate[],
  parts: FactParts,
): readonly StemmedStatement[] {
  return candidates.flatMap((candidate) => {
    const turn = parts.turns[candidate.turnIndex];
    const speaker = turn?.speaker.toLowerCase() ?? '';
    if (turn === undefined || !['', 'user', 'human'].includes(speaker)) return [];
    // A pasted document is not a newer statement of the person who pasted it.
    if (turn.longTurn !== null) return [];
    const source = parts.sources[turn.chunks.at(-1)?.sourceIndex ?? 0];
    const time = saidAtOf(source?.at ?? '');
    const said = candidate.text.slice(turn.prefix.length);
    return [{ candidate, said, ...(Number.isNaN(time.at) ? { at: 0 } : time) }];
  });
}

function saidAs(
  kinds: readonly Turn['kind'][],
  candidates: readonly Candidate[],
  turns: readonly Turn[],
): readonly Spoken[] {
  return candidates.flatMap((candidate) => {
    const turn = turns[candidate.turnIndex];
    const said = candidate.text.slice(turn?.prefix.length);
    const raw = turn?.masked.slice(candidate.range.start, candidate.range.end) ?? '';
    return turn !== undefined && kinds.includes(turn.kind) ? [{ candidate, said, raw }] : [];
  });
}

function toFact(candidate: Candidate, parts: FactParts): ExtractedFact {
  const turn = parts.turns[candidate.turnIndex];
  const { start, end } = candidate.range;
  const chunks = (turn?.chunks ?? []).filter(
    (chunk) => chunk.offset < end && chunk.offset + chunk.length > start,
  );
  const ids = chunks.map((chunk) => parts.sources[chunk.sourceIndex]?.id ?? '');
  const first = chunks[0];
  const raw = first === undefined ? '' : (parts.sources[first.sourceIndex]?.text ?? '');
  const offset = first?.offset ?? 0;
  const quote = raw.slice(Math.max(0, start - offset), end - offset).trim();
  const fact = { text: candidate.text, sources: [...new Set(ids)], quote };
  return turn === undefined || turn.speaker === '' ? fact : { ...fact, speaker: turn.speaker };
}
