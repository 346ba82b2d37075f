/**
 * The index of one scope in memory: every vector side by side, and for each term where it occurs.
 * Stores fill it from what they keep and ask it both legs of a search.
 */
import type { Memory } from '../records/memory.ts';
import type { LegScores, ScopeQuery } from './scope-search.ts';

/** What the index knows of one memory. */
export interface IndexEntry extends Pick<
  Memory,
  'id' | 'kind' | 'state' | 'tags' | 'metadata' | 'validFrom'
> {
  /** When it stops being live by itself (`endOf`). */
  readonly endsAt: number | null;
  readonly terms: readonly string[];
  readonly vectors: readonly { readonly generation: string; readonly vector: Float32Array }[];
}

export interface IndexHit extends LegScores {
  readonly id: string;
}

/**
 * What the keyword leg has to know of the whole scope. An index that holds all of it knows by
 * itself; one over candidates alone is told.
 */
export interface TermStatistics {
  readonly documents: number;
  readonly averageLength: number;
  documentFrequency(term: string): number;
}

export interface IndexAnswer {
  /** The best of each leg, at most `limit` of each, with what both legs say of each. */
  readonly hits: readonly IndexHit[];
  /** Entries that met the conditions. */
  readonly compared: number;
}

export interface ScopeIndex {
  readonly size: number;
  /** Estimate of what it takes in memory, for a cache that is bounded by bytes. */
  readonly bytes: number;
  /** Adds an entry or replaces the one of the same id. */
  put(entry: IndexEntry): void;
  remove(id: string): void;
  /** @throws VarveError INVALID_INPUT for a vector of another length than those of its generation */
  search(query: ScopeQuery, statistics?: TermStatistics): IndexAnswer;
}

export interface ScopeIndexOptions {
  /**
   * Whether entries stand in the order of a conversation, so that what precedes and follows a match
   * is near it too: true for the session layer.
   */
  readonly conversation: boolean;
}
