/** What applying resources would change in the policies of the store: pure. */
import { defaultPolicy, type TenantPolicy } from '#core/records/policy.ts';
import { isReleased, type Owner, type PolicyRecord } from '#core/records/policy-record.ts';
import type { DesiredPolicy } from '../tenant/compile.ts';
import { describeChanges } from '../tenant/policy-changes.ts';

export type PolicyComparison =
  /** Nobody declares the tenant yet; what it had until now were the defaults. */
  | { readonly kind: 'New'; readonly before: TenantPolicy; readonly changes: string }
  | { readonly kind: 'Changed'; readonly before: TenantPolicy; readonly changes: string }
  | { readonly kind: 'Unchanged'; readonly before: TenantPolicy }
  /** Its MemoryTenant is paused, so that nothing would be applied. */
  | { readonly kind: 'Paused'; readonly before: TenantPolicy }
  /** A resource of another name or namespace has the tenant: nothing would be applied. */
  | { readonly kind: 'Claimed'; readonly owner: Owner };

/**
 * Owners are compared by namespace and name: files know neither the cluster that they will be
 * applied to nor the uid that a resource has there.
 */
export function comparePolicy(
  { owner, policy }: DesiredPolicy,
  record: PolicyRecord | null,
): PolicyComparison {
  const held = isReleased(record) ? null : record;
  if (record !== null && !isHeldFor(record, owner)) return { kind: 'Claimed', owner: record.owner };
  const before = record?.policy ?? defaultPolicy(policy.tenant);
  const changes = describeChanges(before, policy);
  if (held === null) return { kind: 'New', before, changes };
  return changes === '' ? { kind: 'Unchanged', before } : { kind: 'Changed', before, changes };
}

/** Of a resource that is paused nothing is looked at, whoever has the tenant. */
export function pausedPolicy(
  tenant: string,
  record: PolicyRecord | null,
): Extract<PolicyComparison, { kind: 'Paused' }> {
  return { kind: 'Paused', before: record?.policy ?? defaultPolicy(tenant) };
}

/** As `mayClaim` decides it, of what files know of an owner. */
function isHeldFor(record: PolicyRecord, { namespace, name }: Owner): boolean {
  if (record.owner.namespace !== namespace) return false;
  return isReleased(record) || record.owner.name === name;
}
