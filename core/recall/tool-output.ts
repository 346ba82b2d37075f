/**
 * Ranks the results of tools that a question does not ask for behind what people said, and of the
 * lines of a log that differ in their numbers alone only the best few where they are.
 */
import type { RankedPassage } from './rank-passages.ts';

/** Of the passages of one result that are alike, this many keep their rank. */
const ALIKE_MAX = 3;

/** A word with a digit: a number, a time, an address, an identifier. */
const VALUE = /[\p{L}\p{N}]*\p{N}[\p{L}\p{N}]*/gu;

export interface ToolOutputLater {
  readonly ranked: readonly RankedPassage[];
  /** Those that are only for room that is left, at the end of the ranking. */
  readonly later: ReadonlySet<RankedPassage>;
}

/** Returns the passages, best first. @param ranked best first */
export function toolOutputLater(ranked: readonly RankedPassage[]): ToolOutputLater {
  const later = new Set<RankedPassage>();
  const dropped = new Set<RankedPassage>();
  const alike = new Map<RankedPassage['turn'], Map<string, number>>();
  for (const each of ranked) {
    if (each.turn.turn.role !== 'tool') continue;
    const known = alike.get(each.turn) ?? new Map<string, number>();
    const pattern = each.passage.text.replaceAll(VALUE, '#');
    const before = known.get(pattern) ?? 0;
    alike.set(each.turn, known.set(pattern, before + 1));
    // With a vector, meaning tells whether the question asks for it.
    const isUnasked = each.hitShare === 0 && each.cosine === null;
    if (isUnasked && before >= ALIKE_MAX) dropped.add(each);
    else if (isUnasked || before >= ALIKE_MAX) later.add(each);
  }
  if (later.size === 0) return { ranked, later };
  const first = ranked.filter((each) => !later.has(each) && !dropped.has(each));
  return { ranked: [...first, ...later], later };
}
