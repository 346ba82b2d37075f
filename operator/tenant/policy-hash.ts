/** The hash of a policy: equal for equal policies, however their fields are ordered. */
import type { Digest } from '#core/hash.ts';
import type { TenantPolicy } from '#core/records/policy.ts';

export function policyHash(digest: Digest, policy: TenantPolicy): string {
  return digest(canonicalJson(policy));
}

/** JSON with the keys of every object sorted by code unit; the order of lists is kept. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
