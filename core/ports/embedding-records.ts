/** Which generations of vectors a tenant has, and the walk from one to the next. */
import type { EmbeddingState } from '../records/embedding-state.ts';
import type { Calibration } from '../search/calibration.ts';

/** A memory as a change of the embedding model sees it. */
export interface Unembedded {
  readonly id: string;
  readonly content: string;
  readonly contentHash: string;
  readonly tokenCount: number;
}

export interface EmbeddingRecords {
  /** Which generations a tenant's memories are compared by; null before its first memory. */
  state(tenant: string): Promise<EmbeddingState | null>;
  /** Writes the state if its version is still `version - 1` (1 for a new one). */
  putState(state: EmbeddingState): Promise<boolean>;
  /** Tenants that have a scope record, in the order of their ids, a page after one. */
  tenants(page: { after: string | null; limit: number }): Promise<readonly string[]>;
  /** States of tenants that are not `Steady`, in the order of tenants, a page after one. */
  changing(page: { after: string | null; limit: number }): Promise<readonly EmbeddingState[]>;
  /** How a generation's cosines are to be read (core/search/calibration.ts); of no tenant. */
  calibration(generation: string): Promise<Calibration | null>;
  putCalibration(calibration: Calibration): Promise<void>;
  /** Vectors of contents seen before, by content hash. */
  cached(
    tenant: string,
    query: { generation: string; contentHashes: readonly string[] },
  ): Promise<ReadonlyMap<string, readonly number[]>>;
  /** Live memories without a vector of a generation, in the order of ids, a page after one. */
  missing(
    tenant: string,
    query: { generation: string; after: string | null; limit: number; now: number },
  ): Promise<readonly Unembedded[]>;
  /** Adds vectors of a generation beside what is there; skips a memory whose content changed. */
  putVectors(
    tenant: string,
    write: {
      generation: string;
      vectors: readonly { id: string; contentHash: string; vector: readonly number[] }[];
      /** Whether they become the memories' own (`Memory.embeddingGeneration`), as at cut-over. */
      own: boolean;
    },
  ): Promise<number>;
  /** Makes a generation the memories' own where they have a vector of it; a page at a time. */
  adopt(tenant: string, generation: string, limit: number): Promise<number>;
  /** Removes vectors of a generation that no memory has as its own; a page at a time. */
  drop(tenant: string, generation: string, limit: number): Promise<number>;
  /** Live memories with and without a vector of a generation, and tokens of those without. */
  progress(
    tenant: string,
    query: { generation: string; now: number },
  ): Promise<{ done: number; missing: number; missingTokens: number }>;
}
