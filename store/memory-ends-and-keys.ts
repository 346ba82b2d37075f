/**
 * How memories end in favor of others, hold again, and pass on their keys, within one commit of
 * their scope (core/sources/memory-ends-and-keys.ts decides).
 */
import { VarveError } from '#core/errors.ts';
import type { Digest } from '#core/hash.ts';
import { memoryChange, type MemoryStep } from '#core/sources/memory-history.ts';
import { expiryOf, hasExpired, isLive } from '#core/sources/memory-lifecycle.ts';
import {
  endBy,
  hasPlannedEnd,
  isToCome,
  keyedAt,
  OPEN_END,
  type End,
  type Keyed,
} from '#core/sources/memory-ends-and-keys.ts';
import type { AddRules, WriteRules } from '#core/ports/write-rules-and-outcomes.ts';
import type { Memory } from '#core/records/memory.ts';
import type { DroppedSource, ScopeRecord } from '#core/records/scope-record.ts';
import type { Scope } from '#core/scope.ts';
import { scopeKey } from '#core/scope-key.ts';
import {
  additionOf,
  removalOf,
  replacementOf,
  type ScopeChange,
} from '#core/sources/source-change.ts';
import * as kinds from './record-kinds-and-indexes.ts';
import { changeScope } from './scopes.ts';
import { endedBy, withoutVector } from './stored-memory.ts';
import { citedSources } from './summaries-and-segments.ts';
import type { Transaction } from './retry-concurrent-writes.ts';

/** One write of a memory, within the transaction of its scope. */
export interface MemoryWrite<R extends WriteRules = WriteRules> {
  readonly transaction: Transaction<kinds.StoredScope>;
  readonly digest: Digest;
  readonly rules: R;
}

type ByKey = Pick<Memory, 'tenant' | 'layer' | 'scopeId' | 'key'>;

/** Ends memories in favor of another. Returns the scope afterwards; null if nothing ended. */
export async function endOthers(
  write: MemoryWrite,
  ids: readonly string[],
  by: Memory,
): Promise<ScopeRecord | null> {
  let scope: ScopeRecord | null = null;
  for (const id of ids) scope = (await endNamed(write, id, by)) ?? scope;
  return scope;
}

/** Ends a memory that no longer holds. Returns null if it does not exist or already ended. */
async function endNamed(write: MemoryWrite, id: string, by: Memory): Promise<ScopeRecord | null> {
  const holder = await write.transaction.get(kinds.MEMORIES, [by.tenant, id]);
  if (holder === null || holder.id === by.id || scopeKey(holder) !== scopeKey(by)) return null;
  const { now } = write.rules;
  if (!isLive(holder, now)) return null;
  const ending = endBy(holder, by, now);
  if (ending.state === 'superseded' && holder.key !== by.key) await freeKey(write, holder);
  const scope = await end(write, holder, ending);
  if (!isToCome(holder, now)) return scope;
  // What it would have ended ends on the day of the other, or not at all.
  return (await passOnEnded(write, holder, isToCome(by, now) ? by : null)) ?? scope;
}

/**
 * Ends a memory, at once or on a day to come: an expired holder of a key, or a statement that
 * another one ends. A summary may still cite one that has ended, but its sentence must not stand
 * beside its successor's.
 */
export async function end(
  write: MemoryWrite,
  holder: kinds.StoredMemory,
  by: End,
): Promise<ScopeRecord> {
  const { transaction, digest } = write;
  const isPlanned = by.state === 'active';
  const isCited = !isPlanned && holder.state === 'active';
  const dropped = isCited ? await droppedSource(transaction, holder, 'SourceReplaced') : null;
  const counted = isCounted(holder, transaction.record);
  const after: kinds.StoredMemory = {
    ...holder,
    ...by,
    counted: isPlanned && counted,
    ...nextVersion(holder, write.rules),
  };
  changeMemory(write, { action: 'Superseded', before: holder, after });
  const before = { ...holder, counted };
  const change = isPlanned
    ? replacementOf(digest, { before, after }, null)
    : removalOf(digest, before, dropped);
  return applyToScope(write, holder, change);
}

/** Moves what a memory to come ends to the day that the memory has now. */
export async function moveEnds(
  write: MemoryWrite,
  before: kinds.StoredMemory,
  after: kinds.StoredMemory,
): Promise<ScopeRecord | null> {
  const { now } = write.rules;
  if (!isToCome(before, now) || before.validFrom === after.validFrom) return null;
  let scope: ScopeRecord | null = null;
  for (const older of await endedOf(write, after)) {
    if (hasPlannedEnd(older)) scope = await end(write, older, endBy(older, after, now));
  }
  return scope;
}

/**
 * Passes what a memory had ended, or would have, to the one that ends it instead; without one, it
 * holds again. Returns the scope afterwards; null if no source changed.
 */
export async function passOnEnded(
  write: MemoryWrite,
  gone: kinds.StoredMemory,
  successor: Pick<Memory, 'tenant' | 'id' | 'validFrom' | 'utcOffset'> | null,
): Promise<ScopeRecord | null> {
  const { now } = write.rules;
  const olders = await endedOf(write, gone);
  if (successor !== null) await noteEnded(write, successor, olders);
  let scope: ScopeRecord | null = null;
  for (const older of olders) {
    const by = successor === null ? OPEN_END : endBy(older, successor, now);
    if (by.state === 'superseded') await end(write, older, { ...by, validTo: older.validTo });
    else if (by.supersededBy !== null && isLive(older, now)) scope = await end(write, older, by);
    else scope = await holdAgain(write, older, by);
  }
  return scope;
}

/** Returns the memories that one has ended, or will end. */
export async function endedOf(
  { transaction: { get } }: MemoryWrite,
  { tenant, id, ended = [] }: kinds.StoredMemory,
): Promise<readonly kinds.StoredMemory[]> {
  const found = await Promise.all(ended.map((each) => get(kinds.MEMORIES, [tenant, each])));
  return found.flatMap((older) => (older?.supersededBy === id ? [older] : []));
}

/** Returns what only repeats a memory, from other sources. */
export async function repeatsOf(
  write: MemoryWrite,
  memory: kinds.StoredMemory,
): Promise<readonly kinds.StoredMemory[]> {
  return (await endedOf(write, memory)).filter(({ isRepeat }) => isRepeat === true);
}

/** Returns the repeat that takes the place of a memory whose source is gone; null without one. */
export async function heirOf(
  write: MemoryWrite,
  memory: kinds.StoredMemory,
): Promise<kinds.StoredMemory | null> {
  const repeats = await repeatsOf(write, memory);
  return repeats.find((each) => !hasExpired(each, write.rules.now)) ?? null;
}

/** Gives a repeat the place of a deleted memory: it holds as long as that, and ends the same. */
export async function takePlace(
  write: MemoryWrite,
  gone: kinds.StoredMemory,
  heir: kinds.StoredMemory,
): Promise<ScopeRecord> {
  const { rules, digest, transaction } = write;
  const { state, validTo, supersededBy } = gone;
  const { isRepeat: _, ...own } = heir;
  const place = { ...own, state, validTo, supersededBy };
  const counted = isLive(place, rules.now);
  const after: kinds.StoredMemory = { ...place, ...nextVersion(heir, rules), counted };
  changeMemory(write, { action: 'Restored', before: heir, after });
  const by =
    supersededBy === null
      ? null
      : await transaction.get(kinds.MEMORIES, [gone.tenant, supersededBy]);
  if (by !== null) await noteEnded(write, by, [after]);
  await passOnEnded(write, gone, after);
  return applyToScope(write, after, counted ? additionOf(digest, after) : null);
}

/** Notes in a stored memory which others it ends. */
export async function noteEnded(
  { transaction: { get, put } }: MemoryWrite,
  { tenant, id }: Pick<Memory, 'tenant' | 'id'>,
  olders: readonly Pick<Memory, 'id'>[],
): Promise<void> {
  const stored = olders.length === 0 ? null : await get(kinds.MEMORIES, [tenant, id]);
  if (stored === null) return;
  const ids = olders.map((older) => older.id);
  put(kinds.MEMORIES, { ...stored, ...endedBy(stored.ended ?? [], ids) });
}

/**
 * Gives an ended memory an end to come or none, and its key, unless another memory took the key
 * meanwhile.
 */
async function holdAgain(
  write: MemoryWrite,
  before: kinds.StoredMemory,
  until: End,
): Promise<ScopeRecord> {
  const { rules, digest, transaction } = write;
  const whole = { ...before, ...until };
  const named = await keyRecordOf(write, before);
  const wasCounted = before.state === 'active' && isCounted(before, transaction.record);
  const counted = wasCounted || isLive(whole, rules.now);
  const after: kinds.StoredMemory = {
    ...whole,
    ...nextVersion(before, rules),
    key: named === null || named.id === before.id ? before.key : null,
    counted,
  };
  changeMemory(write, { action: 'Restored', before, after });
  const sides = { before: { ...before, counted }, after };
  const change = wasCounted ? replacementOf(digest, sides, null) : additionOf(digest, after);
  return applyToScope(write, after, change);
}

/** Lets memories hold again that one that is now superseded had ended; null if there is none. */
export async function restoreEnded(
  write: MemoryWrite<AddRules>,
  by: Memory,
): Promise<ScopeRecord | null> {
  const { restores = [], supersedes = [] } = write.rules;
  let scope: ScopeRecord | null = null;
  for (const id of restores) {
    const ended = await write.transaction.get(kinds.MEMORIES, [by.tenant, id]);
    if (ended === null || scopeKey(ended) !== scopeKey(by) || ended.state !== 'superseded')
      continue;
    if (!supersedes.includes(ended.supersededBy ?? '')) continue;
    scope = await holdAgain(write, ended, OPEN_END);
  }
  return scope;
}

/** Returns the memories that have a key, and notes in the store who has followed whom. */
export async function keyedOf(write: MemoryWrite, of: ByKey): Promise<Keyed<kinds.StoredMemory>> {
  const { transaction, rules } = write;
  const named = await keyRecordOf(write, of);
  const get = (id: string) => transaction.get(kinds.MEMORIES, [of.tenant, id]);
  const first = named === null ? null : await get(named.id);
  const by = first !== null && hasPlannedEnd(first) ? first.supersededBy : null;
  const next = by === null ? null : await get(by);
  const isNext = next !== null && next.state === 'active' && next.key === of.key;
  const keyed = keyedAt(first, isNext ? next : null, rules.now);
  const { holds, followed } = keyed;
  if (followed === null || holds === null) return keyed;
  await endExpired(write, followed, holds.id);
  putKey(write, holds);
  return keyed;
}

async function keyRecordOf(
  { transaction }: MemoryWrite,
  { tenant, layer, scopeId, key }: ByKey,
): Promise<{ readonly id: string } | null> {
  return key === null ? null : transaction.get(kinds.MEMORY_KEYS, [tenant, layer, scopeId, key]);
}

function putKey({ transaction }: MemoryWrite, memory: kinds.StoredMemory): void {
  const { tenant, layer, scopeId, key, id } = memory;
  if (key !== null) transaction.put(kinds.MEMORY_KEYS, { tenant, layer, scopeId, key, id });
}

/** Gives a key that nobody has to an active memory, which waited for its day. */
export async function giveKey(write: MemoryWrite, memory: kinds.StoredMemory): Promise<void> {
  if (memory.state !== 'active' || (await keyRecordOf(write, memory)) !== null) return;
  putKey(write, memory);
}

/** Gives a memory its new key. Another memory with that key keeps it while it is live. */
export async function takeKey(
  write: MemoryWrite,
  before: kinds.StoredMemory,
  after: kinds.StoredMemory,
): Promise<void> {
  if (after.state !== 'active') return;
  await freeKey(write, before);
  const { holds, toCome } = await keyedOf(write, after);
  const holder = holds ?? toCome;
  if (holder === null || holder.id === after.id) return;
  if (isLive(holder, write.rules.now)) throw keyTaken(holder);
  await endExpired(write, holder, after.id);
}

/** Ends a memory that gives up its key because it has expired, or its day is over. */
export async function endExpired(
  write: MemoryWrite,
  holder: kinds.StoredMemory,
  supersededBy: string,
): Promise<void> {
  await end(write, holder, { state: 'superseded', validTo: holder.validTo, supersededBy });
}

/** Frees the key of a memory, unless another memory has it. */
export async function freeKey(write: MemoryWrite, memory: kinds.StoredMemory): Promise<void> {
  const { tenant, layer, scopeId, key, id } = memory;
  if (key === null || (await keyRecordOf(write, memory))?.id !== id) return;
  write.transaction.delete(kinds.MEMORY_KEYS, [tenant, layer, scopeId, key]);
}

export function keyTaken({ id }: kinds.StoredMemory): VarveError {
  const message =
    `The memory ${id} of the scope has this key and says something else. Update that one by its ` +
    "id, or add with onConflict: 'update'.";
  return new VarveError('CONFLICT', message, { details: { id }, isSettled: true });
}

function nextVersion(
  { version }: kinds.StoredMemory,
  { now }: WriteRules,
): Pick<kinds.StoredMemory, 'version' | 'updatedAt'> {
  return { version: version + 1, updatedAt: now };
}

/** Writes an existing memory, and the step that its history records. */
export function changeMemory(
  write: MemoryWrite,
  step: { action: MemoryStep['action']; before: kinds.StoredMemory; after: kinds.StoredMemory },
): void {
  const [before, after] = [withoutVector(step.before), withoutVector(step.after)];
  const change = memoryChange({ action: step.action, before, after }, write.rules);
  write.transaction.put(kinds.MEMORY_CHANGES, change);
  const { key, state } = step.before;
  putMemory(write, step.after, state === 'active' ? key : null);
}

/** Writes a memory and, if it is active, its key, unless it already had that key. */
export function putMemory(
  write: MemoryWrite,
  memory: kinds.StoredMemory,
  keyBefore: Memory['key'] = null,
): void {
  write.transaction.put(kinds.MEMORIES, memory);
  if (memory.state === 'active' && memory.key !== keyBefore) putKey(write, memory);
}

/** A source that ended before its scope was recounted is no longer in any hash. */
export function isCounted(memory: kinds.StoredMemory, scope: kinds.StoredScope | null): boolean {
  return memory.counted && (expiryOf(memory) ?? kinds.NEVER) >= (scope?.forgottenBefore ?? 0);
}

/** Returns null for a memory that no summary cites. */
export async function droppedSource(
  { scan }: Transaction<kinds.StoredScope>,
  memory: kinds.StoredMemory,
  reason: DroppedSource['reason'],
): Promise<DroppedSource | null> {
  const cited = await citedSources(scan, memory);
  return cited.has(memory.id) ? { id: memory.id, reason } : null;
}

export function applyToScope(
  write: MemoryWrite,
  scope: Scope,
  change: ScopeChange | null,
): ScopeRecord {
  return changeScope(write.transaction, { scope, change }, write.rules);
}
