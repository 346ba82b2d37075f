/**
 * Ranks the passages of earlier turns for a question: by their words and those of the surrounding
 * turns, by meaning if a semantic embedder is present, by time and speaker, and by the kind of
 * answer and the domain of life that the question asks for. Words are scored by BM25 (Robertson,
 * Zaragoza, 2009) over turns and over passages.
 *
 * The weights were chosen on 17 people of three data sets, and hold on others and on meetings
 * (`npm run bench -- conversations`, docs/benchmarks/contexts.md).
 */
import { isQuestion } from '../../text/question.ts';
import { oncePer } from '../../once.ts';
import { preferenceFor, type TimeWindow } from '../question/time-window.ts';
import type { Passage, PastSession, PastTurn } from '../sessions/past-session.ts';
import { saysNothing } from '../../text/small-talk.ts';
import { askedSpeakers } from './asked-speakers.ts';
import { askedWeight } from '../../search/asking-words.ts';
import { bestFirst, bestOf, passageAt, type BestPassages } from './best-passages.ts';
import { withFollowUps, type Follower } from './follow-ups.ts';
import { OFFERS } from '../sessions/session-columns.ts';
import {
  concatenatedSessions,
  TURN_GAP,
  type ConcatenatedColumns,
  type ConcatenatedSession,
  type ConcatenatedSessions,
} from '../sessions/concatenated-sessions.ts';
import { cosineAt } from '../sessions/passage-vectors.ts';
import { domainRarity, domainsAsked, type AskedDomains } from '../words/life-domains.ts';
import { STANDING_BIT, styleAsked } from '../question/style-preferences.ts';
import { haveSharedScript } from '../../text/writing-systems.ts';
import { UNSPACED } from '../../text/words.ts';
import { askedItem } from '../question/listed-item.ts';
import { askedTypes, type AskedTypes } from '../question/answer-types.ts';
import { withContinuations, withListedItem, withQuestionsAnswered } from './companion-passages.ts';
import { scoreTurnsByWindow, turnWindowShare } from './score-turns-by-window.ts';
import { largest, wordScores, type WordScores } from './word-scores.ts';

interface RecallQuestion {
  readonly text: string;
  /** Terms of the question, from `recallTerms`. */
  readonly terms: readonly string[];
  /** Null if words alone decide: hashed vectors add nothing to them. */
  readonly vector: Float32Array | null;
  readonly windows: readonly TimeWindow[];
  /** Maximum passages to return; 2,000 if absent, and never more. */
  readonly most?: number;
}

export interface RankedPassage {
  readonly session: PastSession;
  readonly place: number;
  readonly passage: Passage;
  readonly turn: PastTurn;
  /** Whether a user or another person said it, not a program. */
  readonly isByPerson: boolean;
  /** UTF-16 code units of all passages of the turn. */
  readonly turnUnits: number;
  readonly score: number;
  /** Share of the question's words that its turn and the neighboring turns have, from 0. */
  readonly wordShare: number;
  /**
   * The same for a search. If the turn has no word of the question, only the turns that it answers
   * count; 0 if none of those has one.
   */
  readonly hitShare: number;
  /** Null if it or the question has no vector. */
  readonly cosine: number | null;
  /** What likely follows it, such as a correction in other words; absent if nothing does. */
  readonly follower?: Pick<RankedPassage, 'session' | 'place'> & Pick<Follower, 'mayCorrect'>;
}

/** Share of a passage's score that comes from meaning, if there is a model. */
const VECTOR_SHARE = 0.7;
/**
 * Share of the word score that comes from the passage itself; its turn and neighbors give the
 * rest.
 */
const OWN_WORDS_SHARE = 0.6;
const OWN_VECTOR_SHARE = 0.5;
/**
 * The same for a question for what the assistant said: its replies are long, and the words of the
 * question are mostly in their headings and in the requests before them.
 */
const OWN_WORDS_SHARE_OF_ASSISTANT = 0.3;
/**
 * Share of an adjacent turn's score that a turn gets. Of the turn beyond it, a turn gets
 * `SECOND_SHARE` of this share.
 */
const NEXT_SHARE = { words: 0.5, vectors: 0.25 };
const SECOND_SHARE = 0.4;

const TURN_WINDOW_WEIGHT = 4;
const OWN_WORDS_SHARE_LONG = 0.2;

/** Maximum passages of a ranking; the rest is ignored. */
const RANKED_MAX = 2_000;
/** A context gets as many as fill it with so few tokens each, and at least `RANKED_MIN`. */
const RANKED_TOKENS_MIN = 2;
const RANKED_MIN = 400;

/** Returns how many passages a context can hold, with some to spare. @param limit in tokens */
export function passagesWithin(limit: number): number {
  return Math.max(RANKED_MIN, Math.ceil(limit / RANKED_TOKENS_MIN));
}

const WORTH_WEIGHT = 0.15;
const KIND_WEIGHT = { number: 0.2, other: 0.12 };
const PREFERENCE_WEIGHT = 0.35;
const TASK_WEIGHT = 0.3;
const HARM_WEIGHT = 0.35;
/** High enough to outweigh what code loses when nothing asks for it. */
const CODE_WEIGHT = 0.25;
/**
 * Advice counts as far as it is on the topic of the question: fully from this share of the best
 * match. Otherwise all that an assistant ever advised outranks the one answer that only names it.
 */
const ADVICE_WEIGHT = 0.4;
const ADVICE_MATCH = 0.3;
/** A passage that settles an aspect of writing that is asked for; a standing instruction. */
const WRITING_WEIGHT = { aspect: 0.3, standing: 0.3 };
/** Multiplied by the rarity of a domain of life that the question asks for. */
const DOMAIN_WEIGHT = 0.02;
const WINDOW_WEIGHT = 0.5;
/** Newer turns count a little more, and more still if the question is about the present. */
const AGE_WEIGHT = { always: 0.05, asked: 0.1 };
/** Questions rarely ask for what the assistant said, unless they mention it. */
const ASSISTANT_FACTOR = { otherwise: 0.45, asked: 1.5 };
const USER_FACTOR_ASKED_OF_ASSISTANT = 0.5;

/** Ranks passages, best first; ties keep the order of the conversation. */
export function rankPassages(
  sessions: readonly PastSession[],
  question: RecallQuestion,
): readonly RankedPassage[] {
  const signs = askedTypes(question.text);
  const placed = concatenatedSessions(sessions);
  const speakers = askedSpeakers(placed, question);
  const words = wordScores(placed, question.terms, speakers?.names);
  const asked: Asked = {
    signs,
    columns: placed.columns,
    offers: offersAsked(signs),
    writing: styleAsked(question.text),
    domains: domainsAsked(question.terms, placed.columns.domains),
    windows: question.windows,
    words: words.passages,
    speakerFactors: speakers?.factors ?? null,
    near: nearWords(placed, words),
    vectors: question.vector === null ? null : vectorScores(placed, question.vector),
    isTopical: question.vector !== null || largest(words.turns) > 0,
    ages: agesOf(placed),
  };
  // Overwrites the word scores: each array over everything that was said takes much memory.
  const scores = words.passages;
  for (const each of placed.each) scoreSession(scores, each, asked);
  const found = bestOf(placed, scores);
  const again = askedAgain(found, question.terms);
  const stated = { ...found, scores: withoutAsked(found.scores, again) };
  // A question that names a time asks for what was said then, not for what followed.
  const { scores: followed, followers } =
    question.windows.length > 0
      ? { scores: stated.scores, followers: NO_FOLLOWERS }
      : withFollowUps(stated, {
          factor: roleFactor(true, signs),
          isSemantic: question.vector !== null,
          domains: asked.domains,
        });
  const answered = withContinuations(found, withQuestionsAnswered(found, followed));
  const item = signs.assistant ? askedItem(question.text) : null;
  const listed = item === null ? answered : withListedItem(found, answered, item);
  const replied = withoutAsked(listed, again);
  const { turnShare } = words;
  const most = Math.min(question.most ?? RANKED_MAX, RANKED_MAX);
  return bestFirst(replied, most).flatMap((at) => {
    const score = replied[at] ?? 0;
    const isAskedAgain = again.has(at);
    const shown = { score, turnShare, asked: question.vector, isAskedAgain };
    const follower = placedFollower(found, followers.get(at));
    return rankedPassage(found, at, { ...shown, follower }) ?? [];
  });
}

const NO_FOLLOWERS: ReadonlyMap<number, Follower> = new Map();

function placedFollower(
  { sessions, sessionOf, places }: BestPassages,
  follower: Follower | undefined,
): RankedPassage['follower'] {
  if (follower === undefined) return undefined;
  const { at, mayCorrect } = follower;
  const session = sessions[sessionOf[at] ?? 0]?.session;
  return session === undefined ? undefined : { session, place: places[at] ?? 0, mayCorrect };
}

/** Returns the candidates in which a user asked for no more than the question asks again. */
function askedAgain(candidates: BestPassages, terms: readonly string[]): ReadonlySet<number> {
  const { columns, passages } = candidates;
  const asked = new Set(terms);
  const again = new Set<number>();
  for (let at = 0; at < passages.length; at += 1) {
    if (columns.asks[passages[at] ?? 0] !== 1) continue;
    const own = passageAt(candidates, at)?.terms ?? [];
    if (own.every((term) => asked.has(term) || askedWeight(term) < 1)) again.add(at);
  }
  return again;
}

function withoutAsked(scores: Float64Array, again: ReadonlySet<number>): Float64Array {
  const stated = scores.slice();
  for (const at of again) stated[at] = 0;
  return stated;
}

interface Asked {
  readonly signs: AskedTypes;
  readonly columns: ConcatenatedColumns;
  readonly offers: number;
  /** The bits of `styleAsked`. */
  readonly writing: number;
  readonly domains: AskedDomains;
  readonly windows: readonly TimeWindow[];
  /** Word scores by the places of passages, and of turns with their neighbors. */
  readonly words: Float64Array;
  readonly near: Float64Array;
  /** By the place of a turn: a factor for its speaker; null if the question means anybody. */
  readonly speakerFactors: Float64Array | null;
  /** Null if words alone decide. */
  readonly vectors: { readonly passages: Float64Array; readonly turns: Float64Array } | null;
  /** Whether anything matches the question at all. */
  readonly isTopical: boolean;
  readonly ages: Ages;
}

/** Writes the scores of the passages of a session, before follow-ups and replies count. */
function scoreSession(
  scores: Float64Array,
  { turns, firstPassage, endPassage }: ConcatenatedSession,
  asked: Asked,
): void {
  const { signs, windows, words, near, vectors, ages } = asked;
  const { ats, isUser, turnOf, worths, offers, writing, domains } = asked.columns;
  const long = turnWindowShare(turns);
  const ofOwn = signs.assistant ? OWN_WORDS_SHARE_OF_ASSISTANT : OWN_WORDS_SHARE;
  const own = ofOwn + (OWN_WORDS_SHARE_LONG - ofOwn) * long;
  const worthWeight = WORTH_WEIGHT * (1 - long);
  const factors = { user: roleFactor(true, signs), other: roleFactor(false, signs) };
  for (let place = firstPassage; place < endPassage; place += 1) {
    const turn = turnOf[place] ?? 0;
    const at = ats[turn] ?? 0;
    const age = (at - ages.from) / ages.span;
    let matched = own * (words[place] ?? 0) + (1 - own) * (near[turn] ?? 0);
    if (vectors !== null) {
      const byVectors =
        OWN_VECTOR_SHARE * (vectors.passages[place] ?? 0) +
        (1 - OWN_VECTOR_SHARE) * (vectors.turns[turn] ?? 0);
      matched = VECTOR_SHARE * byVectors + (1 - VECTOR_SHARE) * matched;
    }
    const offered = (offers[place] ?? 0) & asked.offers;
    const topic = asked.isTopical ? Math.min(1, matched / ADVICE_MATCH) : 1;
    const kind = ageScore(signs, age) + (offered === 0 ? 0 : offerScore(offered, { age, topic }));
    const ruled = writingScore(writing[place] ?? 0, asked);
    // Code mostly comes from the assistant; if it is asked for, it counts like a user's words.
    const isOfUser = isUser[turn] === 1 || (offered & OFFERS.code) > 0;
    const inDomain = DOMAIN_WEIGHT * domainRarity(asked.domains, domains[place] ?? 0);
    const inTime = windows.length === 0 ? 0 : WINDOW_WEIGHT * preferenceFor(at, windows);
    scores[place] =
      (matched + worthWeight * (worths[place] ?? 0) + kind + ruled + inDomain + inTime) *
      (isOfUser ? factors.user : factors.other) *
      (asked.speakerFactors?.[turn] ?? 1);
  }
}

interface ToShow {
  readonly score: number;
  readonly turnShare: WordScores['turnShare'];
  readonly asked: Float32Array | null;
  readonly isAskedAgain: boolean;
  readonly follower: RankedPassage['follower'];
}

/** @param at its place among the candidates */
function rankedPassage(
  { sessions, sessionOf, places }: BestPassages,
  at: number,
  { score, turnShare, asked, isAskedAgain, follower }: ToShow,
): RankedPassage | null {
  const placed = sessions[sessionOf[at] ?? 0];
  const place = places[at] ?? 0;
  const turnAt = placed?.columns.turnOf[place] ?? 0;
  const passage = placed?.session.passages[place];
  const turn = placed?.session.turns[turnAt];
  if (placed === undefined || passage === undefined || turn === undefined) return null;
  const { session, columns, firstTurn } = placed;
  const turnPlace = firstTurn + turnAt;
  const wordShare = nearShare(turnShare, turnPlace);
  return {
    session,
    place,
    passage,
    turn,
    isByPerson: columns.isUser[turnAt] === 1,
    turnUnits: columns.turnUnits[turnAt] ?? 0,
    score,
    wordShare,
    hitShare: isAskedAgain
      ? 0
      : turnShare(turnPlace) > 0
        ? wordShare
        : NEXT_SHARE.words * replyShare(placed, passage, turnShare),
    cosine: asked === null || isAskedAgain ? null : knownCosine(session, place, asked),
    ...(follower === undefined ? {} : { follower }),
  };
}

/** Returns the word share of the turns that a passage answers, up to 1; 0 if it answers none. */
function replyShare(
  { session: { turns }, firstTurn }: ConcatenatedSession,
  passage: Passage,
  turnShare: WordScores['turnShare'],
): number {
  let answered = 0;
  for (let before = askedFrom(passage.turn, turns); before < passage.turn; before += 1) {
    answered = Math.max(answered, turnShare(firstTurn + before));
  }
  return answered > 0 && answers(passage, turns) ? Math.min(1, answered) : 0;
}

/** A shorter reply to a statement ("Fine.") says nothing about the statement's topic. */
const REPLY_WORDS_MIN = 4;
/** A word of a script without spaces makes about four terms: two characters, and two pairs. */
const UNSPACED_TERMS = 4;
const UNSPACED_TERM = new RegExp(`^[${UNSPACED}]`, 'u');

/** Whether the turn of a passage replies to the one before it, and says something. */
function answers(passage: Passage, turns: readonly PastTurn[]): boolean {
  const [said, before] = [turns[passage.turn]?.turn, turns[passage.turn - 1]?.turn];
  if (said?.role === 'tool') return true;
  if (said === undefined || saysNothing(said.content)) return false;
  if (isQuestion(before?.content ?? '')) return true;
  // After a statement of the assistant, or in another script, the user speaks of something else.
  if (said.role === 'user' && before?.role === 'assistant') return false;
  if (wordCount(passage.terms) < REPLY_WORDS_MIN) return false;
  return said.role !== 'user' || isInScriptOf(said, before?.content ?? '');
}

/**
 * Whether a turn has a letter in common with the turn before it. Compared once: a turn stays with
 * its session between questions.
 */
const isInScriptOf = oncePer((said: PastTurn['turn'], before: string) =>
  haveSharedScript(said.content, before),
);

function wordCount(terms: readonly string[]): number {
  const unspaced = terms.filter((term) => UNSPACED_TERM.test(term)).length;
  return terms.length - unspaced + unspaced / UNSPACED_TERMS;
}

/** Calls of tools stand between a request and its reply; this many turns are followed. */
const REPLY_TURNS_MAX = 8;

/**
 * Returns the first of the turns that a turn may answer. The result of a tool, and what the
 * assistant says after it, answer the user whose words led to the call.
 */
function askedFrom(turn: number, turns: readonly PastTurn[]): number {
  const [said, before] = [turns[turn]?.turn.role, turns[turn - 1]?.turn.role];
  const isOfCall = said === 'tool' || (said === 'assistant' && before === 'tool');
  if (!isOfCall) return Math.max(0, turn - 1);
  const least = Math.max(0, turn - REPLY_TURNS_MAX);
  const asked = turns.slice(least, turn).findLastIndex((each) => each.turn.role === 'user');
  return asked === -1 ? least : least + asked;
}

function roleFactor(isUser: boolean, { assistant }: AskedTypes): number {
  if (assistant) return isUser ? USER_FACTOR_ASKED_OF_ASSISTANT : ASSISTANT_FACTOR.asked;
  return isUser ? 1 : ASSISTANT_FACTOR.otherwise;
}

/** Returns the offers that count for a question. */
function offersAsked(asked: AskedTypes): number {
  return (
    (asked.name ? OFFERS.name : 0) |
    (asked.number ? OFFERS.number : 0) |
    (asked.date ? OFFERS.date : 0) |
    (asked.preference ? OFFERS.preference : 0) |
    (asked.task ? OFFERS.task : 0) |
    (asked.harm ? OFFERS.harm : 0) |
    (asked.code ? OFFERS.code : 0) |
    (asked.assistant ? OFFERS.advice : 0)
  );
}

function ageScore(asked: AskedTypes, age: number): number {
  let score = AGE_WEIGHT.always * age;
  if (asked.now) score += AGE_WEIGHT.asked * age;
  if (asked.task) score += AGE_WEIGHT.asked * age;
  return score;
}

/**
 * @param offered what the passage offers, limited to what the question asks for
 * @param topic how far the passage is on the topic of the question, 0 to 1
 */
function offerScore(
  offered: number,
  { age, topic }: { readonly age: number; readonly topic: number },
): number {
  let score = 0;
  if ((offered & OFFERS.name) > 0) score += KIND_WEIGHT.other;
  if ((offered & OFFERS.number) > 0) score += KIND_WEIGHT.number;
  if ((offered & OFFERS.date) > 0) score += KIND_WEIGHT.other;
  if ((offered & OFFERS.preference) > 0) score += PREFERENCE_WEIGHT;
  if ((offered & OFFERS.harm) > 0) score += HARM_WEIGHT;
  if ((offered & OFFERS.code) > 0) score += CODE_WEIGHT;
  if ((offered & OFFERS.advice) > 0) score += ADVICE_WEIGHT * topic;
  if ((offered & OFFERS.task) > 0) score += TASK_WEIGHT * (0.4 + 0.6 * age);
  return score;
}

/** @param settled the bits of `styleSettled` of a passage */
function writingScore(settled: number, { writing, signs }: Asked): number {
  if (settled === 0) return 0;
  const isStanding = (settled & STANDING_BIT) > 0 && (writing > 0 || signs.preference);
  return (
    ((settled & writing) > 0 ? WRITING_WEIGHT.aspect : 0) +
    (isStanding ? WRITING_WEIGHT.standing : 0)
  );
}

/** Converts a time to an age: 0 for the oldest turn, 1 for the newest. */
interface Ages {
  readonly from: number;
  readonly span: number;
}

function agesOf({ span: { from, to } }: ConcatenatedSessions): Ages {
  return { from, span: Math.max(1, to - from) };
}

/** Returns the scores of turns, each with shares of the surrounding turns' scores. */
function nearWords(placed: ConcatenatedSessions, words: WordScores): Float64Array {
  const near = withNeighbors(words.turns, NEXT_SHARE.words);
  const long = placed.each.filter(({ session: { turns } }) => turnWindowShare(turns.length) > 0);
  if (long.length === 0) return near;
  const scores = scoreTurnsByWindow(placed, words);
  const best = largest(scores);
  if (best === 0) return near;
  for (const { session, firstTurn } of long) {
    const weight = (TURN_WINDOW_WEIGHT * turnWindowShare(session.turns.length)) / best;
    for (let at = firstTurn; at < firstTurn + session.turns.length; at += 1) {
      near[at] = (near[at] ?? 0) + weight * (scores[at] ?? 0);
    }
  }
  return near;
}

/** As `withNeighbors`, for one turn. */
function nearShare(own: (place: number) => number, at: number): number {
  const next = NEXT_SHARE.words;
  const second = next * SECOND_SHARE;
  return own(at) + next * (own(at - 1) + own(at + 1)) + second * (own(at - 2) + own(at + 2));
}

/** @param own by the place of a turn; results in the gaps between sessions have no meaning */
function withNeighbors(own: Float64Array, next: number): Float64Array {
  const second = next * SECOND_SHARE;
  const all = new Float64Array(own.length);
  for (let at = TURN_GAP; at < own.length - TURN_GAP; at += 1) {
    all[at] =
      (own[at] ?? 0) +
      next * ((own[at - 1] ?? 0) + (own[at + 1] ?? 0)) +
      second * ((own[at - 2] ?? 0) + (own[at + 2] ?? 0));
  }
  return all;
}

/** Scales cosines so that the mean is 0 and the best 1, since models differ in both. */
function vectorScores(
  placed: ConcatenatedSessions,
  asked: Float32Array,
): { readonly passages: Float64Array; readonly turns: Float64Array } {
  const passages = new Float64Array(placed.places.passages);
  const turns = new Float64Array(placed.places.turns).fill(Number.NaN);
  for (const { session, firstTurn, firstPassage } of placed.each) {
    const { vectors } = session;
    for (let at = 0; at < session.passages.length; at += 1) {
      passages[firstPassage + at] = cosineAt(vectors, at, asked);
    }
    for (const [at, { first, end }] of session.turns.entries()) {
      const scale = vectors?.turnScales[at] ?? 0;
      if (scale === 0) continue;
      // The cosine of the mean of several vectors, from their own cosines.
      let sum = 0;
      for (let of = first; of < end; of += 1) sum += passages[firstPassage + of] ?? 0;
      turns[firstTurn + at] = sum * scale;
    }
  }
  return { passages: scaled(passages), turns: withNeighbors(scaled(turns), NEXT_SHARE.vectors) };
}

function knownCosine({ vectors }: PastSession, place: number, asked: Float32Array): number | null {
  const cosine = cosineAt(vectors, place, asked);
  return Number.isNaN(cosine) ? null : cosine;
}

/** Scales scores so that the mean is 0 and the best 1; NaN becomes 0. */
function scaled(scores: Float64Array): Float64Array {
  const known = scores.filter((score) => !Number.isNaN(score));
  if (known.length === 0) return scores.map(() => 0);
  const mean = known.reduce((sum, score) => sum + score, 0) / known.length;
  const best = known.reduce((most, score) => Math.max(most, score), mean);
  const range = best - mean || 1;
  return scores.map((score) => (Number.isNaN(score) ? 0 : (score - mean) / range));
}
