/** Policy snapshots: the last valid policy of each tenant, and who declared it. */
import { VarveError } from '#core/errors.ts';
import type { PolicyRecords, PutPolicyResult } from '#core/ports/policy-records.ts';
import type { Owner, PolicyRecord } from '#core/records/policy-record.ts';
import type { TenantPolicy } from '#core/policy.ts';

import { decodeRecord, encodeRecord, type Fields } from './record-document.ts';
import { byId, type Stored, type Table } from './table.ts';

export interface PolicyDocument extends Stored {
  readonly record: Fields;
}

/** Tries against another declaration of the same tenant. */
const TRIES_MAX = 16;
/** A policy names projects and teams of the caller's choosing, so it is of free form. */
const SHAPE = { name: 'policies', key: ['tenant'], free: ['policy'] } as const;

type Policies = Table<PolicyDocument>;

export function policyRecords(policies: Policies): PolicyRecords {
  return {
    get: (tenant) => find(policies, tenant),
    async list(limit) {
      const found = await policies.select({}, { sort: { '_id.tenant': 1 }, limit });
      return found.map((document) => decodeRecord<PolicyRecord>(SHAPE, document));
    },
    put: (owner, policy, write) => putPolicy(policies, { owner, policy }, write),
  };
}

async function find(policies: Policies, tenant: string): Promise<PolicyRecord | null> {
  const found = await policies.first(byId({ tenant }));
  return found === null ? null : decodeRecord<PolicyRecord>(SHAPE, found);
}

async function putPolicy(
  policies: Policies,
  { owner, policy }: { owner: Owner; policy: TenantPolicy },
  { hash, now }: { hash: string; now: number },
): Promise<PutPolicyResult> {
  const { tenant } = policy;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const before = await find(policies, tenant);
    if (before !== null && !isSameOwner(before.owner, owner)) {
      return { kind: 'Claimed', owner: before.owner };
    }
    if (before?.hash === hash) return { kind: 'Unchanged', record: before };
    const generation = (before?.generation ?? 0) + 1;
    const record: PolicyRecord = { tenant, owner, generation, hash, policy, appliedAt: now };
    const document = encodeRecord<PolicyRecord>(SHAPE, record);
    const expected = { ...byId({ tenant }), 'record.generation': generation - 1 };
    const written =
      before === null
        ? await policies.insert(document)
        : await policies.replace(expected, document);
    if (written) return { kind: 'Applied', record };
  }
  throw new VarveError('CONFLICT', 'Others kept declaring the policy of the tenant; try again.', {
    details: { tenant },
  });
}

function isSameOwner(a: Owner, b: Owner): boolean {
  return (
    a.cluster === b.cluster && a.namespace === b.namespace && a.name === b.name && a.uid === b.uid
  );
}
