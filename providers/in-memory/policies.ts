/** Policy snapshots: the last valid policy of each tenant, and who declared it. */
import type { PolicyRecords } from '#core/ports/policy-records.ts';
import type { Owner } from '#core/records/policy-record.ts';

import type { Database } from './database.ts';

export function policyRecords(database: Database): PolicyRecords {
  const { policies } = database.tables;
  return {
    get: (tenant) => database.read(() => policies.get(tenant)),
    list: (limit) =>
      database.read(() =>
        policies
          .all()
          .toSorted((a, b) => (a.tenant < b.tenant ? -1 : 1))
          .slice(0, limit),
      ),
    put: (owner, policy, { hash, now: appliedAt }) =>
      database.write(() => {
        const before = policies.get(policy.tenant);
        if (before !== null && !isSameOwner(before.owner, owner)) {
          return { kind: 'Claimed', owner: before.owner };
        }
        if (before?.hash === hash) return { kind: 'Unchanged', record: before };
        const generation = (before?.generation ?? 0) + 1;
        const record = { tenant: policy.tenant, owner, generation, hash, policy, appliedAt };
        policies.put(record);
        return { kind: 'Applied', record };
      }),
  };
}

function isSameOwner(a: Owner, b: Owner): boolean {
  return (
    a.cluster === b.cluster && a.namespace === b.namespace && a.name === b.name && a.uid === b.uid
  );
}
