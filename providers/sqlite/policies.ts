/** Policy snapshots: the last valid policy of each tenant, and who declared it. */
import type { PolicyRecords, PutPolicyResult } from '#core/ports/policy-records.ts';
import type { Owner, PolicyRecord } from '#core/records/policy-record.ts';
import type { TenantPolicy } from '#core/policy.ts';

import type { Connection } from './connection.ts';
import { recordTable, type RecordTable } from './record-table.ts';

export function policyRecords(connection: Connection): PolicyRecords {
  const policies = recordTable<PolicyRecord>(connection, {
    name: 'policies',
    key: ['tenant'],
    columns: { tenant: 'tenant', generation: 'generation', hash: 'hash', applied_at: 'appliedAt' },
  });
  return {
    get: (tenant) => connection.readOne(() => policies.find(tenant)),
    list: (limit) =>
      connection.read(() => policies.select('true ORDER BY tenant LIMIT ?', [limit])),
    put: (owner, policy, write) =>
      connection.write(() => putPolicy(policies, { owner, policy }, write)),
  };
}

function putPolicy(
  policies: RecordTable<PolicyRecord>,
  { owner, policy }: { owner: Owner; policy: TenantPolicy },
  { hash, now }: { hash: string; now: number },
): PutPolicyResult {
  const before = policies.find(policy.tenant);
  if (before !== null && !isSameOwner(before.owner, owner)) {
    return { kind: 'Claimed', owner: before.owner };
  }
  if (before?.hash === hash) return { kind: 'Unchanged', record: before };
  const record: PolicyRecord = {
    tenant: policy.tenant,
    owner,
    generation: (before?.generation ?? 0) + 1,
    hash,
    policy,
    appliedAt: now,
  };
  policies.put(record);
  return { kind: 'Applied', record };
}

function isSameOwner(a: Owner, b: Owner): boolean {
  return (
    a.cluster === b.cluster && a.namespace === b.namespace && a.name === b.name && a.uid === b.uid
  );
}
