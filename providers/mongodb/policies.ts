/** Policy snapshots: the last valid policy of each tenant, and who declared it. */
import { VarveError } from '#core/errors.ts';
import { decidePut, decideRelease, type PolicyState } from '#core/policy-claim.ts';
import type { PolicyRecords, PolicyWrite, PutPolicyResult } from '#core/ports/policy-records.ts';
import {
  POLICY_RECORD_DEFAULTS,
  type Owner,
  type PolicyRecord,
} from '#core/records/policy-record.ts';
import type { TenantPolicy } from '#core/policy.ts';

import { atEpoch, fenceCluster, fenceOf, type Fences, type Stamped } from './fences.ts';
import { decodeRecord, encodeRecord, type Fields } from './record-document.ts';
import { byId, type Stored, type Table } from './table.ts';

export interface PolicyDocument extends Stored {
  readonly record: Fields;
}

export type PolicyDocuments = Table<PolicyDocument>;

export interface PolicyTables {
  readonly policies: PolicyDocuments;
  readonly fences: Fences;
  /** Other records that bear the epoch of a leader. */
  readonly modelProviders: Pick<Table<Stamped>, 'updateAll'>;
}

/** Tries against another declaration of the same tenant. */
const TRIES_MAX = 16;
/** Released tenants that are left out of a look for due work; of more, a claim takes nothing. */
const RELEASED_MAX = 10_000;
/** A policy names projects and teams of the caller's choosing, so it is of free form. */
const SHAPE = {
  name: 'policies',
  key: ['tenant'],
  free: ['policy'],
  absent: POLICY_RECORD_DEFAULTS,
} as const;

export function policyRecords(tables: PolicyTables): PolicyRecords {
  const { policies, fences, modelProviders } = tables;
  return {
    get: (tenant) => find(policies, tenant),
    async list(limit, after = '') {
      const later = { '_id.tenant': { $gt: after } };
      const found = await policies.select(later, { sort: { '_id.tenant': 1 }, limit });
      return found.map((document) => decodeRecord<PolicyRecord>(SHAPE, document));
    },
    put: (owner, policy, write) => putPolicy(tables, { owner, policy }, write),
    fence: (cluster, epoch) => fenceCluster(fences, [policies, modelProviders], { cluster, epoch }),
    async release(tenant, owner, write) {
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        const state = await stateOf(tables, tenant, owner);
        const result = decideRelease(state, owner, write);
        if (result.kind !== 'Released') return result;
        if (await writeOver(policies, state.record, result.record)) return result;
      }
      throw contended(tenant);
    },
  };
}

/** Tenants that nobody declares any more, in the order of their ids. */
export async function releasedTenants(policies: PolicyDocuments): Promise<readonly string[]> {
  const released = { 'record.releasedAt': { $gte: 0 } };
  const selection = { limit: RELEASED_MAX, sort: { '_id.tenant': 1 }, fields: ['_id'] } as const;
  return (await policies.select(released, selection)).map(({ _id }) => _id.tenant);
}

async function find(policies: PolicyDocuments, tenant: string): Promise<PolicyRecord | null> {
  const found = await policies.first(byId({ tenant }));
  return found === null ? null : decodeRecord<PolicyRecord>(SHAPE, found);
}

/** What a decision on a tenant's policy rests on. */
export async function stateOf(
  { policies, fences }: Pick<PolicyTables, 'policies' | 'fences'>,
  tenant: string,
  { cluster }: Owner,
): Promise<PolicyState> {
  return { record: await find(policies, tenant), fence: await fenceOf(fences, cluster) };
}

async function putPolicy(
  tables: PolicyTables,
  wish: { owner: Owner; policy: TenantPolicy },
  write: PolicyWrite,
): Promise<PutPolicyResult> {
  const { policies } = tables;
  const { tenant } = wish.policy;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const state = await stateOf(tables, tenant, wish.owner);
    const result = decidePut(state, wish, write);
    if (result.kind !== 'Applied') return result;
    if (!(await writeOver(policies, state.record, result.record))) continue;
    if (!(await isLate(tables, state.record, result.record))) return result;
    // Where it is not to be taken back, the leader that came after stamped it, and it stands.
    if (!(await takeBack(policies, result.record, state.record))) return result;
  }
  throw contended(tenant);
}

/** Whether a later leader may not have seen what was written, since no fence could stamp it. */
async function isLate(
  { fences }: PolicyTables,
  before: PolicyRecord | null,
  { owner, epoch }: PolicyRecord,
): Promise<boolean> {
  if (before?.owner.cluster === owner.cluster) return false;
  return (await fenceOf(fences, owner.cluster)) > epoch;
}

/** Writes `after` where the record is still what was read. */
async function writeOver(
  policies: PolicyDocuments,
  before: PolicyRecord | null,
  after: PolicyRecord,
): Promise<boolean> {
  const document = encodeRecord<PolicyRecord>(SHAPE, after);
  return before === null ? policies.insert(document) : policies.replace(asRead(before), document);
}

async function takeBack(
  policies: PolicyDocuments,
  written: PolicyRecord,
  before: PolicyRecord | null,
): Promise<boolean> {
  return before === null ? policies.remove(asRead(written)) : writeOver(policies, written, before);
}

function asRead({ tenant, owner, generation, epoch, releasedAt }: PolicyRecord) {
  const as = { 'record.owner.uid': owner.uid, 'record.releasedAt': releasedAt };
  return { ...byId({ tenant }), 'record.generation': generation, ...as, ...atEpoch(epoch) };
}

function contended(tenant: string): VarveError {
  return new VarveError('CONFLICT', 'Others kept declaring the policy of the tenant; try again.', {
    details: { tenant },
  });
}
