/** Builds the receipt of an assembled context: one line for every item that was considered. */
import {
  byRelevance,
  depthsOf,
  type ContextInput,
  type PartKind,
  type SummaryPart,
  type WholePart,
} from './context-parts.ts';
import { untrustedRoom } from './context-shares.ts';
import { turnKey, untrustedTokens, type PastPassage } from './past-turns.ts';
import {
  beyondSession,
  isSaid,
  layerPart,
  layersInOrder,
  sessionPart,
  withRelated,
  type Selection,
} from './context-text.ts';
import type { Layer } from '../layer.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import type { Trust } from '../trust.ts';
import type { Depth } from '../records/summary.ts';
import type { FreshnessReport } from '../refresh/served-summary.ts';

/** Why an item is in the context. */
export const INCLUSION_REASONS = [
  'Always',
  'Recent',
  'Relevant',
  'RoomLeft',
  'LatestSession',
  'OpenLayer',
] as const;
/** Why an item is left out. */
export const EXCLUSION_REASONS = [
  'OverLimit',
  'OverShare',
  'NoText',
  'Duplicate',
  'Superseded',
] as const;

export interface ReceiptLine {
  readonly kind: PartKind;
  readonly id: string;
  /** The caller's own name for a memory; null for all other kinds. */
  readonly key: string | null;
  readonly layer: Layer | null;
  readonly included: boolean;
  readonly reason: (typeof INCLUSION_REASONS)[number] | (typeof EXCLUSION_REASONS)[number];
  readonly depth: Depth | null;
  readonly tokens: number;
  readonly sources: readonly string[];
  readonly freshness: FreshnessReport | null;
  readonly trust: Trust | null;
  /** For an earlier turn, relative to the best turn; null if nothing in it fits the question. */
  readonly relevance: number | null;
  /** Similarity of question and context vector; null if there is no pair to compare. */
  readonly similarity: number | null;
  /** Null if the item is not a summary. */
  readonly personalized: boolean | null;
  /** The sources that follow a summary in the text because they are newer than it. */
  readonly sinceThen: readonly string[];
}

/** Values for the fields that do not apply to an item. */
export const BLANK_LINE = {
  key: null,
  layer: null,
  depth: null,
  sources: [],
  freshness: null,
  trust: null,
  relevance: null,
  similarity: null,
  personalized: null,
  sinceThen: [],
} as const;

/** Returns the receipt lines in the order of the text. */
export function contextReceiptOf(
  input: ContextInput,
  selection: Selection,
  tokens: TokenCounter,
): readonly ReceiptLine[] {
  const whole = input.sessionSummary;
  const sessionSummary = sessionPart(input, selection.hotTurns);
  const layers = layersInOrder(input).map((part) => {
    const depth = selection.layerDepths.get(part.id) ?? null;
    const left = layerPart(input, part, selection);
    const as = { kind: 'layerSummary', tokens } as const;
    return hasText(part) && !hasText(left) ? repeatedLine(part, as) : summaryLine(left, depth, as);
  });
  const session =
    sessionSummary === null
      ? []
      : [
          whole !== null && hasText(whole) && !hasText(sessionSummary)
            ? repeatedLine(whole, { kind: 'sessionSummary', tokens })
            : summaryLine(sessionSummary, selection.sessionDepth, {
                kind: 'sessionSummary',
                tokens,
              }),
        ];
  const turns = input.hotTurns.map((part) =>
    wholeLine(part, selection.hotTurns.includes(part) ? 'Recent' : 'OverLimit', tokens),
  );
  const why = whyRelated(selection, isSaid(input, selection));
  const related = input.relatedEntities
    .toSorted(byRelevance)
    .map((part) => wholeLine(part, why(part), tokens));
  return [
    fixedLine('instructions', input.instructions, tokens),
    ...layers,
    ...session,
    ...turns,
    ...pastReceipt(input, selection, tokens),
    ...related,
    fixedLine('query', input.query, tokens),
  ];
}

function fixedLine(
  kind: 'instructions' | 'query',
  text: string,
  tokens: TokenCounter,
): ReceiptLine {
  const count = tokens.count(text);
  return { ...BLANK_LINE, kind, id: kind, included: true, reason: 'Always', tokens: count };
}

function whyRelated(
  selection: Selection,
  repeats: (part: WholePart) => boolean,
): (part: WholePart) => ReceiptLine['reason'] {
  return (part) => {
    if (selection.related.includes(part)) return part.isFar === true ? 'RoomLeft' : 'Relevant';
    if (repeats(part)) return 'Duplicate';
    if (withRelated(selection, part) === null) return 'Superseded';
    return 'OverLimit';
  };
}

function hasText(part: SummaryPart): boolean {
  return depthsOf(part).length > 0;
}

interface LineOptions {
  readonly kind: 'layerSummary' | 'sessionSummary';
  readonly tokens: TokenCounter;
}

/** Returns the line of a summary whose sentences all repeat shown turns. */
function repeatedLine(part: SummaryPart, options: LineOptions): ReceiptLine {
  return { ...summaryLine(part, null, options), reason: 'Duplicate' };
}

/** Maximum number of omitted earlier turns that a receipt names; there may be thousands. */
const PAST_OUT_MAX = 20;

/** Returns one line per turn, most relevant first, and the most relevant of the omitted turns. */
function pastReceipt(
  input: ContextInput,
  selection: Selection,
  tokens: TokenCounter,
): readonly ReceiptLine[] {
  const { pastTurns: ranked } = input;
  const { past } = selection;
  const beyond = new Set(beyondSession(input, selection));
  const left = untrustedRoom(input) - untrustedTokens(past, tokens);
  const shown = new Map<string, PastPassage[]>();
  for (const passage of past) {
    const key = turnKey(passage);
    shown.set(key, [...(shown.get(key) ?? []), passage]);
  }
  const named = namedTurns(ranked, shown);
  const related = relatedTurns(ranked, named);
  return [...named].map(([key, passage]) => {
    const parts = shown.get(key);
    const { turnId: id, trust, text } = passage;
    const isRelated = related.has(key);
    const relevance = isRelated ? passage.relevance : null;
    const included = parts !== undefined;
    const isOverShare = trust === 'untrusted' && tokens.count(text) > left;
    const whyIn = isRelated ? 'Relevant' : 'RoomLeft';
    const whyOut = isOverShare ? 'OverShare' : beyond.has(passage) ? 'OverLimit' : 'Duplicate';
    const reason = included ? whyIn : whyOut;
    const cost = (parts ?? [passage]).reduce((sum, each) => sum + tokens.count(each.text), 0);
    const known = { kind: 'pastTurn', id, layer: 'session', included, reason } as const;
    return { ...BLANK_LINE, ...known, tokens: cost, sources: [id], trust, relevance };
  });
}

type ByTurn<V> = ReadonlyMap<string, V>;

/** Returns the shown turns and the most relevant omitted ones, each with its best passage. */
function namedTurns(
  ranked: readonly PastPassage[],
  shown: ByTurn<readonly PastPassage[]>,
): ByTurn<PastPassage> {
  const named = new Map<string, PastPassage>();
  let out = 0;
  for (const passage of ranked) {
    if (named.size === shown.size + PAST_OUT_MAX) break;
    const key = turnKey(passage);
    if (named.has(key) || (out === PAST_OUT_MAX && !shown.has(key))) continue;
    if (!shown.has(key)) out += 1;
    named.set(key, passage);
  }
  return named;
}

/** Returns the turns that have a passage that fits the question, mostly their best one. */
function relatedTurns(
  ranked: readonly PastPassage[],
  named: ByTurn<PastPassage>,
): ReadonlySet<string> {
  const others = [...named.values()].filter(({ isUnrelated }) => isUnrelated === true);
  const ids = new Set(others.map(({ turnId }) => turnId));
  const fitting = ranked.filter(
    ({ isUnrelated, turnId }) => isUnrelated !== true && ids.has(turnId),
  );
  const best = [...named.values()].filter(({ isUnrelated }) => isUnrelated !== true);
  return new Set([...best, ...fitting].map(turnKey));
}

function wholeLine(
  { kind, id, key = null, layer, text, sources, trust, relevance }: WholePart,
  reason: ReceiptLine['reason'],
  tokens: TokenCounter,
): ReceiptLine {
  const included = reason === 'Recent' || reason === 'Relevant' || reason === 'RoomLeft';
  const known = { kind, id, key, layer, included, reason, sources, trust, relevance };
  return { ...BLANK_LINE, ...known, tokens: tokens.count(text) };
}

function summaryLine(
  { id, layer, depths, freshness, relevance, similarity, personalized }: SummaryPart,
  depth: Depth | null,
  { kind, tokens }: LineOptions,
): ReceiptLine {
  const known = { ...BLANK_LINE, kind, id, layer, freshness, relevance, similarity, personalized };
  const [shortest] = depthsOf({ depths }).map((each) => depths[each]);
  if (shortest === undefined) return { ...known, included: false, reason: 'NoText', tokens: 0 };
  const shown = depth === null ? undefined : depths[depth];
  const { text, sources, trust, sinceThen } = shown ?? shortest;
  const cost = { tokens: tokens.count(text), sources, trust, sinceThen };
  if (shown === undefined) return { ...known, ...cost, included: false, reason: 'OverLimit' };
  const isDeepened = shown.text !== shortest.text;
  const reason =
    kind === 'sessionSummary' ? 'LatestSession' : isDeepened ? 'Relevant' : 'OpenLayer';
  return { ...known, ...cost, included: true, reason, depth };
}
