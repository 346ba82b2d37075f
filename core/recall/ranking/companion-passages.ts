/**
 * Raises passages that belong to the best ones: the item of a list that a question asks for, the
 * question that a short answer answers, and the sentence that goes on from another.
 */
import { isQuestion } from '../../text/question.ts';
import { bestFirst, passageAt, turnAt, type BestPassages } from './best-passages.ts';
import { placeOfItem } from '../question/listed-item.ts';

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
  const seen = new Set<number>();
  for (const at of bestFirst(scores, BEST_OF_LISTS)) {
    const turn = turnAt(candidates, at);
    if (candidates.columns.isUser[turn] === 1 || seen.has(turn)) continue;
    seen.add(turn);
    let first = at;
    while (turnAt(candidates, first - 1) === turn) first -= 1;
    const texts: string[] = [];
    for (let next = first; turnAt(candidates, next) === turn; next += 1)
      texts.push(passageAt(candidates, next)?.text ?? '');
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
  const { passages } = candidates;
  const raised = scores.slice();
  for (const at of bestFirst(scores, BEST_CONTINUED)) {
    const next = at + 1;
    const isNext = passages[next] === (passages[at] ?? 0) + 1;
    const isOfTurn = turnAt(candidates, next) === turnAt(candidates, at);
    if (isNext && isOfTurn && CONTINUES.test(passageAt(candidates, next)?.text ?? '')) {
      raised[next] = Math.max(raised[next] ?? 0, CONTINUED_SHARE * (scores[at] ?? 0));
    }
  }
  return raised;
}
