/** Parts of a context, and the context assembled from them, for tests that count tokens. */
import { assembleContext } from '#core/context/assemble-context.ts';
import type { ContextInput, SummaryPart, WholePart } from '#core/context/context-parts.ts';
import type { PastPassage } from '#core/context/past-turns.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import type { Depth } from '#core/records/summary.ts';
import type { FreshnessReport } from '#core/refresh/served-summary.ts';

/** A token for every started four characters: exact, quick and easy to reckon with. */
export const tokens: TokenCounter = { name: 'fours', count: (text) => Math.ceil(text.length / 4) };

export const FRESH: FreshnessReport = {
  stale: false,
  reason: null,
  since: null,
  needsRegeneration: false,
  dueAt: null,
  trigger: null,
  changes: 0,
  hold: null,
  deadLetter: null,
};

export function turnOf(n: number, text = `user: turn ${String(n)}`): WholePart {
  const id = `turn-${String(n)}`;
  return {
    kind: 'hotTurn',
    id,
    layer: 'session',
    text,
    sources: [id],
    trust: 'stated',
    relevance: 1,
  };
}

export function relatedOf(n: number, relevance: number, text = `memory ${String(n)}`): WholePart {
  const id = `memory-${String(n)}`;
  return {
    kind: 'relatedEntity',
    id,
    layer: 'user',
    text,
    sources: [id],
    trust: 'stated',
    relevance,
  };
}

const DAY = 86_400_000;
const MARCH = Date.parse('2026-03-01T09:00:00Z');

/** Four passages a turn, a turn a day. */
export function pastOf(
  place: number,
  text: string,
  differing: Partial<PastPassage> = {},
): PastPassage {
  const turn = Math.floor(place / 4);
  return {
    turnId: `past-${String(turn)}`,
    sessionId: 'earlier',
    at: MARCH + turn * DAY,
    speaker: 'user',
    text,
    place,
    isFirst: true,
    isLast: false,
    turnUnits: Number.POSITIVE_INFINITY,
    relevance: 1 / (place + 1),
    wordShare: 0,
    hitShare: differing.wordShare ?? 0,
    cosine: null,
    trust: 'stated',
    outdatedBy: [],
    isOutdatedInPart: false,
    ...differing,
  };
}

export function summaryPart(
  layer: SummaryPart['layer'],
  depths: Partial<Record<Depth, string>>,
  relevance = 0,
): SummaryPart {
  const shown = Object.entries(depths).map(([depth, text]) => {
    const part = { text, sources: [`${layer}-1`], trust: 'stated' as const };
    const sentences = [{ ...part, sinceThen: false }];
    return [depth, { ...part, sinceThen: [], sentences }] as const;
  });
  return {
    id: `summary-${layer}`,
    layer,
    depths: Object.fromEntries(shown),
    freshness: FRESH,
    relevance,
    similarity: null,
    personalized: false,
  };
}

function inputOf(differing: Partial<ContextInput> = {}): ContextInput {
  return {
    layout: 'byQuestion',
    limit: 1_000,
    instructions: 'Be kind.',
    query: 'What next?',
    sessionSummary: null,
    hotTurns: [],
    relatedEntities: [],
    pastTurns: [],
    layerSummaries: [],
    ...differing,
  };
}

export const assemble = (differing: Partial<ContextInput>) =>
  assembleContext(inputOf(differing), tokens);
