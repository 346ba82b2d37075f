/** Which embedding generations a tenant's memories are compared by, and a change in progress. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';

export const EmbeddingState = z.strictObject({
  tenant: TenantId,
  /** The generation that searches rely on. */
  active: z.string(),
  /** The generation of a running re-embedding; null if none runs. */
  target: z.string().nullable(),
  /**
   * `Filling`: both generations are searched, writes embed with both. `Paused`: the same without
   * filling. `Dropping`: cut over or rolled back; vectors of the other generation are removed.
   */
  phase: z.enum(['Steady', 'Filling', 'Paused', 'Dropping']),
  /** The generation whose vectors are being removed. */
  dropping: z.string().nullable(),
  /** How long the old vectors stay after the cut-over, so that a rollback costs nothing. */
  keepOldMs: z.int().min(0),
  startedAt: z.int().min(0).nullable(),
  updatedAt: z.int().min(0),
  version: z.int().min(1),
});
export type EmbeddingState = z.infer<typeof EmbeddingState>;
