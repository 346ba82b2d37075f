/** Types of the parts of an assembled context. */
import type { Ending } from '../extraction/compare-with-known.ts';
import type { Layer } from '../layer.ts';
import type { PastPassage } from './past-turns.ts';
import type { Trust } from '../trust.ts';
import { DEPTHS, type Depth } from '../records/summary.ts';
import type { FreshnessReport } from '../refresh/served-summary.ts';

export type PartKind =
  | 'instructions'
  | 'layerSummary'
  | 'sessionSummary'
  | 'hotTurn'
  | 'pastTurn'
  | 'relatedEntity'
  | 'query';

/** The text of a summary at one depth, with the sources that it rests on. */
export interface PartText {
  readonly text: string;
  readonly sources: readonly string[];
  /** The lowest trust of the sources. */
  readonly trust: Trust;
  /** The sources that were written after the summary. */
  readonly sinceThen: readonly string[];
  /** The sentences of the text, in order. */
  readonly sentences: readonly PartSentence[];
}

export interface PartSentence {
  readonly text: string;
  readonly sources: readonly string[];
  readonly trust: Trust;
  readonly sinceThen: boolean;
}

/** A turn or a related entity. A context shows it in full or not at all. */
export interface WholePart {
  readonly kind: 'hotTurn' | 'relatedEntity';
  readonly id: string;
  /** The caller's own name for a memory; null if it has none, absent for turns. */
  readonly key?: string | null;
  readonly layer: Layer;
  readonly text: string;
  readonly sources: readonly string[];
  readonly trust: Trust;
  /** From 0 to 1; the least relevant part is trimmed first. */
  readonly relevance: number;
  /** Set on a tool result, which means nothing without the turn that it answers. */
  readonly isResult?: boolean;
  /** The statement of a memory that was kept from a conversation; absent for all other parts. */
  readonly statement?: string;
  /** Whether it is far less like the question than the best: it gets only room that is left. */
  readonly isFar?: boolean;
  /** Whether a passage that competes for room says it, in about the same words. */
  readonly isOfRankedTurn?: boolean;
  /** Ids of newer memories that replace it; absent or empty if it holds. */
  readonly outdatedBy?: readonly string[];
  /** Broader layers that have a newer value; absent or empty if none has. */
  readonly newerIn?: readonly Layer[];
  /** Whether it also says something that the newer memories do not end. */
  readonly isOutdatedInPart?: boolean;
  /** How much of it later words of the user end; the text then gets a mark. */
  readonly endedByUser?: Ending;
}

/** A summary that can be shown at several depths. */
export interface SummaryPart {
  readonly id: string;
  readonly layer: Layer;
  /** Empty if no summary exists yet, or if everything it said was deleted. */
  readonly depths: Partial<Record<Depth, PartText>>;
  readonly freshness: FreshnessReport;
  readonly relevance: number;
  /** Similarity of question and context vector, 0 to 1; null if they can't be compared. */
  readonly similarity: number | null;
  /** Whether the summary was made for this reader rather than for everybody. */
  readonly personalized: boolean;
}

/** Returns the depths at which a summary has a text, the shortest first. */
export function depthsOf({ depths }: Pick<SummaryPart, 'depths'>): readonly Depth[] {
  return DEPTHS.filter((depth) => depths[depth] !== undefined);
}

/** Returns a summary with another text at each of its depths, or with none where that is absent. */
export function withTexts(
  part: SummaryPart,
  textOf: (text: PartText) => PartText | undefined,
): SummaryPart {
  const depths: Partial<Record<Depth, PartText>> = {};
  for (const depth of DEPTHS) {
    const before = part.depths[depth];
    const text = before === undefined ? undefined : textOf(before);
    if (text !== undefined) depths[depth] = text;
  }
  return { ...part, depths };
}

/**
 * `byQuestion` fills the whole limit with what fits the question best. `cacheStable` puts the
 * parts that no question changes first and keeps their bytes, so that a provider's prompt cache
 * hits.
 */
export const LAYOUTS = ['byQuestion', 'cacheStable'] as const;
type Layout = (typeof LAYOUTS)[number];

export interface ContextInput {
  readonly layout: Layout;
  /** Maximum number of tokens of the assembled text. */
  readonly limit: number;
  readonly instructions: string;
  readonly query: string;
  readonly sessionSummary: SummaryPart | null;
  /**
   * Share of the limit, in percent, for passages of earlier turns with the lowest trust; default
   * 50.
   */
  readonly untrustedPercent?: number | undefined;
  /** Oldest first. */
  readonly hotTurns: readonly WholePart[];
  readonly relatedEntities: readonly WholePart[];
  /** Passages of earlier turns, best first. */
  readonly pastTurns: readonly PastPassage[];
  /** In order of precedence; empty if the caller asked for none. */
  readonly layerSummaries: readonly SummaryPart[];
}

/** Compares by relevance, highest first. Ids break ties, so equal inputs give equal bytes. */
export function byRelevance(
  a: { relevance: number; id: string },
  b: { relevance: number; id: string },
): number {
  return b.relevance - a.relevance || (a.id < b.id ? -1 : Number(a.id > b.id));
}
