/** The parts of an assembled context, and the receipt that says why each is in or out. */
import type { Layer } from '../layer.ts';
import type { PastPassage } from './past-turns.ts';
import type { Trust } from '../records/memory.ts';
import type { Depth } from '../records/summary.ts';
import type { FreshnessReport } from '../refresh/served-summary.ts';

export type PartKind =
  | 'instructions'
  | 'layerSummary'
  | 'sessionSummary'
  | 'hotTurn'
  | 'pastTurn'
  | 'relatedEntity'
  | 'query';

/** One text at one depth with the sources it rests on; a summary brings several of them. */
export interface PartText {
  readonly text: string;
  readonly sources: readonly string[];
  /** The least trust of its sources. */
  readonly trust: Trust;
  /** Those of the sources that were written after the summary. */
  readonly sinceThen: readonly string[];
}

/** A turn, a related entity: in whole or not at all. */
export interface WholePart {
  readonly kind: 'hotTurn' | 'relatedEntity';
  readonly id: string;
  /** The caller's own name of a memory; null without one, absent of a turn. */
  readonly key?: string | null;
  readonly layer: Layer;
  readonly text: string;
  readonly sources: readonly string[];
  readonly trust: Trust;
  /** 0 to 1; orders what is trimmed first. */
  readonly relevance: number;
  /** Whether it answers the turn before it, and says nothing without it; absent of all others. */
  readonly isResult?: boolean;
  /** What a memory says that was kept from a conversation; absent of all others. */
  readonly statement?: string;
}

/** A summary that can be shown at several depths. */
export interface SummaryPart {
  readonly id: string;
  readonly layer: Layer;
  /** Empty where no summary was made yet, or all that it said was deleted. */
  readonly depths: Partial<Record<Depth, PartText>>;
  readonly freshness: FreshnessReport;
  readonly relevance: number;
  /** Of question and context vector, 0 to 1; null where they can't be compared. */
  readonly similarity: number | null;
  /** Whether it was made for the reader, and not for everybody. */
  readonly personalized: boolean;
}

/**
 * `byQuestion` gives each question all it can have. `cacheStable` puts what no question changes
 * first and keeps its bytes, so that a provider's cache of prompts knows them again.
 */
export const LAYOUTS = ['byQuestion', 'cacheStable'] as const;
export type Layout = (typeof LAYOUTS)[number];

export interface ContextInput {
  readonly layout: Layout;
  /** Tokens that the assembled text may have. */
  readonly limit: number;
  readonly instructions: string;
  readonly query: string;
  readonly sessionSummary: SummaryPart | null;
  /** Oldest first. */
  readonly hotTurns: readonly WholePart[];
  readonly relatedEntities: readonly WholePart[];
  /** Passages of earlier turns, the best first. */
  readonly pastTurns: readonly PastPassage[];
  /** By precedence; empty where none were asked for. */
  readonly layerSummaries: readonly SummaryPart[];
}

export const INCLUSION_REASONS = [
  'Always',
  'Recent',
  'Relevant',
  'LatestSession',
  'Asked',
] as const;
export const EXCLUSION_REASONS = ['OverLimit', 'OverShare', 'NoText', 'Duplicate'] as const;

export interface ReceiptLine {
  readonly kind: PartKind;
  readonly id: string;
  /** The caller's own name of a memory; null of all others. */
  readonly key: string | null;
  readonly layer: Layer | null;
  readonly included: boolean;
  readonly reason: (typeof INCLUSION_REASONS)[number] | (typeof EXCLUSION_REASONS)[number];
  readonly depth: Depth | null;
  readonly tokens: number;
  readonly sources: readonly string[];
  readonly freshness: FreshnessReport | null;
  readonly trust: Trust | null;
  readonly relevance: number | null;
  /** Of question and context vector; null where there are none to compare. */
  readonly similarity: number | null;
  /** Null for what is no summary. */
  readonly personalized: boolean | null;
  /** Those of the sources that stand behind a summary because they are newer than it. */
  readonly sinceThen: readonly string[];
}

/** The most relevant first; ids break ties, so that equal inputs give equal bytes. */
export function byRelevance(
  a: { relevance: number; id: string },
  b: { relevance: number; id: string },
): number {
  return b.relevance - a.relevance || (a.id < b.id ? -1 : Number(a.id > b.id));
}

export interface AssembledContext {
  readonly text: string;
  /** Tokens of the whole text, counted on the text itself; never above the limit. */
  readonly tokens: number;
  readonly limit: number;
  readonly receipt: readonly ReceiptLine[];
}
