/**
 * Gives the room of earlier turns in which nothing fits the question to memories and summaries that
 * fit it: shares are minimums, and beyond them relevance decides, whatever the kind.
 */
import {
  byRelevance,
  type ContextInput,
  type SummaryPart,
  type WholePart,
} from './context-parts.ts';
import { isSaid, withRelated, type Selection } from './context-text.ts';
import { withDepth } from './stable-parts.ts';
import { DEPTHS } from '../records/summary.ts';
import { UNRELATED_SCORE } from '../search/calibration.ts';

/** So many memories, and steps of summaries, are tried. */
const TRIED_MAX = 24;

type Measure = (selection: Selection) => number;
/** Returns null where it does not belong in the selection. */
type Step = (selection: Selection) => Selection | null;

/** Returns the selection with what fits the question, in place of turns that don't. */
export function reassignTurnRoom(
  input: ContextInput,
  before: Selection,
  measure: Measure,
): Selection {
  let selection = before;
  for (const step of stepsOf(input).slice(0, TRIED_MAX)) {
    const grown = step(selection);
    selection = (grown === null ? null : within(input.limit, grown, measure)) ?? selection;
  }
  return selection;
}

/** The most relevant first; a summary grows by one depth at a time. */
function stepsOf(input: ContextInput): readonly Step[] {
  const layers = input.layout === 'cacheStable' ? [] : input.layerSummaries;
  return [...input.relatedEntities, ...layers]
    .filter(({ relevance }) => relevance >= UNRELATED_SCORE)
    .toSorted(byRelevance)
    .flatMap((part) => ('depths' in part ? depthSteps(part) : [relatedStep(input, part)]));
}

function relatedStep(input: ContextInput, part: WholePart): Step {
  return (selection) => {
    if (selection.related.includes(part) || isSaid(input, selection)(part)) return null;
    return withRelated(selection, part);
  };
}

function depthSteps(part: SummaryPart): readonly Step[] {
  return DEPTHS.filter((depth) => part.depths[depth] !== undefined).map((depth) => (selection) => {
    const shown = selection.layerDepths.get(part.id);
    const isDeeper = shown === undefined || DEPTHS.indexOf(depth) > DEPTHS.indexOf(shown);
    return isDeeper ? withDepth(selection, part, depth) : null;
  });
}

/** Drops turns in which nothing fits, the last first, until there is room; null if none is left. */
function within(limit: number, grown: Selection, measure: Measure): Selection | null {
  let { past } = grown;
  while (measure({ ...grown, past }) > limit) {
    const last = past.findLastIndex(({ isUnrelated }) => isUnrelated === true);
    if (last === -1) return null;
    past = past.toSpliced(last, 1);
  }
  return { ...grown, past };
}
