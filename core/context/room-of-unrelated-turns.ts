/**
 * Takes room from earlier turns in which nothing fits the question, and gives it to memories and
 * summaries that fit it: beyond the minimum shares, relevance decides, whatever the kind of part.
 */
import {
  byRelevance,
  depthsOf,
  type ContextInput,
  type SummaryPart,
  type WholePart,
} from './context-parts.ts';
import { isSaid, withRelated, type Measure, type Selection } from './context-text.ts';
import { withDepth } from './stable-parts.ts';
import { DEPTHS } from '../records/summary.ts';
import { UNRELATED_SCORE } from '../search/calibration.ts';

/** Maximum memories and depth steps of summaries to try. */
const TRIED_MAX = 24;

/** Adds one part to a selection; returns null if the part does not belong there. */
type Step = (selection: Selection) => Selection | null;

/** Returns the selection with parts that fit the question in place of turns that do not. */
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

/** Returns the steps, most relevant part first; a summary grows by one depth at a time. */
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
  return depthsOf(part).map((depth) => (selection) => {
    const shown = selection.layerDepths.get(part.id);
    const isDeeper = shown === undefined || DEPTHS.indexOf(depth) > DEPTHS.indexOf(shown);
    return isDeeper ? withDepth(selection, part, depth) : null;
  });
}

/** Drops unrelated turns, the last one first, until there is room; null if that is not enough. */
function within(limit: number, grown: Selection, measure: Measure): Selection | null {
  let { past } = grown;
  while (measure({ ...grown, past }) > limit) {
    const last = past.findLastIndex(({ isUnrelated }) => isUnrelated === true);
    if (last === -1) return null;
    past = past.toSpliced(last, 1);
  }
  return { ...grown, past };
}
