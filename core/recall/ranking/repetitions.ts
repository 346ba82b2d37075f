/**
 * Moves repetitions behind the rest: results of tools that a question does not ask for, all but the
 * best few of near-duplicate turns, and all but the best few lines of a log that differ only in
 * their numbers.
 */
import { NEAR_DUPLICATES_MAX, nearDuplicateCounter, VALUE } from './near-duplicate-passages.ts';
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
