/** The policy snapshot of a tenant in the store: the last valid one, and who declared it. */
import { z } from 'zod';
import { TenantPolicy } from '../policy.ts';
import { TenantId } from '../scope.ts';

export const Owner = z.strictObject({
  /** Which cluster, or `folder` for YAML read from disk. */
  cluster: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
});
export type Owner = z.infer<typeof Owner>;

export const PolicyRecord = z.strictObject({
  tenant: TenantId,
  owner: Owner,
  /** Rises by one with every policy that differs from the one before. */
  generation: z.int().min(1),
  hash: z.string(),
  policy: TenantPolicy,
  appliedAt: z.int().min(0),
});
export type PolicyRecord = z.infer<typeof PolicyRecord>;
