/** The result of a search: hits, and how they were found. */
import type { Layer } from '../layer.ts';
import type { Memory } from '../records/memory.ts';
import type { LegScores, SearchPath } from './scope-search.ts';

/** Both legs' scores on the one scale of 0 to 1, where 0.7 is the default threshold. */
export interface HitExplanation extends LegScores {
  /** `(1 + cosine) / 2`, MongoDB's scale; null without a vector. */
  readonly similarity: number | null;
  readonly semanticScore: number | null;
  readonly keywordScore: number | null;
  readonly path: SearchPath;
}

export interface SearchHit {
  readonly memory: Memory;
  /** The better of the legs' calibrated scores, 0 to 1; less if the question names another time. */
  readonly score: number;
  /** Ids of hits of the same layer that are nearly the same but contradict this one. */
  readonly conflictsWith: readonly string[];
  /** Only with `explain`. */
  readonly explanation: HitExplanation | null;
}

/** A hit that was dropped in favor of another one (design 6.9). */
export interface Duplicate {
  readonly id: string;
  readonly layer: Layer;
  readonly of: string;
  readonly similarity: number;
}

export interface SearchReport {
  readonly searchedLayers: readonly Layer[];
  /** Layers without their identifier, which were not searched. */
  readonly skippedLayers: readonly Layer[];
  readonly duplicates: readonly Duplicate[];
  /** True if one leg could not be used; the next field says why. */
  readonly degraded: boolean;
  readonly degradedReason: string | null;
  /** The best hits beyond the limit. One may replace a hit. */
  readonly beyond: readonly SearchHit[];
  /**
   * The best hits below the threshold. One may replace a hit, or show how close an empty answer
   * was.
   */
  readonly misses: readonly SearchHit[];
  /** What replaces one of the best hits and is no hit, whatever the question. */
  readonly replacements: readonly SearchHit[];
  /** How each scope was searched; only with `explain`. */
  readonly paths: readonly {
    readonly layer: Layer;
    readonly path: SearchPath;
    readonly compared: number;
  }[];
}
