/** Who may write a provider of models, and what becomes of its record: for every store alike. */
import type { ModelProvider } from '../records/model-provider-spec.ts';
import type {
  FoundCheck,
  ModelProviderWrite,
  PutModelProviderResult,
  RemoveModelProviderResult,
} from '../ports/model-provider-records.ts';
import type { ModelProviderRecord } from '../records/model-provider.ts';
import { isSameOwner, type Owner } from '../records/policy-record.ts';

/**
 * No check is under way for so long: one that is further ahead is of a clock that is wrong, and
 * must not keep the others out.
 */
const LATE_MS_MAX = 3 * 60_000;

/** What a decision rests on: the record, and the latest leader that fenced the owner's cluster. */
export interface ModelProviderState {
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
