/** The policy of each tenant, and who declared it. */
import type { Owner, PolicyRecord } from '../records/policy-record.ts';
import type { TenantPolicy } from '../policy.ts';

export type PutPolicyResult =
  | { readonly kind: 'Applied'; readonly record: PolicyRecord }
  | { readonly kind: 'Unchanged'; readonly record: PolicyRecord }
  | { readonly kind: 'Claimed'; readonly owner: Owner };

export interface PolicyRecords {
  get(tenant: string): Promise<PolicyRecord | null>;
  list(limit: number): Promise<readonly PolicyRecord[]>;
  /** Claims the tenant for its first owner; another owner changes nothing. */
  put(
    owner: Owner,
    policy: TenantPolicy,
    write: { hash: string; now: number },
  ): Promise<PutPolicyResult>;
}
