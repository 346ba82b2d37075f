/**
 * Deletes for good what an erasure found. Deletes first what readers see, and last what leads to
 * the rest, so that after a crash the next pass finds what is left.
 */
import { chunked } from '#core/chunks-and-pages.ts';
import { proposalWithout, restartScope, withoutLines } from '#core/erasure/dependent-records.ts';
import type { Digest } from '#core/hash.ts';
import type { MemoryRecords } from '#core/ports/memory-records.ts';
import { BULK_CHUNK_MAX, type WriteRules } from '#core/ports/write-rules-and-outcomes.ts';
import type { Layer } from '#core/layer.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Turn } from '#core/records/turn.ts';
import { applyChange } from '#core/refresh/scope-transitions.ts';
import { deletedTurn, deletionChange, erasedTurn } from '#core/retention/compacted-turn.ts';
import type { Scope } from '#core/scope.ts';
import { scopeKey } from '#core/scope-key.ts';
import { nextVersion } from '#core/sessions/session-changes.ts';
import * as kinds from '../record-kinds-and-indexes.ts';
import type { AnyKind } from '../storage-driver.ts';
import { removeSegments, removeSummaries } from '../summaries-and-segments.ts';
import type { StoreParts } from '../store-parts.ts';
import { recordOf, storedOrEmpty } from '../scopes.ts';
import {
  hasOnlySessions,
  type Found,
  type MemoryPlace,
  OF_AUDIENCE,
  OF_SCOPE,
  OF_SUBJECT,
} from './find-erased.ts';
import { eraseAll, eraseEach } from './scan.ts';

export interface RemoveParts extends StoreParts {
  readonly memories: Pick<MemoryRecords, 'deleteMany'>;
  /** Kinds that the driver keeps besides those of the store. */
  readonly driverKinds: readonly AnyKind[];
  readonly digest: Digest;
}

type Rules = (layer: Layer) => WriteRules;

/** Returns the scopes of others that lost sources. */
export async function removeFound(
  parts: RemoveParts,
  tenant: string,
  found: Found,
  rules: Rules,
): Promise<readonly ScopeRecord[]> {
  const { driver } = parts;
  const ofTenant = ['tenant', '=', tenant] as const;
  for (const audience of found.audiences) {
    for (const kind of OF_AUDIENCE) {
      await eraseAll(driver, kind, [ofTenant, ['audience', '=', audience]]);
    }
  }
  const whole = new Set(found.scopes.map(scopeKey));
  const shared = [...found.memories].filter(([, scope]) => !whole.has(scopeKey(scope)));
  const emptied = await removeTurns(parts, found.turns, rules);
  const scopes = [...emptied, ...(await removeShared(parts, tenant, shared, rules))];
  await removeLines(parts, tenant, found);
  for (const scope of found.scopes) await removeScope(parts, scope);
  await removeTraces(parts, tenant, found);
  for (const subject of found.subjects) {
    const ofSubject = [ofTenant, ['subject', '=', subject]] as const;
    for (const kind of OF_SUBJECT) await eraseAll(driver, kind, ofSubject);
  }
  // The ids of turns only keep their places.
  await changeTurns(parts, found.turns, { rules, change: erasedTurn });
  // Sessions show the next pass who owns the rest, including what was written during this pass.
  if (!hasOnlySessions(found)) return scopes;
  for (const sessionId of found.sessions) {
    await eraseAll(driver, kinds.SESSIONS, kinds.ofSession({ tenant, sessionId }));
  }
  return scopes;
}

/**
 * Deletes the words of turns in a session that stays, and what was made from the session. The turns
 * keep their ids until everything else is gone, so that the next pass finds them.
 */
async function removeTurns(
  parts: RemoveParts,
  turns: readonly Turn[],
  rules: Rules,
): Promise<readonly ScopeRecord[]> {
  const [first] = turns;
  if (first === undefined) return [];
  const { tenant, sessionId } = first;
  const changed = await changeTurns(parts, turns, { rules, change: deletedTurn });
  await removeSegments(parts, { tenant, layer: 'session', scopeId: sessionId });
  // No context uses what was read before.
  await parts.writes.run(kinds.SESSIONS, [tenant, sessionId], ({ record, set }) => {
    if (record !== null) set(nextVersion(record));
  });
  return changed;
}

async function changeTurns(
  { writes, digest }: RemoveParts,
  turns: readonly Turn[],
  { rules, change }: { rules: Rules; change: (turn: Turn, at: number) => Turn },
): Promise<readonly ScopeRecord[]> {
  const [first] = turns;
  if (first === undefined) return [];
  const { tenant, sessionId } = first;
  const scope = { tenant, layer: 'session', scopeId: sessionId } as const;
  const ofLayer = rules(scope.layer);
  return writes.run(kinds.SCOPES, kinds.scopeKeyOf(scope), async (transaction) => {
    const found = await Promise.all(
      turns.map(({ sequence }) => transaction.get(kinds.TURNS, [tenant, sessionId, sequence])),
    );
    const pairs = found.flatMap((before, at) =>
      before?.id === turns[at]?.id && before !== null
        ? [{ before, after: change(before, ofLayer.now) }]
        : [],
    );
    // The session was erased meanwhile.
    if (pairs.length === 0) return [];
    for (const { after } of pairs) transaction.put(kinds.TURNS, after);
    transaction.delete(kinds.SESSION_ANALYSES, kinds.scopeKeyOf(scope));
    await removeSummaries(transaction, scope);
    const before = storedOrEmpty(transaction.record, scope);
    const lost = applyChange(recordOf(before), deletionChange(digest, pairs, new Set()), ofLayer);
    const next = { ...before, ...restartScope(lost, ofLayer.now) };
    transaction.set(next);
    return [recordOf(next)];
  });
}

/**
 * Deletes memories in scopes that stay, as the deletion of their source does, with what was made
 * from the scope.
 */
async function removeShared(
  parts: RemoveParts,
  tenant: string,
  shared: readonly (readonly [string, MemoryPlace])[],
  rules: Rules,
): Promise<readonly ScopeRecord[]> {
  const scopes: ScopeRecord[] = [];
  for (const group of Map.groupBy(shared, ([, scope]) => scopeKey(scope)).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const [, scope] = first;
    const ofLayer = { ...rules(scope.layer), isSourceGone: true };
    for (const some of chunked(group, BULK_CHUNK_MAX)) {
      const keys = some.map(([id]) => ({ tenant, id }));
      const failed = (await parts.memories.deleteMany(keys, ofLayer)).find(({ ok }) => !ok);
      if (failed?.ok === false) throw failed.error;
    }
    await removeKeys(parts, scope, group);
    scopes.push(await restart(parts, scope, ofLayer.now));
    await removeSegments(parts, scope);
  }
  return scopes;
}

/** Deletes the callers' keys of the memories, unless another memory has the key now. */
async function removeKeys(
  { driver }: RemoveParts,
  scope: Scope,
  memories: readonly (readonly [string, MemoryPlace])[],
): Promise<void> {
  const gone = new Set(memories.map(([id]) => id));
  for (const key of new Set(memories.flatMap(([, { keys }]) => [...keys]))) {
    const holder = await driver.get(kinds.MEMORY_KEYS, [...kinds.scopeKeyOf(scope), key]);
    if (holder !== null && !gone.has(holder.id)) continue;
    await eraseAll(driver, kinds.MEMORY_KEYS, [...kinds.ofScope(scope), ['key', '=', key]]);
  }
}

/** Deletes everything derived from the scope; a run in progress finds its lease gone, and stops. */
async function restart({ writes }: RemoveParts, scope: Scope, now: number): Promise<ScopeRecord> {
  return writes.run(kinds.SCOPES, kinds.scopeKeyOf(scope), async (transaction) => {
    await removeSummaries(transaction, scope);
    const before = storedOrEmpty(transaction.record, scope);
    const next = { ...before, ...restartScope(recordOf(before), now) };
    transaction.set(next);
    return recordOf(next);
  });
}

/** Deletes others' lines that rest on deleted records, in every version that has them. */
async function removeLines(
  { writes }: RemoveParts,
  tenant: string,
  { documents, proposals, lines, subjects }: Found,
): Promise<void> {
  for (const { subject, path, version } of documents) {
    await writes.run(kinds.SUBJECTS, [tenant, subject], async ({ get, put }) => {
      const document = await get(kinds.DOCUMENTS, [tenant, subject, path, version]);
      if (document !== null) put(kinds.DOCUMENTS, withoutLines(document, lines));
    });
  }
  for (const { id, subject } of proposals) {
    if (subjects.includes(subject)) continue;
    await writes.run(kinds.PROPOSALS, [tenant, id], ({ record, set }) => {
      if (record === null) return;
      set({ ...proposalWithout(record, lines), version: record.version + 1 });
    });
  }
}

/**
 * Deletes a scope with everything that belongs to it. A run that read the sources earlier may still
 * commit what it made of them, but not once the record of the scope is deleted. So what was made
 * from the scope is deleted first, for readers, and once more after the record.
 */
async function removeScope(parts: RemoveParts, scope: Scope): Promise<void> {
  const { driver, driverKinds, writes } = parts;
  const where = kinds.ofScope(scope);
  await removeDerived(parts, scope);
  await eraseAll(driver, kinds.MEMORIES, where);
  const { tenant, scopeId: sessionId } = scope;
  if (scope.layer === 'session')
    await eraseAll(driver, kinds.TURNS, kinds.ofSession({ tenant, sessionId }));
  for (const kind of driverKinds) {
    if (kind.key.some((field: string) => field === 'scopeId')) await eraseAll(driver, kind, where);
  }
  await writes.run(kinds.SCOPES, kinds.scopeKeyOf(scope), ({ set }) => {
    set(null);
  });
  await removeDerived(parts, scope);
  await eraseAll(driver, kinds.SCOPES, where);
}

async function removeDerived({ driver }: RemoveParts, scope: Scope): Promise<void> {
  for (const kind of OF_SCOPE.filter(({ name }) => name !== kinds.SCOPES.name)) {
    await eraseAll(driver, kind, kinds.ofScope(scope));
  }
}

/** Deletes what is kept of memories in other records, and what names deleted records. */
async function removeTraces(
  { driver, driverKinds, writes }: RemoveParts,
  tenant: string,
  { memories, reviews, calls, entries, apiKeys }: Found,
): Promise<void> {
  const where = [['tenant', '=', tenant]] as const;
  // Answers of models that no summary uses yet may contain what is deleted.
  await eraseAll(driver, kinds.ANSWERS, where);
  // Cached vectors only save calls, so those of deleted content must not stay.
  for (const kind of driverKinds) {
    if (!kind.key.some((field: string) => field === 'scopeId')) await eraseAll(driver, kind, where);
  }
  for (const id of entries) {
    await writes.run(kinds.AUDIT_ENTRIES, [tenant, id], ({ record, set }) => {
      if (record === null) return;
      const left = Object.values(record.ids).reduce((sum, ids) => sum + ids.length, 0);
      set({ ...record, ids: {}, idsLeftOut: record.idsLeftOut + left });
    });
  }
  await eraseEach(driver, kinds.IDEMPOTENCY, where, 'key', calls);
  await eraseEach(driver, kinds.API_KEYS, where, 'id', apiKeys);
  await eraseEach(driver, kinds.REVIEWS, where, 'id', reviews);
  const values = [...memories.keys()];
  // The marks of memories that were deleted earlier say in which scope they were.
  await eraseEach(driver, kinds.MEMORIES, where, 'id', values);
  await eraseEach(driver, kinds.MEMORY_CHANGES, where, 'memoryId', values);
}
