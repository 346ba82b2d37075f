/** The policy in force for a tenant: the last valid snapshot, or the defaults. */
import type { DuePolicy } from './due.ts';
import type { Layer } from './layer.ts';
import { defaultPolicy, type TenantPolicy } from './policy.ts';
import type { PolicyRecords } from './ports/policy-records.ts';

export async function policyInForce(
  policies: Pick<PolicyRecords, 'get'>,
  tenant: string,
): Promise<TenantPolicy> {
  return (await policies.get(tenant))?.policy ?? defaultPolicy(tenant);
}

/** The part of a policy that decides when a scope of a layer is due. */
export function duePolicyOf(policy: TenantPolicy, layer: Layer): DuePolicy {
  return { layer: policy.layers[layer], urgentDebounceMs: policy.urgentDebounceMs };
}
