/**
 * A variant: records that an audience reads a summary, and what is pending for it (design 6.21).
 */
import { z } from 'zod';
import { Layer } from '../layer.ts';
import { TenantId } from '../scope.ts';

const At = z.int().min(0);

/** A claim of one run on one variant. */
export const VariantLease = z.strictObject({
  claimId: z.string(),
  batchId: z.string(),
  until: At,
  model: z.string(),
});
export type VariantLease = z.infer<typeof VariantLease>;

/** The text of a variant is a summary of the same scope and audience (core/records/summary.ts). */
export const Variant = z.strictObject({
  tenant: TenantId,
  layer: Layer,
  scopeId: z.string(),
  /** Never empty: a user or a session (core/variants/audience.ts). */
  audience: z.string().min(1),
  firstReadAt: At,
  /** Not updated by every read (`READ_NOTED_MS`), so that reads stay cheap. */
  lastReadAt: At,
  /** When it should be made or regenerated; null if nothing is pending. */
  dueAt: At.nullable(),
  /** Until then no read makes it due: it failed, or another try was not worthwhile. */
  heldUntil: At.nullable(),
  lease: VariantLease.nullable(),
  /** Failed attempts since it was last made. */
  attempts: z.int().min(0),
  /** Rises with every write; used for compare-and-set. */
  version: z.int().min(1),
});
export type Variant = z.infer<typeof Variant>;
