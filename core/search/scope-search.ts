/** A search of one scope as engine and stores speak of it: conditions, legs, candidates. */
import type { Memory } from '../records/memory.ts';
import type { Filter } from './filter.ts';

export const SEARCH_MODES = ['hybrid', 'semantic', 'keyword'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

/** What a memory has to be, whatever is asked about. */
export interface MemoryConditions {
  /** Expired at this time is not found; milliseconds since the epoch. */
  readonly now: number;
  /** False to find superseded memories too. Quarantined and expired ones are never found. */
  readonly latestOnly: boolean;
  /** One of these is enough; empty for any. */
  readonly tags: readonly string[];
  readonly filter: Filter | null;
  readonly kind: Memory['kind'] | null;
}

/** A query vector for the memories that have one of the same generation. */
export interface QueryVector {
  readonly generation: string;
  readonly vector: readonly number[];
}

export interface ScopeQuery {
  readonly conditions: MemoryConditions;
  /** Terms of the query by the analyzer, in order; null where the keyword leg is not asked for. */
  readonly terms: readonly string[] | null;
  /**
   * Empty where the semantic leg is not asked for. While a change of model is under way there are
   * two, the active generation first; a memory that has vectors of both is compared by the first.
   */
  readonly vectors: readonly QueryVector[];
  /** Candidates per leg. */
  readonly limit: number;
}

/** What the two legs say of one memory. */
export interface LegScores {
  /** −1 to 1, in the generation named; null where no vector was compared. */
  readonly cosine: number | null;
  readonly generation: string | null;
  /**
   * Share of the query's own best possible keyword score, 0 to 1; null where no term matched, nor
   * one nearby in a conversation.
   */
  readonly keyword: number | null;
}

/** One memory that a leg brought up, with what both legs say of it. */
export interface Candidate extends LegScores {
  readonly memory: Memory;
}

/** How a scope was searched; `explain` names it. */
export const SEARCH_PATHS = ['Memory', 'VectorIndex', 'CandidateIds', 'ExactScan'] as const;
export type SearchPath = (typeof SEARCH_PATHS)[number];

export interface ScopeHits {
  /** The best of each leg, at most `limit` of each; in no order. */
  readonly candidates: readonly Candidate[];
  readonly path: SearchPath;
  /** Memories that met the conditions and were compared. */
  readonly compared: number;
}
