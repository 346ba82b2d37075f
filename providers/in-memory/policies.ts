/** Policy snapshots: the last valid policy of each tenant, and who declared it. */
import { decidePut, decideRelease, type PolicyState } from '#core/policy-claim.ts';
import type { PolicyRecords } from '#core/ports/policy-records.ts';
import type { Owner } from '#core/records/policy-record.ts';

import type { Database, Tables } from './database.ts';

export function policyRecords(database: Database): PolicyRecords {
  const { tables } = database;
  const { policies } = tables;
  return {
    get: (tenant) => database.read(() => policies.get(tenant)),
    list: (limit, after) =>
      database.read(() =>
        policies
          .all()
          .filter(({ tenant }) => after === undefined || tenant > after)
          .toSorted((a, b) => (a.tenant < b.tenant ? -1 : 1))
          .slice(0, limit),
      ),
    put: (owner, policy, write) =>
      database.write(() => {
        const result = decidePut(stateOf(tables, policy.tenant, owner), { owner, policy }, write);
        if (result.kind === 'Applied') policies.put(result.record);
        return result;
      }),
    fence: (cluster, epoch) => database.write(() => fenceCluster(tables, cluster, epoch)),
    release: (tenant, owner, write) =>
      database.write(() => {
        const result = decideRelease(stateOf(tables, tenant, owner), owner, write);
        if (result.kind === 'Released') policies.put(result.record);
        return result;
      }),
  };
}

/** The latest leader that fenced a cluster; 0 where none did. */
export function fenceOf({ fences }: Tables, cluster: string): number {
  return fences.get(cluster)?.epoch ?? 0;
}

/** What a decision on a tenant's policy rests on. */
export function stateOf(tables: Tables, tenant: string, { cluster }: Owner): PolicyState {
  return { record: tables.policies.get(tenant), fence: fenceOf(tables, cluster) };
}

function fenceCluster(tables: Tables, cluster: string, epoch: number): boolean {
  const { fences, policies, modelProviders } = tables;
  const latest = fenceOf(tables, cluster);
  if (latest >= epoch) return latest === epoch;
  fences.put({ cluster, epoch });
  stamp(policies, cluster, epoch);
  stamp(modelProviders, cluster, epoch);
  return true;
}

interface Stamped {
  readonly owner: Owner;
  readonly epoch: number;
}

function stamp<T extends Stamped>(
  table: { all(): readonly T[]; put(row: T): void },
  cluster: string,
  epoch: number,
): void {
  const older = table.all().filter((row) => row.owner.cluster === cluster && row.epoch < epoch);
  for (const row of older) table.put({ ...row, epoch });
}
