/** What to do about the policies: pure, from what is wanted and what the store has. */
import type { Digest } from '#core/hash.ts';
import { mayClaim } from '#core/policy-claim.ts';
import type { TenantPolicy } from '#core/policy.ts';
import { isReleased, type Owner, type PolicyRecord } from '#core/records/policy-record.ts';
import type { DesiredPolicy } from './compile.ts';
import { describeChanges } from './policy-changes.ts';
import { policyHash } from './policy-hash.ts';

export interface Observed {
  readonly desired: readonly DesiredPolicy[];
  readonly stored: readonly PolicyRecord[];
}

export interface ApplyPolicy {
  readonly kind: 'ApplyPolicy';
  readonly tenant: string;
  /** What the store has, which is replaced; null for nothing. */
  readonly before: PolicyRecord | null;
  readonly owner: Owner;
  readonly policy: TenantPolicy;
  readonly hash: string;
  /** `New`, or `Changed: layers.team.updateOnChanges 5 → 3`. */
  readonly reason: string;
}

export interface Keep {
  readonly kind: 'Keep';
  readonly tenant: string;
  /** What the store has, which is what is wanted. */
  readonly record: PolicyRecord;
}

export interface Refuse {
  readonly kind: 'Refuse';
  readonly tenant: string;
  readonly reason: 'TenantClaimed';
  /** Who has the tenant. */
  readonly owner: Owner;
}

/** A tenant that was declared here and no longer is. Its policy is kept: memory is not config. */
export interface Orphan {
  readonly kind: 'Orphan';
  readonly tenant: string;
  readonly owner: Owner;
}

export type Action = ApplyPolicy | Keep | Refuse | Orphan;

export interface Plan {
  /** In the order of what is wanted, then the orphans as the store has them. */
  readonly actions: readonly Action[];
}

/** The plan of one cluster or folder; tenants of other owners are only ever refused. */
export function planPolicies(
  { desired, stored }: Observed,
  { cluster, digest }: { cluster: string; digest: Digest },
): Plan {
  const records = new Map(stored.map((record) => [record.tenant, record]));
  const wanted = new Set(desired.map(({ policy }) => policy.tenant));
  const orphans = stored
    .filter((record) => record.owner.cluster === cluster && !isReleased(record))
    .filter(({ tenant }) => !wanted.has(tenant))
    .map(({ owner, tenant }): Orphan => ({ kind: 'Orphan', tenant, owner }));
  const actions = desired.map((one) => actionFor(one, records.get(one.policy.tenant), digest));
  return { actions: [...actions, ...orphans] };
}

function actionFor(
  { owner, policy }: DesiredPolicy,
  record: PolicyRecord | undefined,
  digest: Digest,
): Action {
  const { tenant } = policy;
  const held = record === undefined || isReleased(record) ? undefined : record;
  if (record !== undefined && !mayClaim(record, owner)) {
    return { kind: 'Refuse', tenant, reason: 'TenantClaimed', owner: record.owner };
  }
  const hash = policyHash(digest, policy);
  if (held?.hash === hash) {
    return { kind: 'Keep', tenant, record: held };
  }
  const reason = record === undefined ? 'New' : changedReason(record.policy, policy);
  return { kind: 'ApplyPolicy', tenant, before: record ?? null, owner, policy, hash, reason };
}

/** A hash may differ without a difference when a version of Varve hashes otherwise. */
export function changedReason(before: TenantPolicy, after: TenantPolicy): string {
  const changes = describeChanges(before, after);
  return changes === '' ? 'Changed: how the policy is stored' : `Changed: ${changes}`;
}
