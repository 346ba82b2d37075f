/**
 * Assembles a context inside a token limit (design 6.24). Deterministic: the same inputs give the
 * same bytes. Order of the text: instructions, layer summaries, session summary, hot turns, related
 * entities, query. Order of trimming: hot turns, oldest first; related entities, least relevant
 * first; the session summary, a depth at a time. Instructions and query always stay.
 */
import { VarveError } from '../errors.ts';
import {
  byRelevance,
  type AssembledContext,
  type ContextInput,
  type SummaryPart,
  type WholePart,
} from './context-parts.ts';
import { byPrecedence } from '../layer.ts';
import { receiptOf } from './context-receipt.ts';
import { renderContext, type Selection } from './context-render.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import { DEPTHS, type Depth } from '../records/summary.ts';

/** Related entities may take this share of the limit, so that they do not push out all turns. */
export const RELATED_SHARE_MAX = 0.4;
/** The session summary begins at the deepest text within this share, for the same reason. */
export const SESSION_SHARE_MAX = 1 / 3;

/** @throws VarveError CONTEXT_LIMIT_TOO_SMALL where instructions and query alone do not fit. */
export function assembleContext(input: ContextInput, tokens: TokenCounter): AssembledContext {
  const measure = (selection: Selection) => tokens.count(renderContext(input, selection));
  const shared = withinShare(input, tokens);
  const begun: Selection = {
    sessionDepth: startingDepth(input, tokens),
    hotTurns: input.hotTurns,
    related: shared,
    layerDepths: new Map(),
  };
  const trimmed = trim(input, begun, measure);
  const selection = addLayerSummaries(input, trimmed, measure);
  const text = renderContext(input, selection);
  return {
    text,
    tokens: tokens.count(text),
    limit: input.limit,
    receipt: receiptOf(input, selection, { shared, tokens }),
  };
}

/** The most relevant entities that fit their share; the rest is out before anything is trimmed. */
function withinShare(input: ContextInput, tokens: TokenCounter): readonly WholePart[] {
  let left = Math.floor(input.limit * RELATED_SHARE_MAX);
  const kept: WholePart[] = [];
  for (const part of input.relatedEntities.toSorted(byRelevance)) {
    const cost = tokens.count(part.text);
    if (cost > left) continue;
    left -= cost;
    kept.push(part);
  }
  return kept;
}

function startingDepth(
  { limit, sessionSummary }: ContextInput,
  tokens: TokenCounter,
): Depth | null {
  const room = Math.floor(limit * SESSION_SHARE_MAX);
  const fits = (depth: Depth): boolean => {
    const shown = sessionSummary?.depths[depth];
    return shown !== undefined && tokens.count(shown.text) <= room;
  };
  return DEPTHS.findLast(fits) ?? DEPTHS.find((depth) => sessionSummary?.depths[depth]) ?? null;
}

function trim(
  input: ContextInput,
  begun: Selection,
  measure: (selection: Selection) => number,
): Selection {
  let selection = begun;
  let required = measure(selection);
  while (required > input.limit) {
    const smaller = oneLess(input, selection);
    if (smaller === null) throw tooSmall(input.limit, required);
    selection = smaller;
    required = measure(selection);
  }
  return selection;
}

/** The next smaller selection in the specified order, or null where nothing more may go. */
function oneLess(input: ContextInput, selection: Selection): Selection | null {
  if (selection.hotTurns.length > 0) {
    return { ...selection, hotTurns: selection.hotTurns.slice(1) };
  }
  if (selection.related.length > 0) {
    return { ...selection, related: selection.related.slice(0, -1) };
  }
  if (selection.sessionDepth === null) return null;
  return { ...selection, sessionDepth: shallower(input.sessionSummary, selection.sessionDepth) };
}

/**
 * What is left goes to layer summaries: all at their shortest, then deeper by relevance. Where the
 * room ends nothing more is deepened, so that no layer is deeper for being shorter than another
 * that is more relevant.
 */
function addLayerSummaries(
  input: ContextInput,
  trimmed: Selection,
  measure: (selection: Selection) => number,
): Selection {
  let selection = trimmed;
  const grow = (part: SummaryPart, depth: Depth): boolean => {
    const shown = selection.layerDepths.get(part.id);
    const text = part.depths[depth]?.text;
    if (text === undefined) return true;
    const layerDepths = new Map(selection.layerDepths).set(part.id, depth);
    const grown = { ...selection, layerDepths };
    // Where all facts fit the shorter depth, the longer one is the same text and costs nothing.
    const isSame = shown !== undefined && part.depths[shown]?.text === text;
    const fits = isSame || measure(grown) <= input.limit;
    if (fits) selection = grown;
    return fits;
  };
  for (const part of input.layerSummaries) {
    const shortest = DEPTHS.find((depth) => part.depths[depth] !== undefined);
    if (shortest !== undefined) grow(part, shortest);
  }
  const shown = input.layerSummaries.filter(({ id }) => selection.layerDepths.has(id));
  const steps = shown
    .toSorted(byRelevanceThenLayer)
    .flatMap((part) => DEPTHS.map((depth) => ({ part, depth })));
  for (const { part, depth } of steps) if (!grow(part, depth)) break;
  return selection;
}

/** Of equally relevant layers the more specific one: it is what precedence is for. */
function byRelevanceThenLayer(a: SummaryPart, b: SummaryPart): number {
  return b.relevance - a.relevance || byPrecedence(a, b) || byRelevance(a, b);
}

function shallower(part: SummaryPart | null, depth: Depth): Depth | null {
  const below = DEPTHS.slice(0, DEPTHS.indexOf(depth));
  return below.findLast((each) => part?.depths[each] !== undefined) ?? null;
}

function tooSmall(limit: number, required: number): VarveError {
  return new VarveError(
    'CONTEXT_LIMIT_TOO_SMALL',
    `Instructions and query alone need ${String(required)} tokens; the limit is ${String(limit)}.`,
    { details: { required, limit } },
  );
}
