/**
 * Moves repetitions behind the rest: results of tools that a question does not ask for, all but the
 * best few of near-duplicate turns, and all but the best few lines of a log that differ only in
 * their numbers. Finds replies that only confirm in the words of a better one, which go altogether.
 */
import { saysNothing } from '../../text/small-talk.ts';
import { NEAR_DUPLICATES_MAX, nearDuplicateCounter, VALUE } from './near-duplicates.ts';
import { asksAssistant } from '../question/answer-types.ts';
import type { RankedPassage } from './rank-past-turns.ts';

/** Near-duplicate passages are looked for among this many of the best. */
const COMPARED_MAX = 200;

interface RepetitionsLater {
  readonly ranked: readonly RankedPassage[];
  /** Passages only for room that is left, at the end of the ranking. */
  readonly later: ReadonlySet<RankedPassage>;
}

/** Returns the passages, best first, without unasked lines that repeat too often. */
export function repetitionsLater(ranked: readonly RankedPassage[]): RepetitionsLater {
  const later = new Set<RankedPassage>();
  const dropped = new Set<RankedPassage>();
  const alike = new Map<RankedPassage['turn'], Map<string, number>>();
  const alikeBefore = nearDuplicateCounter(false);
  for (const [rank, each] of ranked.entries()) {
    if (each.turn.turn.role !== 'tool') {
      const { text } = each.passage;
      if (rank < COMPARED_MAX && alikeBefore(text) >= NEAR_DUPLICATES_MAX) later.add(each);
      continue;
    }
    const known = alike.get(each.turn) ?? new Map<string, number>();
    const pattern = each.passage.text.replaceAll(VALUE, '#');
    const before = known.get(pattern) ?? 0;
    alike.set(each.turn, known.set(pattern, before + 1));
    // With a vector, meaning tells whether the question asks for it.
    const isUnasked = each.hitShare === 0 && each.cosine === null;
    if (isUnasked && before >= NEAR_DUPLICATES_MAX) dropped.add(each);
    else if (isUnasked || before >= NEAR_DUPLICATES_MAX) later.add(each);
  }
  if (later.size === 0) return { ranked, later };
  const first = ranked.filter((each) => !later.has(each) && !dropped.has(each));
  return { ranked: [...first, ...later], later };
}

/** Words of a reply that only confirms what a user has said, as terms. */
export const CONFIRMING: ReadonlySet<string> = new Set(
  (
    'note noted ok okay got remember save saved great thank good right sure understood notiert ' +
    'gemerkt verstanden klar gut alles dank merk gern perfekt anotado apuntado entendido vale ' +
    'claro gracias tomo nota 记住 住了 记下 下了 好的 收到 明白 知道 道了'
  ).split(' '),
);
const ASKS = /[?？]/u;

/**
 * Returns replies of the assistant that only confirm ("Noted.") in the words of a better one. After
 * a question, a request or a tool, such a reply is an answer, and stays.
 */
export function repeatedConfirmations(
  ranked: readonly RankedPassage[],
): ReadonlySet<RankedPassage> {
  const known = new Set<string>();
  return new Set(
    ranked.filter((each) => {
      if (!isConfirmation(each)) return false;
      const words = each.passage.terms.join(' ');
      if (known.has(words)) return true;
      known.add(words);
      return false;
    }),
  );
}

function isConfirmation({ session, passage, turn }: RankedPassage): boolean {
  const isWhole = turn.end - turn.first === 1;
  if (turn.turn.role !== 'assistant' || !isWhole || !saysNothing(passage.text)) return false;
  const { terms } = passage;
  // `Yes` and `Done` tell something, also after a statement.
  if (terms.length === 0 || !terms.every((term) => CONFIRMING.has(term))) return false;
  const before = session.turns[passage.turn - 1]?.turn;
  if (before === undefined) return true;
  const isAsked = ASKS.test(before.content) || asksAssistant(before.content);
  return before.role !== 'tool' && !isAsked;
}
