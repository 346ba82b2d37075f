/**
 * Selects the parts of a context that no question changes: instructions, layer summaries, the
 * session summary and the latest turns. Their share of the limit depends only on themselves, so
 * that their text keeps its bytes until one of their sources changes.
 */
import { depthsOf, type ContextInput, type SummaryPart } from './context-parts.ts';
import { renderContext, sessionPart, withoutOldest, type Selection } from './context-text.ts';
import { SESSION_SHARE_MAX, STABLE_SHARE } from './context-shares.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import { DEPTHS, type Depth } from '../records/summary.ts';

/** Selects the stable parts. The more specific layer is placed and deepened first. */
export function stableParts(input: ContextInput, tokens: TokenCounter): Selection {
  const limit = Math.floor(input.limit * STABLE_SHARE);
  const fits = (selection: Selection): boolean =>
    tokens.count(renderContext({ ...input, query: '' }, selection)) <= limit;
  const none = { related: [], past: [], layerDepths: new Map<string, Depth>() };
  let sessionDepth = startingDepth(input, tokens);
  let { hotTurns } = input;
  while (hotTurns.length > 0 && !fits({ ...none, sessionDepth, hotTurns })) {
    hotTurns = withoutOldest(hotTurns);
  }
  while (sessionDepth !== null && !fits({ ...none, sessionDepth, hotTurns })) {
    sessionDepth = shallower(sessionPart(input, hotTurns), sessionDepth);
  }
  let selection: Selection = { ...none, sessionDepth, hotTurns };
  const shortest = input.layerSummaries.flatMap((part) => depthSteps(part).slice(0, 1));
  const deeper = input.layerSummaries.flatMap(depthSteps);
  for (const { part, depth } of [...shortest, ...deeper]) {
    const grown = withDepth(selection, part, depth);
    if (fits(grown)) selection = grown;
  }
  return selection;
}

export function startingDepth(input: ContextInput, tokens: TokenCounter): Depth | null {
  const room = Math.floor(input.limit * SESSION_SHARE_MAX);
  const depths = sessionPart(input, input.hotTurns)?.depths;
  const fits = (depth: Depth): boolean => {
    const shown = depths?.[depth];
    return shown !== undefined && tokens.count(shown.text) <= room;
  };
  return DEPTHS.findLast(fits) ?? DEPTHS.find((depth) => depths?.[depth]) ?? null;
}

/** Returns the depths at which a summary can be shown, the shortest first. */
export function depthSteps(part: SummaryPart): readonly { part: SummaryPart; depth: Depth }[] {
  return depthsOf(part).map((depth) => ({ part, depth }));
}

export function withDepth(selection: Selection, { id }: SummaryPart, depth: Depth): Selection {
  return { ...selection, layerDepths: new Map(selection.layerDepths).set(id, depth) };
}

export function shallower(part: SummaryPart | null, depth: Depth): Depth | null {
  const below = DEPTHS.slice(0, DEPTHS.indexOf(depth));
  return below.findLast((each) => part?.depths[each] !== undefined) ?? null;
}
