/**
 * Grounding without a model (design 6.19): a fact keeps its wording only if what it cites supports
 * it. Sentences of its source replace a fact that is only partly supported. Others are dropped.
 */
import type { AnswerFact } from '../prompt/parse-answer.ts';
import { leastTrust } from '../trust.ts';
import type { Fact, Summary } from '../records/summary.ts';
import type { Source } from '../sources/source.ts';
import type { DropReason } from './drop-reason.ts';
import { type CitedClaim, type Evidence, citedClaimOf } from './cited-claim.ts';
import { type Confirms, doubtOf } from './doubt.ts';
import { type RuleName, isDoubtful, unsupportedReason } from './support-rules.ts';
import { tokensOf } from '../text/words-and-marks.ts';
import { measuresOf } from './quantities-and-times.ts';
import { commonLanguage, parsedSentences } from './parsed-sentence.ts';
import { foldedText, linedText, plainText } from './comparable-text.ts';
import { selfOf, speakerOf } from './speaker.ts';
import { dependsOnPrevious } from '../text/dependent-sentence.ts';
import { speakerLabel } from '../text/speaker-label.ts';
import type { SentencePlace } from './word-coverage.ts';

/** Why a whole answer is refused: it is none, or none of its facts can be used. */
const REFUSALS = ['AnswerNotJson', 'LowGrounding', 'NoGroundedFact'] as const;
export type Refusal = (typeof REFUSALS)[number];

export function isGroundingFailure(reason: string): reason is Refusal {
  return REFUSALS.some((refusal) => refusal === reason);
}

interface Grounded {
  readonly facts: readonly Fact[];
  /** Facts that are not in the summary as worded, including those that source sentences replace. */
  readonly dropped: Summary['droppedFacts'];
  /** How many facts were dropped for each reason that occurred. */
  readonly droppedByReason: Readonly<Partial<Record<DropReason, number>>>;
  /** How many of them were replaced by sentences of their sources. */
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
    // The same source sentence may replace several facts.
    if (fact !== null) kept.set(fact.text, withDepthsOf(kept.get(fact.text) ?? fact, fact));
  }
  return { facts: [...kept.values()], dropped, droppedByReason, replaced };
}

/** Merges facts with the same sentence into one that has the depths of all. */
function withDepthsOf(fact: Fact, { depths = [] }: Fact): Fact {
  const all = [...new Set([...(fact.depths ?? []), ...depths])];
  return all.length === 0 ? fact : { ...fact, depths: all };
}

/**
 * Supported: `reason` is null and `fact` keeps its wording. Partly supported: `fact` has the words
 * of the source, and `reason` says why. Unsupported: `fact` is null.
 */
export interface Judged {
  readonly text: string;
  readonly fact: Fact | null;
  readonly reason: DropReason | null;
}

export interface GroundingOptions {
  /** For measurements: the rules to apply; all of them by default. */
  readonly rules?: readonly RuleName[];
  /** Whether a fact that cites no known source is matched to sources by its text. */
  readonly matchesByText?: boolean;
  /** Asked about claims that the rules doubt; without it, none of those keeps its wording. */
  readonly confirms?: Confirms | undefined;
}

/** Judges facts one by one, in order. A source is read when a fact first cites it. */
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

/** Returns a reader that reads each source once per language. */
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
      places: parsedSentences(source.text, language).map((sentence) => ({
        sourceId: source.id,
        sentence,
        speaker: [...selfOf(speaker), ...spokenName(source)],
      })),
    };
    known.set(key, evidence);
    return evidence;
  };
}

/** Returns a speaker's name as written: `Caller` has the role of a user, but is a caller too. */
function spokenName({ speaker }: Source): readonly string[] {
  return (
    plainText(speaker ?? '')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  );
}

/** Returns what a fact cites, including what its number was derived from. */
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

/** Returns a fact in the words of its source; null if the source says too little about it. */
function asSaid(judged: CitedClaim): Fact | null {
  const own = ownWords(judged, 'Sentence');
  if (own === null) return null;
  const { text, quote, ids } = own;
  return factOf(judged, { text, quote, ids, speaker: own.speaker });
}

/** Returns the known sources that a fact cites; if none, those that its text was matched to. */
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

// The sentences of a source that replace a fact which they support only in part.

interface OwnWords {
  readonly text: string;
  /** Verbatim words of the first source. */
  readonly quote: string;
  readonly ids: readonly string[];
  readonly speaker: string | null;
}

/** Minimum share of covered words of a fact whose quote is in no source. */
const SHARE_MIN = 0.4;
/** Maximum sentences to show before a sentence that depends on them. */
const BEFORE_MAX = 2;
/** Maximum sentences that replace one fact. */
const SENTENCES_MAX = 4;

/**
 * Returns the words of a source around the quote of a fact. If no source contains the quote,
 * returns the sentences that say most of the fact, or null if none says enough.
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
    const label = name === null ? '' : speakerLabel(name);
    const wasNamed = label !== '' && judged.fact.text.startsWith(label);
    const isNamed = isNew && (several || place.sentence.hasFirst || wasNamed);
    return `${isNamed ? label : ''}${place.sentence.raw.trim()}`;
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

/** Minimum words of the claim that a further sentence must add to be about the same thing. */
const ADDED_MIN = 2;

function tellingPlaces({ cover }: CitedClaim): readonly SentencePlace[] {
  const seen = new Set(cover.places[0]?.matches.keys());
  return cover.places.filter(({ matches }, at) => {
    const added = [...matches.keys()].filter((word) => !seen.has(word));
    for (const word of added) seen.add(word);
    return at === 0 || added.length >= ADDED_MIN;
  });
}

function held({ cover }: CitedClaim): number {
  return cover.places.reduce((sum, { matches }) => sum + matches.size, 0);
}

/** Returns sentences in the order of their sources, after the sentences that they depend on. */
function inOrder(found: readonly SentencePlace[], { cited }: CitedClaim): readonly SentencePlace[] {
  const sentences = new Set(found.map(({ sentence }) => sentence));
  return cited.flatMap(({ places }) => {
    const wanted = new Set<number>();
    for (const [at, place] of places.entries()) {
      if (!sentences.has(place.sentence)) continue;
      wanted.add(at);
      for (let before = at; before > Math.max(0, at - BEFORE_MAX); before -= 1) {
        if (!dependsOnPrevious(places[before]?.sentence.raw ?? '')) break;
        wanted.add(before - 1);
      }
    }
    return places.filter((_, at) => wanted.has(at));
  });
}
