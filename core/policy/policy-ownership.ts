/** Who may write the policy of a tenant, and what becomes of its record: for every store alike. */
import { VarveError } from '../errors.ts';
import type {
  FoundCheck,
  ModelProviderWrite,
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

/** What a decision rests on: the record, and the latest leader that fenced the owner's cluster. */
interface PolicyState {
  readonly record: PolicyRecord | null;
  readonly fence: number;
}

/**
 * What a put does. `Applied` holds the record to write; nothing else writes. A writer that leads no
 * more hears of it first; a repetition of what was written hears `Unchanged`.
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

/** What a release does. `Released` holds the record to write; nothing else writes. */
export function decideRelease(
  { record: before, fence }: PolicyState,
  owner: Owner,
  { now, epoch = 0 }: { now: number; epoch?: number },
): ReleasePolicyResult {
  if (before === null) return { kind: 'Absent' };
  if (!isSameOwner(before.owner, owner)) return { kind: 'Claimed', owner: before.owner };
  const latest = latestEpoch({ record: before, fence }, owner);
  if (epoch < latest) return { kind: 'Fenced', epoch: latest };
  if (isReleased(before)) return { kind: 'Unchanged', record: before };
  return { kind: 'Released', record: { ...before, epoch, releasedAt: now } };
}

/**
 * Decides a move, which the administrator of the installation requests. A tenant in force stays,
 * since its resource would find it taken. `Moved` holds the record to write; nothing else writes.
 */
export function decideMove(before: PolicyRecord | null, namespace: string): MovePolicyResult {
  if (before === null) return { kind: 'Absent' };
  if (before.owner.namespace === namespace) return { kind: 'Unchanged', record: before };
  if (!isReleased(before)) return { kind: 'Claimed', owner: before.owner };
  return { kind: 'Moved', record: { ...before, owner: { ...before.owner, namespace } } };
}

/**
 * Whether a resource may write the policy of a tenant that has a record. A released tenant comes
 * with all its memories, so only its own namespace can take it: an editor of another namespace must
 * not read or erase them.
 */
export function mayClaim(record: PolicyRecord, owner: Owner): boolean {
  if (isSameOwner(record.owner, owner)) return true;
  return isReleased(record) && mayFollow(record.owner, owner);
}

/** Whether `next` may have the tenant that `last` had, once no resource stands behind that. */
export function mayFollow(last: Owner, next: Owner): boolean {
  return last.cluster === next.cluster && last.namespace === next.namespace;
}

/**
 * To be called before each step of an erasure. A tenant that is there is its owner's to erase once
 * it was released; so a leader that was blocked erases nothing of its successor.
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
      'Nothing of it was deleted.',
  );
}

/** Epochs are counted by cluster: those of another one say nothing. */
function latestEpoch({ record, fence }: PolicyState, { cluster }: Owner): number {
  return record?.owner.cluster === cluster ? Math.max(record.epoch, fence) : fence;
}

/**
 * No check takes that long: one that is further ahead comes from a wrong clock, and must not keep
 * the others out.
 */
const LATE_MS_MAX = 3 * 60_000;

/** What a decision rests on: the record, and the latest leader that fenced the owner's cluster. */
interface ModelProviderState {
  readonly record: ModelProviderRecord | null;
  readonly fence: number;
}

/** What a put does. `Applied` holds the record to write; nothing else writes. */
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
    // Nothing else changes, so what was checked stays.
    return { kind: 'Applied', record: { ...before, ...made, epoch } };
  }
  const { name, owner, provider } = wish;
  const next = { generation: (before?.generation ?? 0) + 1, hash, provider, appliedAt: now };
  return { kind: 'Applied', record: { name, owner, ...next, ...made, epoch, check: null } };
}

/** What a removal does. */
export function decideRemoval(
  state: ModelProviderState,
  owner: Owner,
  epoch: number,
): RemoveModelProviderResult {
  if (state.record === null) return { kind: 'Absent' };
  return refusal(state, owner, epoch) ?? { kind: 'Removed' };
}

/** The record with what a worker found; null where that says nothing of it any more. */
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
