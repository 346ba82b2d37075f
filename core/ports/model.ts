/** The model port: one call that answers for every item of a batch. */
import type { Layer } from '../layer.ts';
import type { Depth, Usage } from '../records/summary.ts';
import type { Source } from '../source.ts';

/** One scope to summarise. Items are numbered within the batch, so no scope id reaches a model. */
export interface BatchItem {
  readonly item: string;
  readonly layer: Layer;
  readonly depths: readonly Depth[];
  readonly sources: readonly Source[];
}

export interface ModelBatch {
  readonly items: readonly BatchItem[];
}

export interface ModelAnswer {
  /** JSON text of `BatchAnswer` (core/answer.ts); nothing in it is trusted. */
  readonly text: string;
  readonly usage: Usage;
}

/** List price in micro-dollars for a million tokens; integers, so that sums are exact. */
export interface Price {
  readonly inputMicroDollarsPerMillion: number;
  readonly outputMicroDollarsPerMillion: number;
}

export interface SummaryModel {
  readonly name: string;
  /** Null where calls cost nothing and are not counted against a budget. */
  readonly price: Price | null;
  /** Most tokens one call can read and write. */
  readonly inputTokensMax: number;
  readonly outputTokensMax: number;
  /** Changes when the same input may give another output: part of the recipe. */
  readonly revision: string;
  /**
   * One call, never retried inside.
   * @throws VarveError RATE_LIMITED with `retryAfterMs`, PROVIDER_ERROR, PROVIDER_REJECTED, TIMEOUT
   */
  answer(batch: ModelBatch, call: { attemptId: string; signal: AbortSignal }): Promise<ModelAnswer>;
}
