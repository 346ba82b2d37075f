/**
 * Memories: one commit of the scope writes a memory with its history, its key and its effect on the
 * scope.
 */
import { VarveError } from '#core/errors.ts';
import { memoryNotFound } from '#core/memory-not-found.ts';
import type { Digest } from '#core/hash.ts';
import { firstChange, memoryChange } from '#core/sources/memory-history.ts';
import { keyAfter, mergedTags } from '#core/sources/memory-key.ts';
import { requireMetadata } from '#core/sources/metadata-limits.ts';
import { isLive, patchedMemory } from '#core/sources/memory-lifecycle.ts';
import { repeatedMemory } from '#core/sources/repeated-memory.ts';
import { endBy, isSameValue, isToCome, keyedAddition } from '#core/sources/memory-ends-and-keys.ts';
import type { MemoryRecords } from '#core/ports/memory-records.ts';
import {
  BULK_CHUNK_MAX,
  type AddOutcome,
  type AddRules,
  type DeleteRules,
  type ItemOutcome,
  type WriteOutcome,
} from '#core/ports/write-rules-and-outcomes.ts';
import type { MemoryChange, Memory, MemoryPatch } from '#core/records/memory.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Scope } from '#core/scope.ts';
import { scopeKey } from '#core/scope-key.ts';
import { additionOf, removalOf, replacementOf } from '#core/sources/source-change.ts';
import { equal, type Driver } from './storage-driver.ts';
import * as kinds from './record-kinds-and-indexes.ts';
import {
  changeMemory,
  droppedSource,
  endedOf,
  endExpired,
  endOthers,
  applyToScope,
  freeKey,
  giveKey,
  heirOf,
  isCounted,
  keyedOf,
  keyTaken,
  moveEnds,
  noteEnded,
  passOnEnded,
  restoreEnded,
  putMemory,
  repeatsOf,
  takeKey,
  takePlace,
  type MemoryWrite,
} from './memory-ends-and-keys.ts';
import { removeMentions, withMentions } from './memory-mentions.ts';
import type { MemorySearch } from './memory-search.ts';
import {
  ENDED_MAX,
  endedBy,
  memoryOf,
  storedMemory,
  vectorsOf,
  withoutVector,
} from './stored-memory.ts';
import type { StoreParts } from './store-parts.ts';
import { readAhead, type AnchoredWrite, type ReadAhead } from './retry-concurrent-writes.ts';

/** The memories of a key that nobody asks about. */
const NOT_KEYED = { holds: null, toCome: null, followed: null } as const;

interface MemoryId {
  readonly tenant: string;
  readonly id: string;
}

export function memoryRecords(
  parts: StoreParts,
  digest: Digest,
  search: MemorySearch,
): MemoryRecords {
  const { driver, writes } = parts;
  // Only finds the scope, which a memory never changes; everything else may be outdated.
  const found = ({ tenant, id }: MemoryId) => driver.get(kinds.MEMORIES, [tenant, id]);
  const add = (memory: Memory, rules: AddRules): Promise<AddOutcome> =>
    writes.run(kinds.SCOPES, kinds.scopeKeyOf(memory), {
      reads: readsOf(memory, rules),
      run: (transaction) => addMemory({ transaction, digest, rules }, memory),
    });
  const remove = async (scope: Scope | null, key: MemoryId, rules: DeleteRules) => {
    if (scope === null) return null;
    const run = operationOn(key, (transaction) =>
      deleteMemory({ transaction, digest, rules }, key),
    );
    return writes.run(kinds.SCOPES, kinds.scopeKeyOf(scope), run);
  };
  return {
    async add(memory, rules) {
      requireVector(memory.vector);
      return add(memory, rules);
    },
    async addMany(memories, rules) {
      requireChunk(memories);
      requireOneScope(memories);
      return Promise.all(
        memories.map((memory) =>
          outcomeOf(async () => {
            requireVector(memory.vector);
            return add(memory, rules);
          }),
        ),
      );
    },
    async get(tenant, id) {
      const stored = await found({ tenant, id });
      return stored === null ? null : memoryOf(stored);
    },
    async update(key, patch, rules) {
      requireVector(patch.content?.vector ?? null);
      const scope = await found(key);
      if (scope === null) throw memoryNotFound(key.id);
      const run = operationOn(key, (transaction) =>
        updateMemory({ transaction, digest, rules }, key, patch),
      );
      return writes.run(kinds.SCOPES, kinds.scopeKeyOf(scope), run);
    },
    delete: async (key, rules) => remove(await found(key), key, rules),
    async deleteMany(keys, rules) {
      requireChunk(keys);
      const ids = keys.map(({ tenant, id }) => [tenant, id]);
      const scopes = await driver.getMany(kinds.MEMORIES, ids);
      // Requested in one turn of the event loop, so that they commit together and in order.
      return Promise.all(
        keys.map((key, at) => outcomeOf(() => remove(scopes[at] ?? null, key, rules))),
      );
    },
    history: (key, page) => historyOf(driver, key, page),
    list: (tenant, query) => search.list(tenant, query),
    search: (scope, query) => search.search(scope, query),
  };
}

/**
 * An operation on a memory. The memory is read together with those of other operations in the
 * commit.
 */
function operationOn<T>(
  { tenant, id }: MemoryId,
  run: AnchoredWrite<kinds.StoredScope, T>['run'],
): AnchoredWrite<kinds.StoredScope, T> {
  return { reads: [readAhead(kinds.MEMORIES, [tenant, id])], run };
}

function requireChunk(items: readonly unknown[]): void {
  if (items.length <= BULK_CHUNK_MAX) return;
  throw new VarveError(
    'INVALID_INPUT',
    `The call has ${items.length} items; the maximum is ${BULK_CHUNK_MAX}. Split it into several.`,
    { details: { items: items.length, itemsMax: BULK_CHUNK_MAX } },
  );
}

function requireOneScope(memories: readonly Memory[]): void {
  const scopes = new Set(memories.map(scopeKey));
  if (scopes.size <= 1) return;
  throw new VarveError('INVALID_INPUT', 'The memories of one call belong to one scope.');
}

/** A failure of one item leaves the others alone; any other failure fails the whole call. */
async function outcomeOf<T>(write: () => Promise<T>): Promise<ItemOutcome<T>> {
  try {
    return { ok: true, outcome: await write() };
  } catch (error) {
    if (!(error instanceof VarveError) || !ITEM_FAILURES.has(error.code)) throw error;
    return { ok: false, error };
  }
}

/** Errors of an item, and not of the store. */
const ITEM_FAILURES: ReadonlySet<string> = new Set([
  'CONFLICT',
  'INVALID_INPUT',
  'MEMORY_NOT_FOUND',
]);

/**
 * Checks that a vector has finite values and a direction.
 * @throws VarveError INVALID_INPUT for a vector that can't be compared with any other
 */
export function requireVector(vector: readonly number[] | null): void {
  if (vector === null) return;
  // The sum of so few floats stays finite if each of them is finite.
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += Math.abs(Math.fround(vector[at] ?? NaN));
  if (Number.isFinite(sum) && sum > 0) return;
  throw new VarveError(
    'INVALID_INPUT',
    'A vector needs finite numbers that are not all zero. Embed the text again.',
    { details: { dimensions: vector.length } },
  );
}

function readsOf(memory: Memory, { isNewId = false }: AddRules): readonly ReadAhead[] {
  const { tenant, layer, scopeId, id, key } = memory;
  return [
    ...(isNewId ? [] : [readAhead(kinds.MEMORIES, [tenant, id])]),
    ...(key === null ? [] : [readAhead(kinds.MEMORY_KEYS, [tenant, layer, scopeId, key])]),
  ];
}

async function addMemory(write: MemoryWrite<AddRules>, memory: Memory): Promise<AddOutcome> {
  const { transaction, digest, rules } = write;
  const { id, tenant } = memory;
  if (rules.isNewId !== true && (await transaction.get(kinds.MEMORIES, [tenant, id])) !== null) {
    throw new VarveError('CONFLICT', `A memory with the id ${id} already exists.`, {
      details: { id },
    });
  }
  const repeated = await repeatedOf(write, memory);
  if (repeated !== null) return addRepeat(write, repeated, memory);
  const keyed = memory.state === 'active' ? await keyedOf(write, memory) : NOT_KEYED;
  const { onto, ends, until } = keyedAddition(keyed, memory, rules);
  if (onto !== null) return addToHolder(write, onto, memory);
  const noted = until === null ? null : await notedBefore(write, until, memory);
  if (noted !== null) {
    return {
      record: memoryOf(noted),
      scope: applyToScope(write, memory, null),
      deduplicated: true,
    };
  }
  for (const held of [keyed.holds, keyed.toCome]) {
    if (held !== null && !isLive(held, rules.now)) await endExpired(write, held, id);
  }
  const linked = await withMentions(write, memory);
  const record = until === null ? linked : { ...linked, ...endBy(memory, until, rules.now) };
  const others = [...(ends === null ? [] : [ends.id]), ...(rules.supersedes ?? [])];
  const stored = storedMemory(record, { ...rules, supersedes: others });
  putMemory(write, stored, ends?.key);
  if (until !== null) await noteEnded(write, until, [record]);
  const scope = applyToScope(write, memory, additionOf(digest, stored));
  const ended = await endOthers(write, others, record);
  const restored = await restoreEnded(write, memory);
  return { record, scope: restored ?? ended ?? scope, deduplicated: false };
}

/** Returns the earlier value that is noted with the same text and time; null without one. */
async function notedBefore(
  write: MemoryWrite,
  until: kinds.StoredMemory,
  { contentHash, validFrom }: Memory,
): Promise<kinds.StoredMemory | null> {
  const ended = await endedOf(write, until);
  const same = (each: kinds.StoredMemory) =>
    each.contentHash === contentHash && each.validFrom === validFrom;
  return ended.find(same) ?? null;
}

/** Returns the memory that the added one only repeats; null if that is gone, or not asked for. */
async function repeatedOf(
  { transaction, rules: { repeats } }: MemoryWrite<AddRules>,
  memory: Memory,
): Promise<kinds.StoredMemory | null> {
  if (repeats === undefined) return null;
  const known = await transaction.get(kinds.MEMORIES, [memory.tenant, repeats]);
  return known === null || scopeKey(known) !== scopeKey(memory) ? null : known;
}

/** Keeps a repeat behind the memory that says it already, unless that has too many. */
async function addRepeat(
  write: MemoryWrite<AddRules>,
  known: kinds.StoredMemory,
  memory: Memory,
): Promise<AddOutcome> {
  const scope = applyToScope(write, memory, null);
  if ((known.ended ?? []).length >= ENDED_MAX) {
    return { record: memoryOf(known), scope, deduplicated: true };
  }
  const end = { state: 'superseded', validTo: memory.validFrom, supersededBy: known.id } as const;
  const record: Memory = { ...memory, ...end, isRepeat: true };
  putMemory(write, storedMemory(record, write.rules));
  await noteEnded(write, known, [record]);
  return { record, scope, deduplicated: false };
}

/** A key belongs to one live memory; the rules decide what happens to that memory. */
async function addToHolder(
  write: MemoryWrite<AddRules>,
  holder: kinds.StoredMemory,
  memory: Memory,
): Promise<AddOutcome> {
  const { onKey, now, supersedes = [] } = write.rules;
  if (isSameValue(holder, memory, write.rules)) return unite(write, holder, memory);
  if (onKey !== 'Update' || !isLive(memory, now)) throw keyTaken(holder);
  const { content, contentHash, tokenCount, vector, embeddingGeneration, validFrom } = memory;
  const { trust, origin, expiresAt, metadata } = memory;
  // A value to come has the day that its caller gave, by the clock that the caller gave.
  const clock = isToCome(memory, now) ? { utcOffset: memory.utcOffset ?? 0 } : {};
  const text = { content, contentHash, tokenCount, vector, embeddingGeneration, validFrom };
  const tags = mergedTags(holder.tags, memory.tags);
  // The memory becomes the statement of its last writer, with that writer's trust.
  const after: kinds.StoredMemory = {
    ...patchedMemory(holder, { content: text, tags, metadata }, now),
    ...clock,
    trust,
    origin,
    expiresAt,
    vectors: vectorsOf(memory),
    ...endedBy(holder.ended ?? [], supersedes),
  };
  requireMetadata(after.metadata);
  const { record, scope } = await changeTo(write, holder, after);
  const ended = await endOthers(write, supersedes, record);
  // One that had planned its end may have ended itself.
  const left = await write.transaction.get(kinds.MEMORIES, [holder.tenant, holder.id]);
  return { record: memoryOf(left ?? after), scope: ended ?? scope, deduplicated: false };
}

async function unite(
  write: MemoryWrite<AddRules>,
  holder: kinds.StoredMemory,
  memory: Memory,
): Promise<AddOutcome> {
  const { transaction, digest, rules } = write;
  const { now, isSaidAgain = false } = rules;
  const after = repeatedMemory(holder, memory, { now, isSaidAgain });
  if (after === holder) {
    return {
      record: memoryOf(holder),
      scope: applyToScope(write, holder, null),
      deduplicated: true,
    };
  }
  requireMetadata(after.metadata);
  changeMemory(write, { action: 'United', before: holder, after });
  const counted = isCounted(holder, transaction.record);
  const sides = { before: { ...holder, counted }, after: { ...after, counted } };
  const scope = applyToScope(write, after, replacementOf(digest, sides, null));
  const moved = await moveEnds(write, holder, after);
  return { record: memoryOf(after), scope: moved ?? scope, deduplicated: true };
}

async function updateMemory(
  write: MemoryWrite,
  key: MemoryId,
  patch: MemoryPatch,
): Promise<WriteOutcome<Memory>> {
  const { transaction, rules } = write;
  const before = await transaction.get(kinds.MEMORIES, [key.tenant, key.id]);
  if (before === null) throw memoryNotFound(key.id);
  requireVersion(before, patch);
  const patched = patchedMemory(before, patch, rules.now);
  if (patched === before)
    return { record: memoryOf(before), scope: applyToScope(write, before, null) };
  // Stored metadata may exceed a limit; the other fields can be changed anyway.
  if (patch.metadata !== undefined) requireMetadata(patched.metadata);
  const after: kinds.StoredMemory = {
    ...patched,
    // A change before its day names no other day.
    ...(isToCome(before, rules.now) ? { validFrom: before.validFrom } : {}),
    key: patch.content === undefined ? before.key : keyAfter(before, patch.content.contentHash),
    vectors: patch.content === undefined ? before.vectors : vectorsOf(patch.content),
  };
  if (after.key !== before.key) await takeKey(write, before, after);
  // What others have said is no longer what it says.
  if (after.contentHash !== before.contentHash) await deleteRepeats(write, before);
  return changeTo(write, before, after);
}

/** New content removes what rests on the old content from every answer. */
async function changeTo(
  write: MemoryWrite,
  before: kinds.StoredMemory,
  changed: kinds.StoredMemory,
): Promise<WriteOutcome<Memory>> {
  const { transaction, digest } = write;
  // However many words stayed the same: a corrected value may be one word of a sentence.
  const isChanged = before.contentHash !== changed.contentHash;
  if (isChanged) await removeMentions(write, before);
  const { mentions: _, mentionedBy: __, ...unlinked } = changed;
  const after = isChanged ? unlinked : changed;
  changeMemory(write, { action: 'Updated', before, after });
  const dropped = isChanged ? await droppedSource(transaction, before, 'SourceReplaced') : null;
  const counted = isCounted(before, transaction.record);
  const sides = { before: { ...before, counted }, after: { ...after, counted } };
  const scope = applyToScope(write, after, replacementOf(digest, sides, dropped));
  return { record: memoryOf(after), scope: (await moveEnds(write, before, after)) ?? scope };
}

async function deleteMemory(
  write: MemoryWrite<DeleteRules>,
  { tenant, id }: MemoryId,
): Promise<WriteOutcome<Memory> | null> {
  const { transaction, digest, rules } = write;
  const before = await transaction.get(kinds.MEMORIES, [tenant, id]);
  if (before === null) return null;
  transaction.delete(kinds.MEMORIES, [tenant, id]);
  await removeMentions(write, before);
  transaction.put(kinds.MEMORY_CHANGES, firstChange(before, before.historyStart));
  transaction.put(
    kinds.MEMORY_CHANGES,
    memoryChange({ action: 'Deleted', before: withoutVector(before), after: null }, rules),
  );
  await freeKey(write, before);
  const dropped = await droppedSource(transaction, before, 'SourceDeleted');
  const counted = isCounted(before, transaction.record);
  const scope = applyToScope(write, before, removalOf(digest, { ...before, counted }, dropped));
  const heir = rules.isSourceGone === true ? await heirOf(write, before) : null;
  if (heir !== null) {
    return { record: memoryOf(before), scope: await takePlace(write, before, heir) };
  }
  const alone = await deleteRepeats(write, before);
  const by = before.supersededBy;
  const successor = by === null ? null : await transaction.get(kinds.MEMORIES, [tenant, by]);
  const restored = await passOnEnded(write, before, successor);
  if (successor !== null && successor.key === before.key) await giveKey(write, successor);
  return { record: memoryOf(before), scope: restored ?? alone ?? scope };
}

/** Deletes what only repeats a memory. Returns the scope afterwards; null if nothing does. */
async function deleteRepeats(
  write: MemoryWrite,
  memory: kinds.StoredMemory,
): Promise<ScopeRecord | null> {
  let scope: ScopeRecord | null = null;
  for (const repeat of await repeatsOf(write, memory)) {
    scope = (await deleteMemory(write, repeat))?.scope ?? scope;
  }
  return scope;
}

/**
 * Returns the changes of a memory, newest first; an existing memory itself has its first change.
 */
async function historyOf(
  driver: Driver,
  { tenant, id }: MemoryId,
  { beforeVersion, limit }: Parameters<MemoryRecords['history']>[1],
): Promise<readonly MemoryChange[]> {
  // Read first, since a deletion in between writes the entry to the history.
  const memory = await driver.get(kinds.MEMORIES, [tenant, id]);
  const before = beforeVersion ?? kinds.NEVER;
  const found = await driver.scan(kinds.MEMORY_CHANGES, {
    where: [...equal({ tenant, memoryId: id }), ['version', '<', before]],
    descending: true,
    limit,
  });
  if (memory === null || memory.historyStart.version >= before) return found;
  const { historyStart: start } = memory;
  // A deleted memory of the same id may have left an entry with that version.
  const others = found.filter(({ version }) => version !== start.version);
  const changes = [...others, firstChange(memory, start)];
  return changes.toSorted((a, b) => b.version - a.version).slice(0, limit);
}

function requireVersion(
  { id, version }: kinds.StoredMemory,
  { expectedVersion }: Pick<MemoryPatch, 'expectedVersion'>,
): void {
  if (expectedVersion === undefined || expectedVersion === version) return;
  throw new VarveError(
    'CONFLICT',
    `The memory is at version ${version}, not ${expectedVersion}; read it again.`,
    { details: { id, version, expectedVersion } },
  );
}
