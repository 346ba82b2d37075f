/** Audiences, the summaries they read, and their pending variants (design 6.21). */
import type { LeaseCut } from './scope-records.ts';
import type { Variant } from '../records/variant.ts';
import type { Scope } from '../scope.ts';

/** Audiences of one scope that have a variant; the least recent readers make room for new ones. */
export const VARIANTS_PER_SCOPE_MAX = 100;
/** A reader keeps its place so long: else many readers in turn would cost a model call each. */
export const PLACE_KEPT_MS = 60 * 60 * 1_000;

export interface VariantRecords {
  get(scope: Scope, audience: string): Promise<Variant | null>;
  /** Those of a scope in the order of their audiences; an emptied scope has none. */
  ofScope(scope: Scope): Promise<readonly Variant[]>;
  /** Due at or before `until` and under no running lease, the earliest first. */
  due(
    tenant: string,
    query: { until: number; now: number; limit: number },
  ): Promise<readonly Variant[]>;
  /** Leased under a claim, or under one of its batches; by scope and audience. */
  leased(
    tenant: string,
    by: { claimId: string } | { batchId: string },
  ): Promise<readonly Variant[]>;
  /** Shortens leases, whoever holds them; answers how many. */
  shortenLeases(cut: LeaseCut): Promise<number>;
  /**
   * Writes a variant if it is still at `version - 1`, a new one if it is not there; answers whether
   * it did. A new one beyond `VARIANTS_PER_SCOPE_MAX` takes the place of the one that was read
   * least recently, whose text goes too; where that one was read within `PLACE_KEPT_MS`, the new
   * one is not written.
   */
  put(variant: Variant): Promise<boolean>;
}
