/** Policy snapshots: the last valid policy of each tenant, and who declared it. */
import { decidePut, decideRelease, type PolicyState } from '#core/policy-claim.ts';
import type { PolicyRecords } from '#core/ports/policy-records.ts';
import {
  POLICY_RECORD_DEFAULTS,
  type Owner,
  type PolicyRecord,
} from '#core/records/policy-record.ts';

import type { Connection } from './connection.ts';
import { fenceCluster, fenceOf } from './fences.ts';
import { recordTable, type RecordTable } from './record-table.ts';

export function policyRecords(connection: Connection): PolicyRecords {
  const policies = policyTable(connection);
  const stateOf = (tenant: string, owner: Owner) =>
    readState(connection, policies, { tenant, owner });
  return {
    get: (tenant) => connection.readOne(() => policies.find(tenant)),
    list: (limit, after = '') =>
      connection.read(() => policies.select('tenant > ? ORDER BY tenant LIMIT ?', [after, limit])),
    put: (owner, policy, write) =>
      connection.write(() => {
        const result = decidePut(stateOf(policy.tenant, owner), { owner, policy }, write);
        if (result.kind === 'Applied') policies.put(result.record);
        return result;
      }),
    fence: (cluster, epoch) => connection.write(() => fenceCluster(connection, cluster, epoch)),
    release: (tenant, owner, write) =>
      connection.write(() => {
        const result = decideRelease(stateOf(tenant, owner), owner, write);
        if (result.kind === 'Released') policies.put(result.record);
        return result;
      }),
  };
}

export type PolicyTable = RecordTable<PolicyRecord>;

export function policyTable(connection: Connection): PolicyTable {
  return recordTable<PolicyRecord>(connection, {
    name: 'policies',
    key: ['tenant'],
    columns: {
      tenant: 'tenant',
      generation: 'generation',
      hash: 'hash',
      applied_at: 'appliedAt',
      epoch: 'epoch',
      released_at: 'releasedAt',
    },
    absent: POLICY_RECORD_DEFAULTS,
  });
}

/** What a decision on a tenant's policy rests on; to be called within a write. */
export function readState(
  connection: Connection,
  policies: PolicyTable,
  { tenant, owner }: { readonly tenant: string; readonly owner: Owner },
): PolicyState {
  return { record: policies.find(tenant), fence: fenceOf(connection, owner.cluster) };
}
