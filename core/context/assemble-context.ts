/**
 * Assembles a context inside a token limit (design 6.24). Deterministic: the same inputs give the
 * same bytes. Order of the text: instructions, layer summaries, session summary, hot turns,
 * earlier turns, related entities, query. Order of trimming: hot turns, oldest first; related
 * entities, least relevant first; the session summary, one depth at a time. Instructions and query
 * always stay.
 *
 * Shares are minimums: once every part has its share, the next best part of any kind gets the free
 * room, until the limit is reached or nothing is left. The layout `cacheStable` first chooses the
 * parts that no question changes (stable-parts.ts) and leaves the rest to the question.
 */
import { VarveError } from '../errors.ts';
import { oncePer } from '../once.ts';
import {
  byRelevance,
  depthsOf,
  type ContextInput,
  type SummaryPart,
  type WholePart,
} from './context-parts.ts';
import { byPrecedence } from '../layer.ts';
import { contextReceiptOf, type ReceiptLine } from './context-receipt.ts';
import { untrustedRoom } from './context-shares.ts';
import { fillPast, longTurnsLater, untrustedTokens } from './past-turns.ts';
import {
  beyondSession,
  isSaid,
  renderContext,
  sessionPart,
  withoutOldest,
  withoutOutdated,
  withRelated,
  type Measure,
  type Selection,
} from './context-text.ts';
import { reassignTurnRoom } from './room-of-unrelated-turns.ts';
import { LAYER_SHARE, RELATED_SHARE } from './context-shares.ts';
import { depthSteps, shallower, stableParts, startingDepth, withDepth } from './stable-parts.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import type { Depth } from '../records/summary.ts';

export interface AssembledContext {
  readonly text: string;
  /** Tokens of the whole text, counted on the final text; never above the limit. */
  readonly tokens: number;
  readonly limit: number;
  readonly receipt: readonly ReceiptLine[];
}

/**
 * Assembles the text and its receipt.
 * @throws VarveError CONTEXT_LIMIT_TOO_SMALL if instructions and query alone exceed the limit
 */
export function assembleContext(input: ContextInput, tokens: TokenCounter): AssembledContext {
  // Most steps begin with the selection that the last step measured.
  const measure = oncePer((selection: Selection) => tokens.count(renderContext(input, selection)));
  const relatedEntities = input.relatedEntities.filter(
    ({ isOfRankedTurn, isFar }) => isOfRankedTurn !== true && isFar !== true,
  );
  const competing = { ...input, relatedEntities };
  const shared = withinShare(competing, tokens);
  const counting = { tokens, measure };
  const chosen =
    input.layout === 'cacheStable'
      ? withStableParts(competing, shared, counting)
      : byQuestion(competing, shared, counting);
  const selection = addRelated(input, chosen, counting);
  const text = renderContext(input, selection);
  return {
    text,
    tokens: measure(selection),
    limit: input.limit,
    receipt: contextReceiptOf(input, selection, tokens),
  };
}

function byQuestion(
  input: ContextInput,
  shared: readonly WholePart[],
  counting: Counting,
): Selection {
  const { tokens, measure } = counting;
  const begun: Selection = {
    sessionDepth: startingDepth(input, tokens),
    hotTurns: input.hotTurns,
    related: shared,
    past: [],
    layerDepths: new Map(),
  };
  // If trimming also dropped the session summary, entities may fit their share again.
  const trimmed = addRelated(input, trim(input, begun, measure), counting, shared);
  const share = input.pastTurns.length === 0 ? 1 : LAYER_SHARE;
  const layered = addLayerSummaries(input, trimmed, measure, share);
  const recalled = withoutSaid(input, addPastTurns(input, layered, counting), measure);
  const fitting = reassignTurnRoom(input, recalled, measure);
  const all = addLayerSummaries(input, fitting, measure, 1);
  // A deeper summary may say what the shortest one left out.
  const deepened = withoutSaid(input, deepenLayerSummaries(input, all, measure), measure);
  return addRelated(input, deepened, counting);
}

function withStableParts(
  input: ContextInput,
  shared: readonly WholePart[],
  counting: Counting,
): Selection {
  const stable = stableParts(input, counting.tokens);
  const isRoom = counting.measure(stable) <= input.limit;
  const bare = { ...stable, layerDepths: new Map<string, Depth>() };
  const begun = isRoom ? stable : trim(input, bare, counting.measure);
  let related = shared;
  while (related.length > 0 && counting.measure({ ...begun, related }) > input.limit) {
    related = related.slice(0, -1);
  }
  const past = addPastTurns(input, { ...begun, related }, counting);
  const recalled = withoutSaid(input, past, counting.measure);
  return addRelated(input, reassignTurnRoom(input, recalled, counting.measure), counting);
}

/** Returns the most relevant entities that fit their share; the others may get free room later. */
function withinShare(input: ContextInput, tokens: TokenCounter): readonly WholePart[] {
  let left = Math.floor(input.limit * RELATED_SHARE);
  const kept: WholePart[] = [];
  for (const part of input.relatedEntities.toSorted(byRelevance)) {
    const cost = tokens.count(part.text);
    if (cost > left) continue;
    left -= cost;
    kept.push(part);
  }
  return withoutOutdated(kept);
}

function trim(input: ContextInput, begun: Selection, measure: Measure): Selection {
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

/** Returns the next smaller selection in trimming order, or null if nothing more can be dropped. */
function oneLess(input: ContextInput, selection: Selection): Selection | null {
  if (selection.hotTurns.length > 0) {
    return { ...selection, hotTurns: withoutOldest(selection.hotTurns) };
  }
  if (selection.related.length > 0) {
    return { ...selection, related: selection.related.slice(0, -1) };
  }
  if (selection.sessionDepth === null) return null;
  const session = sessionPart(input, selection.hotTurns);
  return { ...selection, sessionDepth: shallower(session, selection.sessionDepth) };
}

/** Adds layer summaries at their shortest depth, all that fit the share of the limit. */
function addLayerSummaries(
  input: ContextInput,
  before: Selection,
  measure: Measure,
  share: number,
): Selection {
  const limit = Math.min(input.limit, measure(before) + Math.floor(input.limit * share));
  let selection = before;
  for (const part of input.layerSummaries.toSorted(byRelevanceThenLayer)) {
    const [shortest] = depthsOf(part);
    if (shortest === undefined || selection.layerDepths.has(part.id)) continue;
    const grown = withDepth(selection, part, shortest);
    if (measure(grown) <= limit) selection = grown;
  }
  return selection;
}

/**
 * Deepens layer summaries in order of relevance and stops at the first that does not fit.
 * Otherwise a short layer could get deeper than a more relevant long one.
 */
function deepenLayerSummaries(
  input: ContextInput,
  recalled: Selection,
  measure: Measure,
): Selection {
  let selection = recalled;
  const steps = input.layerSummaries
    .filter(({ id }) => selection.layerDepths.has(id))
    .toSorted(byRelevanceThenLayer)
    .flatMap(depthSteps);
  for (const { part, depth } of steps) {
    const shown = selection.layerDepths.get(part.id);
    const grown = withDepth(selection, part, depth);
    // If the shorter depth holds all facts, the longer one is the same text and costs nothing.
    const isSame = shown !== undefined && part.depths[shown]?.text === part.depths[depth]?.text;
    if (!isSame && measure(grown) > input.limit) break;
    selection = grown;
  }
  return selection;
}

interface Counting {
  readonly tokens: TokenCounter;
  readonly measure: Measure;
}

/** Maximum number of rounds that recount the remaining room and give it to the next passages. */
const TOP_UPS_MAX = 6;
/** Approximate tokens of the section heading. */
const HEADING_TOKENS = 6;
/** Minimum tokens of a passage, with its mark and speaker. */
const PASSAGE_TOKENS_MIN = 8;

/**
 * Adds the best passages of earlier turns, recounting the text until the limit is reached.
 * @param before has none yet
 */
function addPastTurns(
  input: ContextInput,
  before: Selection,
  { tokens, measure }: Counting,
): Selection {
  const { limit } = input;
  if (input.pastTurns.length === 0) return before;
  const once = countedOnce(tokens);
  const pastTurns = longTurnsLater(beyondSession(input, before), limit, once);
  let selection = before;
  for (let tries = 0; tries < TOP_UPS_MAX; tries += 1) {
    const chosen = selection.past;
    const left = limit - measure(selection);
    if (left < PASSAGE_TOKENS_MIN) break;
    const known = new Set(chosen);
    const rest = pastTurns.filter((passage) => !known.has(passage));
    const untrusted = untrustedRoom(input) - untrustedTokens(chosen, once);
    const all = left - (chosen.length === 0 ? HEADING_TOKENS : 0);
    const more = fillPast(rest, { all, untrusted }, once);
    if (more.length === 0) break;
    selection = { ...before, past: [...chosen, ...more] };
    // The estimate counts each passage alone; if it was too low, drop the least relevant ones.
    while (selection.past.length > 0 && measure(selection) > limit) {
      selection = { ...before, past: selection.past.slice(0, -1) };
    }
  }
  return selection;
}

/** Caches token counts by text, since each round counts many of the same passages. */
function countedOnce(tokens: TokenCounter): TokenCounter {
  const known = new Map<string, number>();
  return {
    ...tokens,
    count(text) {
      const count = known.get(text) ?? tokens.count(text);
      known.set(text, count);
      return count;
    },
  };
}

/**
 * Drops related memories that a shown turn or summary already says, which frees their room. Keeps
 * them if summaries would then need more room than is left, as they left out what the memories say.
 */
function withoutSaid(input: ContextInput, selection: Selection, measure: Measure): Selection {
  const repeats = isSaid(input, selection);
  const left = withoutOutdated(selection.related.filter((part) => !repeats(part)));
  if (left.length === selection.related.length) return selection;
  const smaller = { ...selection, related: left };
  return measure(smaller) > input.limit ? selection : smaller;
}

/** Adds entities, most relevant first, in the room that is still free. */
function addRelated(
  input: ContextInput,
  before: Selection,
  { tokens, measure }: Counting,
  from: readonly WholePart[] = input.relatedEntities,
): Selection {
  let selection = before;
  const shown = new Set(before.related);
  const repeats = isSaid(input, before);
  let left = input.limit - measure(before);
  for (const part of from.toSorted(byRelevance)) {
    if (shown.has(part) || repeats(part) || tokens.count(part.text) > left) continue;
    const grown = withRelated(selection, part);
    if (grown === null) continue;
    const cost = measure(grown);
    if (cost > input.limit) continue;
    selection = grown;
    left = input.limit - cost;
  }
  return selection;
}

/** Compares by relevance, then puts the more specific layer first, as precedence requires. */
function byRelevanceThenLayer(a: SummaryPart, b: SummaryPart): number {
  return b.relevance - a.relevance || byPrecedence(a, b) || byRelevance(a, b);
}

function tooSmall(limit: number, required: number): VarveError {
  return new VarveError(
    'CONTEXT_LIMIT_TOO_SMALL',
    `Instructions and query alone need ${String(required)} tokens; the limit is ` +
      `${String(limit)}. Raise the limit, or shorten the query.`,
    { details: { required, limit } },
  );
}
