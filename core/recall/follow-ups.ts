/**
 * What was said later about the same thing as the best passages. A correction is made in passing
 * and in other words than the question's, but often in those of what it corrects.
 */
import type { PastTurn } from './past-session.ts';
import type { RankedPassage } from './rank.ts';
import type { QuestionSigns } from './signs.ts';

/** Passages that later ones are compared with. */
const BEST = 5;
const FOLLOW_UP_WEIGHT = 0.12;
/** How much more a passage counts that says that something changed. */
const CHANGE_FACTOR = 2;

export function addFollowUps(
  ranked: readonly RankedPassage[],
  {
    signs,
    factor,
  }: { signs: QuestionSigns; factor: (turn: PastTurn, signs: QuestionSigns) => number },
): readonly RankedPassage[] {
  const best = bestOf(ranked);
  const top = best[0]?.score ?? 0;
  if (top <= 0) return ranked;
  const rare = rarities(ranked, best);
  const added = ranked.map(() => 0);
  for (const { passage, turn, score } of best) {
    const mine = new Set(passage.terms);
    const whole = sumOf(mine, rare);
    if (whole === 0) continue;
    for (const [at, other] of ranked.entries()) {
      if (other.turn.turn.at <= turn.turn.at) continue;
      const shared = sumOf(new Set(other.passage.terms.filter((term) => mine.has(term))), rare);
      const change = other.passage.signs.isChange ? CHANGE_FACTOR : 1;
      added[at] = (added[at] ?? 0) + (change * (score / top) * shared) / Math.sqrt(whole);
    }
  }
  const most = added.reduce((all, each) => Math.max(all, each), 0);
  if (most === 0) return ranked;
  return ranked.map((each, at) => {
    const share = (added[at] ?? 0) / most;
    return { ...each, score: each.score + FOLLOW_UP_WEIGHT * share * factor(each.turn, signs) };
  });
}

function bestOf(ranked: readonly RankedPassage[]): readonly RankedPassage[] {
  const best: RankedPassage[] = [];
  for (const each of ranked) {
    const place = best.findLastIndex(({ score }) => score >= each.score) + 1;
    if (place < BEST) best.splice(place, 0, each);
    if (best.length > BEST) best.pop();
  }
  return best;
}

/** Of the terms of the best, by the passages that have them. */
function rarities(
  ranked: readonly RankedPassage[],
  best: readonly RankedPassage[],
): ReadonlyMap<string, number> {
  const terms = new Set(best.flatMap(({ passage }) => passage.terms));
  const sessions = new Set(ranked.map(({ session }) => session));
  let turns = 0;
  for (const session of sessions) turns += session.turns.length;
  return new Map(
    [...terms].map((term) => {
      let having = 0;
      for (const { frequency } of sessions) having += frequency.get(term) ?? 0;
      return [term, Math.log(1 + turns / Math.max(1, having))];
    }),
  );
}

function sumOf(terms: ReadonlySet<string>, rare: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const term of terms) sum += rare.get(term) ?? 0;
  return sum;
}
