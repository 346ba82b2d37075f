/** Who may write the policy of a tenant, and how its record changes: the same for every store. */
import { VarveError } from '../errors.ts';
import type {
  FoundCheck,
  ModelProviderWrite,
  PolicyRelease,
  PutModelProviderResult,
  RemoveModelProviderResult,
  MovePolicyResult,
  PolicyWrite,
  PutPolicyResult,
  ReleasePolicyResult,
} from '../ports/policy-records.ts';
import type { ModelProvider, ModelProviderRecord } from '../records/model-provider.ts';
import {
  isReleased,
  isSameOwner,
  type Owner,
  type PolicyRecord,
  type TenantPolicy,
} from '../records/policy.ts';

/** The basis of a decision: the record, and the latest leader that fenced the owner's cluster. */
interface PolicyState {
  readonly record: PolicyRecord | null;
  readonly fence: number;
}

/**
 * Decides a put. `Applied` holds the record to write; other results write nothing. A leader
 * that was replaced gets `Fenced`, even for a repeated write. Otherwise that gives `Unchanged`.
 */
export function decidePut(
  { record: before, fence }: PolicyState,
  { owner, policy }: { owner: Owner; policy: TenantPolicy },
  write: PolicyWrite,
): PutPolicyResult {
  const { hash, now, epoch = 0, expectedGeneration } = write;
  if (before !== null && !mayClaim(before, owner)) return { kind: 'Claimed', owner: before.owner };
  const latest = latestEpoch({ record: before, fence }, owner);
  if (epoch < latest) return { kind: 'Fenced', epoch: latest };
  if (before?.hash === hash && isSameOwner(before.owner, owner) && !isReleased(before)) {
    return { kind: 'Unchanged', record: before };
  }
  const generation = before?.generation ?? null;
  if (expectedGeneration !== undefined && expectedGeneration !== generation) {
    return { kind: 'Changed', record: before };
  }
  const record: PolicyRecord = {
    tenant: policy.tenant,
    owner,
    generation: (generation ?? 0) + 1,
    hash,
    policy,
    appliedAt: now,
    epoch,
    releasedAt: null,
    ...((before === null ? write.hadMemories : before.hadMemories) === true
      ? { hadMemories: true }
      : {}),
  };
  return { kind: 'Applied', record };
}

/** Decides a release. `Released` holds the record to write; other results write nothing. */
export function decideRelease(
  { record: before, fence }: PolicyState,
  owner: Owner,
  { now, epoch = 0, generation, erasesAt }: PolicyRelease,
): ReleasePolicyResult {
  if (before === null) return { kind: 'Absent' };
  if (!isSameOwner(before.owner, owner)) return { kind: 'Claimed', owner: before.owner };
  const latest = latestEpoch({ record: before, fence }, owner);
  if (epoch < latest) return { kind: 'Fenced', epoch: latest };
  if (generation !== undefined && generation !== before.generation) {
    return { kind: 'Changed', record: before };
  }
  if (isReleased(before) && before.erasesAt === erasesAt) {
    return { kind: 'Unchanged', record: before };
  }
  const released = { ...withoutErasure(before), epoch, releasedAt: before.releasedAt ?? now };
  const record = erasesAt === undefined ? released : { ...released, erasesAt };
  return { kind: 'Released', record };
}

/**
 * Decides a move, which the administrator of the installation requests. A tenant in force is not
 * moved, because its resource would find it taken. `Moved` holds the record to write; other results
 * write nothing.
 */
export function decideMove(before: PolicyRecord | null, namespace: string): MovePolicyResult {
  if (before === null) return { kind: 'Absent' };
  if (before.owner.namespace === namespace) return { kind: 'Unchanged', record: before };
  if (!isReleased(before)) return { kind: 'Claimed', owner: before.owner };
  const owner = { ...before.owner, namespace };
  return { kind: 'Moved', record: { ...withoutErasure(before), owner } };
}

function withoutErasure(record: PolicyRecord): PolicyRecord {
  const { erasesAt: _, ...rest } = record;
  return rest;
}

/**
 * Returns whether a resource may write the policy of a tenant that has a record. A released tenant
 * comes with all its memories, so only its own namespace can claim it: an editor of another
 * namespace must not read or erase them.
 */
function mayClaim(record: PolicyRecord, owner: Owner): boolean {
  if (isSameOwner(record.owner, owner)) return true;
  return isReleased(record) && mayFollow(record.owner, owner);
}

/** Returns whether `next` may take over what `last` had, once the resource of `last` is gone. */
export function mayFollow(last: Owner, next: Owner): boolean {
  return last.cluster === next.cluster && last.namespace === next.namespace;
}

/**
 * Call this before each step of an erasure. The owner may erase a tenant only after releasing it. A
 * leader that was replaced therefore erases nothing that belongs to its successor.
 * @throws VarveError CONFLICT
 */
export function requireErasable(
  state: PolicyState,
  { owner, epoch }: { readonly owner: Owner; readonly epoch: number },
): void {
  const { record } = state;
  const isOwn = record === null || (isSameOwner(record.owner, owner) && isReleased(record));
  if (isOwn && epoch >= latestEpoch(state, owner)) return;
  throw new VarveError(
    'CONFLICT',
    'The owner that erases the tenant has not released it, or a newer leader is active. ' +
      'Nothing was deleted.',
  );
}

/** Epochs are counted per cluster, so those of another cluster are ignored. */
function latestEpoch({ record, fence }: PolicyState, { cluster }: Owner): number {
  return record?.owner.cluster === cluster ? Math.max(record.epoch, fence) : fence;
}

/**
 * The longest that a check may take. An earlier result dated further ahead comes from a wrong clock
 * and must not block later ones.
 */
const LATE_MS_MAX = 3 * 60_000;

/** The basis of a decision: the record, and the latest leader that fenced the owner's cluster. */
interface ModelProviderState {
  readonly record: ModelProviderRecord | null;
  readonly fence: number;
}

/** Decides a put. `Applied` holds the record to write; other results write nothing. */
export function decideProvider(
  { record: before, fence }: ModelProviderState,
  wish: Pick<ModelProviderRecord, 'name' | 'owner'> & { readonly provider: ModelProvider },
  { hash, now, epoch = 0, createdAt }: ModelProviderWrite,
): PutModelProviderResult {
  const refused = refusal({ record: before, fence }, wish.owner, epoch);
  if (refused !== null) return refused;
  const made = createdAt === undefined ? {} : { createdAt };
  if (before?.hash === hash && isSameOwner(before.owner, wish.owner)) {
    if (createdAt === undefined || before.createdAt === createdAt) {
      return { kind: 'Unchanged', record: before };
    }
    // Nothing else changes, so the last check stays valid.
    return { kind: 'Applied', record: { ...before, ...made, epoch } };
  }
  const { name, owner, provider } = wish;
  const next = { generation: (before?.generation ?? 0) + 1, hash, provider, appliedAt: now };
  return { kind: 'Applied', record: { name, owner, ...next, ...made, epoch, check: null } };
}

/** Decides a removal. */
export function decideRemoval(
  state: ModelProviderState,
  owner: Owner,
  epoch: number,
): RemoveModelProviderResult {
  if (state.record === null) return { kind: 'Absent' };
  return refusal(state, owner, epoch) ?? { kind: 'Removed' };
}

/** Returns the record with a worker's check; null if the check is outdated. */
export function withCheck(
  record: ModelProviderRecord | null,
  { hash, at, state, code }: FoundCheck,
): ModelProviderRecord | null {
  if (record?.hash !== hash) return null;
  const before = record.check;
  const aheadMs = before === null ? 0 : before.at - at;
  if (aheadMs > 0 && aheadMs <= LATE_MS_MAX) return null;
  const since = before?.state === state ? before.since : at;
  return { ...record, check: { at, state, code, since } };
}

function refusal(
  { record, fence }: ModelProviderState,
  owner: Owner,
  epoch: number,
): { kind: 'Claimed'; owner: Owner } | { kind: 'Fenced'; epoch: number } | null {
  if (record !== null && !isSamePlace(record.owner, owner)) {
    return { kind: 'Claimed', owner: record.owner };
  }
  const latest = Math.max(record?.epoch ?? 0, fence);
  return epoch < latest ? { kind: 'Fenced', epoch: latest } : null;
}

function isSamePlace(a: Owner, b: Owner): boolean {
  return a.cluster === b.cluster && a.namespace === b.namespace;
}
