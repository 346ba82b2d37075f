/**
 * Grounding without a model (design 6.19): a fact stays as worded only where what it cites supports
 * it; one that is partly supported gives way to the source's own sentences; the rest is dropped.
 */
import type { AnswerFact } from '../prompt/parse-answer.ts';
import { leastTrust } from '../records/memory.ts';
import type { Fact, Summary } from '../records/summary.ts';
import type { Source } from '../sources/source.ts';
import type { DropReason } from './drop-reason.ts';
import { type CitedClaim, type Evidence, citedClaimOf } from './cited-claim.ts';
import { type Confirms, doubtOf } from './doubt.ts';
import { type RuleName, isDoubtful, unsupportedReason } from './judge.ts';
import { tokensOf } from '../text/token.ts';
import { measuresOf } from './quantities-and-times.ts';
import { commonLanguage, readPassage } from './passage.ts';
import { foldedText, linedText, plainText } from './plain-text.ts';
import { selfOf, speakerOf } from './speaker.ts';
import { restsOnBefore } from '../text/dependent-sentence.ts';
import type { Place } from './word-coverage.ts';

/** Why a whole answer is refused: not one of its facts can be used. */
export const REFUSALS = ['LowGrounding', 'NoGroundedFact'] as const;
export type Refusal = (typeof REFUSALS)[number];

export function isGroundingFailure(reason: string): reason is Refusal {
  return REFUSALS.some((refusal) => refusal === reason);
}

export interface Grounded {
  readonly facts: readonly Fact[];
  /** Facts that are not in the summary as worded, those that their source took the place of too. */
  readonly dropped: Summary['droppedFacts'];
  /** How many facts were dropped for each reason; without those that dropped none. */
  readonly droppedByReason: Readonly<Partial<Record<DropReason, number>>>;
  /** How many of them were replaced by the words of their sources. */
  readonly replaced: number;
}

/** Judges every fact of one item against the sources of that item's scope. */
export function groundFacts(
  facts: readonly AnswerFact[],
  sources: ReadonlyMap<string, Source>,
  options: Pick<GroundingOptions, 'confirms'> = {},
): Grounded {
  const kept = new Map<string, Fact>();
  const dropped: Summary['droppedFacts'] = [];
  const droppedByReason: Partial<Record<DropReason, number>> = {};
  let replaced = 0;
  for (const { fact, text, reason } of groundEach(facts, sources, options)) {
    if (reason !== null) {
      dropped.push({ text, reason });
      droppedByReason[reason] = (droppedByReason[reason] ?? 0) + 1;
      if (fact !== null) replaced += 1;
    }
    // Several facts may give way to one sentence.
    if (fact !== null) kept.set(fact.text, withDepthsOf(kept.get(fact.text) ?? fact, fact));
  }
  return { facts: [...kept.values()], dropped, droppedByReason, replaced };
}

/** A sentence that several texts say is one fact. */
function withDepthsOf(fact: Fact, { depths = [] }: Fact): Fact {
  const all = [...new Set([...(fact.depths ?? []), ...depths])];
  return all.length === 0 ? fact : { ...fact, depths: all };
}

/**
 * Supported: `reason` is null and `fact` is as worded. Partly supported: `fact` has the words of
 * the source, and `reason` says why not its own. Unsupported: `fact` is null.
 */
export interface Judged {
  readonly text: string;
  readonly fact: Fact | null;
  readonly reason: DropReason | null;
}

export interface GroundingOptions {
  /** For measurements: the rules that speak; all of them where nothing is said. */
  readonly rules?: readonly RuleName[];
  /** A fact that cites nothing that there is, is matched to its sources by text. */
  readonly matchesByText?: boolean;
  /** Asked of what the rules doubt; without it nothing of that stays as worded. */
  readonly confirms?: Confirms | undefined;
}

/** The same one by one, in the order of the facts. A source is read when a fact cites it. */
export function groundEach(
  facts: readonly AnswerFact[],
  sources: ReadonlyMap<string, Source>,
  { rules, matchesByText = false, confirms }: GroundingOptions = {},
): readonly Judged[] {
  const spoken = new Set(
    [...sources.values()].flatMap(({ speaker }) =>
      speaker === null ? [] : plainText(speaker).toLowerCase().trim(),
    ),
  );
  const read = createReader();
  return facts.map((fact): Judged => {
    const { text } = fact;
    const cited = citedSources(fact, sources, matchesByText);
    if (typeof cited === 'string') return { text, fact: null, reason: cited };
    const language = commonLanguage([text, ...cited.map((source) => source.text)]);
    const evidence = cited.map((source) => read(source, language));
    const isSpeaker = (name: string): boolean => spoken.has(name);
    const judged = citedClaimOf(fact, { cited: evidence, language, isSpeaker });
    const reason = unsupportedReason(judged, rules);
    if (reason === null) return { text, fact: asWorded(judged), reason };
    const said = asSaid(judged);
    const doubt = said === null || !isDoubtful(judged) ? null : doubtOf(judged);
    if (doubt !== null && confirms?.(doubt) === true) {
      return { text, fact: asWorded(judged), reason: null };
    }
    return { text, fact: said, reason };
  });
}

type Reader = (source: Source, language: ReturnType<typeof commonLanguage>) => Evidence;

/** Reads a source once for each language that it is read in. */
function createReader(): Reader {
  const known = new Map<string, Evidence>();
  return (source, language) => {
    const key = `${language} ${source.id}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const speaker = speakerOf(source);
    const evidence: Evidence = {
      source,
      lined: linedText(source.text),
      folded: foldedText(`${source.speaker ?? ''} ${source.text}`),
      speaker,
      measures: measuresOf(tokensOf(plainText(source.text)), language),
      named: measuresOf(tokensOf(plainText(source.speaker ?? '')), language),
      places: readPassage(source.text, language).map((sentence) => ({
        sourceId: source.id,
        sentence,
        speaker: [...selfOf(speaker), ...spokenName(source)],
      })),
    };
    known.set(key, evidence);
    return evidence;
  };
}

/** The words of a speaker's name as they stand: `Caller` is a user, and a caller too. */
function spokenName({ speaker }: Source): readonly string[] {
  return (
    plainText(speaker ?? '')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  );
}

/** What a number was derived from is cited as well, whether the fact names it again or not. */
function citedSources(
  fact: AnswerFact,
  sources: ReadonlyMap<string, Source>,
  matchesByText: boolean,
): readonly Source[] | DropReason {
  const ids = new Set([...fact.sources, ...(fact.derived?.ids ?? [])]);
  const cited = [...ids].flatMap((id) => sources.get(id) ?? []);
  if (matchesByText && cited.length === 0 && sources.size > 0) return [...sources.values()];
  if (fact.sources.length === 0) return 'NoSource';
  return cited.length === ids.size ? cited : 'UnknownSource';
}

function asWorded(judged: CitedClaim): Fact {
  const { fact, quoted } = judged;
  const quote = quoted.length > 0 ? (fact.quote ?? null) : ownWords(judged, 'Quote')?.quote;
  return factOf(judged, { text: fact.text, quote: quote ?? null, ids: idsOf(judged) });
}

/** The words of the source in place of the fact's; null where the source says nothing of it. */
function asSaid(judged: CitedClaim): Fact | null {
  const own = ownWords(judged, 'Sentence');
  if (own === null) return null;
  const { text, quote, ids } = own;
  return factOf(judged, { text, quote, ids, speaker: own.speaker });
}

/** A fact that cites is taken at its word; of one matched by text, what it rests on. */
function idsOf({ fact, cited, cover }: CitedClaim): readonly string[] {
  const known = new Set(cited.map(({ source }) => source.id));
  if (fact.sources.some((id) => known.has(id))) return [...known];
  return [...new Set(cover.places.map(({ sourceId }) => sourceId))];
}

function factOf(
  { fact, cited }: CitedClaim,
  made: {
    readonly text: string;
    readonly quote: string | null;
    readonly ids: readonly string[];
    readonly speaker?: string | null;
  },
): Fact {
  const sources = cited.flatMap(({ source }) => (made.ids.includes(source.id) ? source : []));
  const isOwn = made.text === fact.text;
  return {
    text: made.text,
    sources: sources.map(({ id }) => id),
    quote: made.quote,
    speaker: isOwn ? (fact.speaker ?? null) : (made.speaker ?? null),
    trust: leastTrust(sources.map((source) => source.trust)),
    at: Math.max(...sources.map((source) => source.at)),
    ...(fact.depth == null ? {} : { depths: [fact.depth] }),
    ...(isOwn && fact.derived != null ? { derived: fact.derived } : {}),
    ...(isOwn ? {} : { marks: ['SourceWording' as const] }),
  };
}

// The sentences of a source that take the place of a fact which they support only in part.

interface OwnWords {
  readonly text: string;
  /** Verbatim words of the first source. */
  readonly quote: string;
  readonly ids: readonly string[];
  readonly speaker: string | null;
}

/** A fact without a quote that stands in a source shares so much of its words with a sentence. */
const SHARE_MIN = 0.4;
/** How many sentences before its own one may have to be shown, since it rests on them. */
const BEFORE_MAX = 2;
/** Sentences that take the place of one fact. */
const SENTENCES_MAX = 4;

/**
 * The words of a source around the quote of a fact, or around what says most of it where the quote
 * stands nowhere; null where no sentence says enough.
 */
function ownWords(judged: CitedClaim, want: 'Quote' | 'Sentence'): OwnWords | null {
  const { cover, quoted, cited } = judged;
  const found = quoted.length > 0 ? quoted : cover.share >= SHARE_MIN ? tellingPlaces(judged) : [];
  const [first] = found;
  if (first === undefined || (quoted.length === 0 && cover.bySpeaker.size + held(judged) === 0)) {
    return null;
  }
  const chosen = want === 'Quote' ? [first] : inOrder(found, judged).slice(0, SENTENCES_MAX);
  const several = new Set(cited.map(({ source }) => source.speaker)).size > 1;
  const parts = chosen.map((place, at) => {
    const name = cited.find(({ source }) => source.id === place.sourceId)?.source.speaker ?? null;
    const isNew = at === 0 || chosen[at - 1]?.sourceId !== place.sourceId;
    const isNamed = isNew && name !== null && (several || place.sentence.hasFirst);
    return `${isNamed ? `${name}: ` : ''}${place.sentence.raw.trim()}`;
  });
  const [opening] = chosen;
  if (opening === undefined) return null;
  const speaker = cited.find(({ source }) => source.id === opening.sourceId)?.source.speaker;
  return {
    text: parts.join(' '),
    quote: opening.sentence.raw.trim(),
    ids: [...new Set(chosen.map(({ sourceId }) => sourceId))],
    speaker: speaker ?? null,
  };
}

/** A sentence that adds one word to the first says something else. */
const ADDED_MIN = 2;

function tellingPlaces({ cover }: CitedClaim): readonly Place[] {
  const seen = new Set(cover.matches[0]?.keys() ?? []);
  return cover.places.filter((_, at) => {
    const added = [...(cover.matches[at]?.keys() ?? [])].filter((word) => !seen.has(word));
    for (const word of added) seen.add(word);
    return at === 0 || added.length >= ADDED_MIN;
  });
}

function held({ cover }: CitedClaim): number {
  return cover.matches.reduce((sum, words) => sum + words.size, 0);
}

/** In the order of their sources, with what they rest on before them. */
function inOrder(found: readonly Place[], { cited }: CitedClaim): readonly Place[] {
  return cited.flatMap(({ places }) => {
    const wanted = new Set<number>();
    for (const [at, place] of places.entries()) {
      if (!found.includes(place)) continue;
      wanted.add(at);
      for (let before = at; before > Math.max(0, at - BEFORE_MAX); before -= 1) {
        if (!restsOnBefore(places[before]?.sentence.raw ?? '')) break;
        wanted.add(before - 1);
      }
    }
    return places.filter((_, at) => wanted.has(at));
  });
}
