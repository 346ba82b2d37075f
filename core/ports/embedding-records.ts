/** Which generations of vectors a tenant has, and how it moves from one to the next. */
import type { EmbeddingState } from '../records/embedding-state.ts';
import type { Calibration } from '../search/calibration.ts';

/** A memory, with the fields that a change of the embedding model needs. */
export interface Unembedded {
  readonly id: string;
  readonly content: string;
  readonly contentHash: string;
  readonly tokenCount: number;
}

export interface EmbeddingRecords {
  /**
   * Returns which generations a tenant's memories are compared by; null before its first memory.
   */
  state(tenant: string): Promise<EmbeddingState | null>;
  /** Writes the state if its version is still `version - 1` (1 for a new one). */
  putState(state: EmbeddingState): Promise<boolean>;
  /** Lists tenants that have a scope record, by id; the page after a given id. */
  tenants(page: { after: string | null; limit: number }): Promise<readonly string[]>;
  /** Lists states that are not `Steady`, by tenant; the page after a given tenant. */
  changing(page: { after: string | null; limit: number }): Promise<readonly EmbeddingState[]>;
  /** How to read a generation's cosines (core/search/calibration.ts); belongs to no tenant. */
  calibration(generation: string): Promise<Calibration | null>;
  putCalibration(calibration: Calibration): Promise<void>;
  /** Returns stored vectors of contents, by content hash. */
  cached(
    tenant: string,
    query: { generation: string; contentHashes: readonly string[] },
  ): Promise<ReadonlyMap<string, readonly number[]>>;
  /** Lists live memories without a vector of a generation, by id; the page after a given id. */
  missing(
    tenant: string,
    query: { generation: string; after: string | null; limit: number; now: number },
  ): Promise<readonly Unembedded[]>;
  /** Adds vectors of a generation and keeps the others; skips a memory whose content changed. */
  putVectors(
    tenant: string,
    write: {
      generation: string;
      vectors: readonly { id: string; contentHash: string; vector: readonly number[] }[];
      /** Whether they become the memories' own (`Memory.embeddingGeneration`), as at cut-over. */
      own: boolean;
    },
  ): Promise<number>;
  /** Makes a generation the own one of memories that have a vector of it; one page per call. */
  adopt(tenant: string, generation: string, limit: number): Promise<number>;
  /** Removes vectors of a generation that no memory has as its own; one page per call. */
  drop(tenant: string, generation: string, limit: number): Promise<number>;
  /**
   * Counts live memories with and without a vector of a generation, and tokens of those without.
   */
  progress(
    tenant: string,
    query: { generation: string; now: number },
  ): Promise<{ done: number; missing: number; missingTokens: number }>;
}
