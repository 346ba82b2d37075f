/** The policy in force for a tenant: the last valid snapshot, or the defaults. */
import { VarveError } from '../errors.ts';
import { defaultPolicy, SESSION_SILENCE_MS } from './policy-defaults.ts';
import {
  isReleased,
  type PolicyDefaults,
  type PolicyRecord,
  type TenantPolicy,
} from '../records/policy.ts';
import type { PolicyRecords } from '../ports/policy-records.ts';

export async function policyInForce(
  policies: Pick<PolicyRecords, 'get' | 'defaults'>,
  tenant: string,
): Promise<TenantPolicy> {
  return policyOf(tenant, await policies.get(tenant), policies.defaults);
}

/** Returns the policy in force, given the record. */
export function policyOf(
  tenant: string,
  record: PolicyRecord | null,
  defaults: PolicyDefaults | undefined,
): TenantPolicy {
  return record?.policy ?? defaultPolicy(tenant, defaults);
}

/**
 * Returns the policy that applies to summaries of a tenant. Returns null for a released tenant,
 * which still serves what it has.
 */
export async function policyToRefreshBy(
  policies: Pick<PolicyRecords, 'get' | 'defaults'>,
  tenant: string,
): Promise<TenantPolicy | null> {
  const record = await policies.get(tenant);
  return isReleased(record) ? null : policyOf(tenant, record, policies.defaults);
}

/**
 * Returns the policy for a write of a tenant. A write to a tenant that is no longer declared would
 * never be refreshed, and might outlive the tenant's erasure.
 * @throws VarveError FORBIDDEN for a released tenant
 */
export async function policyToWriteBy(
  policies: Pick<PolicyRecords, 'get' | 'defaults'>,
  tenant: string,
): Promise<TenantPolicy> {
  return writablePolicy(tenant, await policies.get(tenant), policies.defaults);
}

/** As `policyToWriteBy`, given the record. */
export function writablePolicy(
  tenant: string,
  record: PolicyRecord | null,
  defaults: PolicyDefaults | undefined,
): TenantPolicy {
  if (!isReleased(record)) return policyOf(tenant, record, defaults);
  throw new VarveError(
    'FORBIDDEN',
    'The tenant was released: its resource was deleted. You can read its records but not add ' +
      'any. To continue, declare a MemoryTenant with this tenantId in the same namespace again.',
  );
}

/** Returns the silence after which a session of the tenant has ended. */
export function sessionSilenceOf({ sessionSilenceMs }: TenantPolicy): number {
  return sessionSilenceMs ?? SESSION_SILENCE_MS;
}
