/**
 * A search of one scope, as the memory provider and stores exchange it: conditions, legs,
 * candidates.
 */
import type { Memory } from '../records/memory.ts';
import type { Filter } from './filter.ts';

export const SEARCH_MODES = ['hybrid', 'semantic', 'keyword'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

/** What a memory must be, whatever the question. */
export interface MemoryConditions {
  /** Memories that expired by this time are not found; milliseconds since the epoch. */
  readonly now: number;
  /** False also finds superseded memories. Quarantined and expired ones are never found. */
  readonly latestOnly: boolean;
  /** A memory needs one of these; empty for any. */
  readonly tags: readonly string[];
  readonly filter: Filter | null;
  readonly kind: Memory['kind'] | null;
}

/** A query vector, for memories with a vector of the same generation. */
export interface QueryVector {
  readonly generation: string;
  readonly vector: readonly number[];
}

export interface ScopeQuery {
  readonly conditions: MemoryConditions;
  /** Terms of the query by the analyzer, in order; null without the keyword leg. */
  readonly terms: readonly string[] | null;
  /**
   * Empty without the semantic leg. During a change of model there are two, the active generation
   * first; a memory with vectors of both is compared by the first.
   */
  readonly vectors: readonly QueryVector[];
  /** The most candidates per leg. */
  readonly limit: number;
}

/** The scores of one memory in both legs. */
export interface LegScores {
  /** −1 to 1, in the named generation; null if no vector was compared. */
  readonly cosine: number | null;
  readonly generation: string | null;
  /**
   * Share of the query's own best possible keyword score, 0 to 1; null if no term matched, here or
   * nearby in a conversation.
   */
  readonly keyword: number | null;
}

/** One memory that a leg found, with the scores of both legs. */
export interface Candidate extends LegScores {
  readonly memory: Memory;
}

/** How a scope was searched, as `explain` shows it. */
export const SEARCH_PATHS = ['Memory', 'VectorIndex', 'CandidateIds', 'ExactScan'] as const;
export type SearchPath = (typeof SEARCH_PATHS)[number];

export interface ScopeHits {
  /** The best of each leg, at most `limit` of each; in no order. */
  readonly candidates: readonly Candidate[];
  readonly path: SearchPath;
  /** Memories that met the conditions and were compared. */
  readonly compared: number;
}
