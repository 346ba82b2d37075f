/**
 * Finds what the assistant answered to the best passages. Where one of them asks the assistant for
 * something, the words of the question are in the request and the answer in the reply, which
 * often repeats none of them: `Find an optician for kids`, and `Vermeersch, 09 225 31 44`.
 */
import { isQuestion } from '../../text/question.ts';
import { saysNothing } from '../../text/small-talk.ts';
import { bestFirst, type BestPassages } from './best-passages.ts';
import { OFFERS } from '../sessions/session-columns.ts';
import type { ConcatenatedSession } from '../sessions/concatenated-sessions.ts';
import { asksAssistant } from '../question/answer-types.ts';
import { placeOfItem } from '../question/listed-item.ts';

/** Requests are looked for among this many of the best passages. */
const BEST = 3;
/** Minimum score of the first passage of a reply, as a share of the request's score. */
const REPLY_SHARE = 0.9;
/** The same for each further passage, as a share of the one before it: a reply may be long. */
const NEXT_PASSAGE_SHARE = 0.85;
/** Calls of tools stand between a request and its reply; this many turns are followed. */
export const REPLY_TURNS_MAX = 8;
/** Offers that count in a reply. Users state their preferences and tasks themselves. */
const OFFERED = OFFERS.name | OFFERS.number | OFFERS.date | OFFERS.code;

/**
 * Returns the scores of the candidates, raised for replies to the best of them.
 * @param asked offers that the question asks for; if any, a reply must have one of them
 */
export function withReplies(
  candidates: BestPassages,
  scores: Float64Array,
  asked: number,
): Float64Array {
  const requests = bestFirst(scores, BEST).filter(
    (at) => (scores[at] ?? 0) > 0 && isRequest(candidates, at),
  );
  if (requests.length === 0) return scores;
  const lifted = scores.slice();
  for (const at of requests) liftReply(lifted, candidates, { at, score: scores[at] ?? 0, asked });
  return lifted;
}

function isRequest({ sessions, sessionOf, places }: BestPassages, at: number): boolean {
  const { session, columns } = sessions[sessionOf[at] ?? 0] ?? {};
  const passage = session?.passages[places[at] ?? 0];
  if (passage === undefined || columns?.isUser[passage.turn] !== 1) return false;
  return asksAssistant(passage.text);
}

interface Request {
  /** Its place among the candidates. */
  readonly at: number;
  readonly score: number;
  readonly asked: number;
}

/** Raises the scores of the reply's passages, which come after the request among the candidates. */
function liftReply(
  scores: Float64Array,
  { sessions, sessionOf, places }: BestPassages,
  { at, score, asked }: Request,
): void {
  const place = sessionOf[at] ?? 0;
  const placed = sessions[place];
  if (placed === undefined) return;
  const { columns } = placed;
  const turn = columns.turnOf[places[at] ?? 0] ?? 0;
  const end = replyEnd(placed, turn);
  let share = REPLY_SHARE;
  for (let next = at + 1; sessionOf[next] === place; next += 1) {
    const of = columns.turnOf[places[next] ?? 0] ?? 0;
    if (of >= end) return;
    if (of === turn || placed.session.turns[of]?.turn.role !== 'assistant') continue;
    if (saysNothing(placed.session.passages[places[next] ?? 0]?.text ?? '')) continue;
    const offered = (columns.offers[places[next] ?? 0] ?? 0) & OFFERED;
    const isOffered = asked === 0 || (offered & asked) > 0;
    if (!isOffered) continue;
    scores[next] = Math.max(scores[next] ?? 0, share * score);
    share *= NEXT_PASSAGE_SHARE;
  }
}

/** The list is looked for among this many of the best passages. */
const BEST_OF_LISTS = 40;
/** Score of the item, as a share of the best passage's of its turn. */
const ITEM_SHARE = 0.99;

/**
 * Returns the scores of the candidates, raised for one item of a list: of the first turn of the
 * assistant that has it, of those of the best passages.
 * @param item its number, from 1
 */
export function withListedItem(
  candidates: BestPassages,
  scores: Float64Array,
  item: number,
): Float64Array {
  const { sessions, sessionOf, places, columns, passages } = candidates;
  const turnAt = (at: number): number => columns.turnOf[passages[at] ?? 0] ?? -1;
  const seen = new Set<number>();
  for (const at of bestFirst(scores, BEST_OF_LISTS)) {
    const turn = turnAt(at);
    if (columns.isUser[turn] === 1 || seen.has(turn)) continue;
    seen.add(turn);
    let first = at;
    while (first > 0 && turnAt(first - 1) === turn) first -= 1;
    const texts: string[] = [];
    for (let next = first; next < passages.length && turnAt(next) === turn; next += 1)
      texts.push(sessions[sessionOf[next] ?? 0]?.session.passages[places[next] ?? 0]?.text ?? '');
    const place = placeOfItem(texts, item);
    if (place === -1) continue;
    const raised = scores.slice();
    raised[first + place] = Math.max(raised[first + place] ?? 0, ITEM_SHARE * (scores[at] ?? 0));
    return raised;
  }
  return scores;
}

/** Answers are looked for among this many of the best passages. */
const BEST_ANSWERS = 6;
/** In code units: a longer answer says enough without its question. */
const ANSWER_UNITS_MAX = 80;
/** Score of the question, as a share of the answer's. */
const QUESTION_SHARE = 0.95;

/**
 * Returns the scores of the candidates, raised for the assistant's questions that the best of them
 * answer in a few words.
 */
export function withQuestionsAnswered(
  candidates: BestPassages,
  scores: Float64Array,
): Float64Array {
  const raised = scores.slice();
  for (const at of bestFirst(scores, BEST_ANSWERS)) {
    const score = scores[at] ?? 0;
    const asked = score > 0 ? questionBefore(candidates, at) : null;
    if (asked !== null) raised[asked] = Math.max(raised[asked] ?? 0, QUESTION_SHARE * score);
  }
  return raised;
}

/** Returns the place of the question that a short turn of a user answers; null if there is none. */
function questionBefore({ sessions, sessionOf, places }: BestPassages, at: number): number | null {
  const { session, columns } = sessions[sessionOf[at] ?? 0] ?? {};
  const turn = session?.passages[places[at] ?? 0]?.turn ?? 0;
  if (session === undefined || columns?.isUser[turn] !== 1 || turn === 0) return null;
  if ((columns.turnUnits[turn] ?? 0) > ANSWER_UNITS_MAX) return null;
  if (session.turns[turn - 1]?.turn.role !== 'assistant') return null;
  // The question is the last passage of the turn before.
  const first = session.turns[turn]?.first ?? 0;
  const before = at - ((places[at] ?? 0) - (first - 1));
  const isNext = sessionOf[before] === sessionOf[at] && places[before] === first - 1;
  const question = session.passages[first - 1]?.text ?? '';
  return isNext && isQuestion(question) ? before : null;
}

/** Sentences that go on are looked for right behind this many of the best passages. */
const BEST_CONTINUED = 3;
/** Score of the sentence that goes on, as a share of the first one's. */
const CONTINUED_SHARE = 0.95;
/** Begins with a word that stands for what the sentence before names. */
const CONTINUES = new RegExp(
  String.raw`^(?:(?:(?:It|That|This|They|Those|He|She)` +
    String.raw`(?:['’](?:s|re)|\s(?:is|are|was|were|costs?|starts?))|` +
    String.raw`(?:Es|Das|Er|Sie|Die|Der)\s(?:ist|sind|war(?:en)?|heißt|kostet|lautet|beginnt)|` +
    String.raw`Es\s(?:el|la|un|una|de)|Son|Se llaman?|Cuesta|Queda|Está|Empieza)(?!\p{L})|` +
    '是|就是|叫|它|那是|这是)',
  'u',
);

/**
 * Returns the scores of the candidates, raised for sentences that only go on from the best of them:
 * `I have a new number. It is 020 7946 0018`.
 */
export function withContinuations(candidates: BestPassages, scores: Float64Array): Float64Array {
  const { sessions, sessionOf, places, columns, passages } = candidates;
  const raised = scores.slice();
  for (const at of bestFirst(scores, BEST_CONTINUED)) {
    const next = at + 1;
    const isNextInTurn =
      sessionOf[next] === sessionOf[at] &&
      places[next] === (places[at] ?? 0) + 1 &&
      columns.turnOf[passages[next] ?? 0] === columns.turnOf[passages[at] ?? 0];
    const text = sessions[sessionOf[at] ?? 0]?.session.passages[places[next] ?? 0]?.text ?? '';
    if (isNextInTurn && CONTINUES.test(text)) {
      raised[next] = Math.max(raised[next] ?? 0, CONTINUED_SHARE * (scores[at] ?? 0));
    }
  }
  return raised;
}

/** Returns the place after the reply to a turn: that of the next user turn, or of the limit. */
function replyEnd({ session: { turns }, columns }: ConcatenatedSession, turn: number): number {
  const last = Math.min(turns.length, turn + 1 + REPLY_TURNS_MAX);
  for (let end = turn + 1; end < last; end += 1) if (columns.isUser[end] === 1) return end;
  return last;
}
