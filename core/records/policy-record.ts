/** The policy snapshot of a tenant in the store: the last valid one, and who declared it. */
import { z } from 'zod';
import { TenantPolicy } from './policy.ts';
import { TenantId } from '../scope.ts';

/** The cluster of policies that are read from a folder. */
export const FOLDER_CLUSTER = 'folder';

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
  /** Rises by one with every policy that differs from the one before, and with every new claim. */
  generation: z.int().min(1),
  hash: z.string(),
  policy: TenantPolicy,
  appliedAt: z.int().min(0),
  /** The leader of the owner's cluster that wrote last, or fenced since; 0 without leaders. */
  epoch: z.int().min(0),
  /**
   * When its owner released the tenant: reads are served, nothing is refreshed, and another
   * resource of its namespace may claim it. Null while it is owned.
   */
  releasedAt: z.int().min(0).nullable(),
  /** Set where the tenant had memories before anybody claimed it: no claim of it erases them. */
  hadMemories: z.literal(true).optional(),
});
export type PolicyRecord = z.infer<typeof PolicyRecord>;

/** Whether two names identify one resource: a resource that was created again is another one. */
export function isSameOwner(a: Owner, b: Owner): boolean {
  return (
    a.cluster === b.cluster && a.namespace === b.namespace && a.name === b.name && a.uid === b.uid
  );
}

/** Whether nothing is to be refreshed, since the tenant is not declared any more. */
export function isReleased(record: Pick<PolicyRecord, 'releasedAt'> | null): boolean {
  return record !== null && record.releasedAt !== null;
}
