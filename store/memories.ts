/**
 * Memories: one commit of the scope writes a memory with its history, its key and its effect on the
 * scope.
 */
import { VarveError } from '#core/errors.ts';
import { memoryNotFound } from '#core/memory-not-found.ts';
import type { Digest } from '#core/hash.ts';
import {
  firstChange,
  historyStart,
  memoryChange,
  type MemoryStep,
} from '#core/sources/memory-history.ts';
import { keyAfter, mergedTags } from '#core/sources/memory-key.ts';
import { requireMetadata } from '#core/sources/metadata-limits.ts';
import { expiryOf, isLive, patchedMemory } from '#core/sources/memory-lifecycle.ts';
import { repeatedMemory } from '#core/sources/repeated-memory.ts';
import type { MemoryRecords } from '#core/ports/memory-records.ts';
import {
  BULK_CHUNK_MAX,
  type AddOutcome,
  type AddRules,
  type ItemOutcome,
  type WriteOutcome,
  type WriteRules,
} from '#core/ports/write-rules-and-outcomes.ts';
import type { MemoryChange, Memory, MemoryPatch } from '#core/records/memory.ts';
import type { DroppedSource, ScopeRecord } from '#core/records/scope-record.ts';
import type { Scope } from '#core/scope.ts';
import { scopeKey } from '#core/scope-key.ts';
import {
  additionOf,
  removalOf,
  replacementOf,
  type ScopeChange,
} from '#core/sources/source-change.ts';
import { equal, type Driver } from './driver-port.ts';
import {
  MEMORIES,
  MEMORY_CHANGES,
  MEMORY_KEYS,
  NEVER,
  scopeKeyOf,
  SCOPES,
  type StoredMemory,
  type StoredScope,
} from './record-kinds-and-indexes.ts';
import type { MemorySearch } from './memory-search.ts';
import type { StoreParts } from './store-parts.ts';
import { changeScope } from './scopes.ts';
import { citedSources } from './summaries-and-segments.ts';
import {
  readAhead,
  type AnchoredWrite,
  type ReadAhead,
  type Transaction,
} from './retry-concurrent-writes.ts';

/** Maximum memories that one memory is recorded to have ended. */
const ENDED_MAX = 100;

interface MemoryId {
  readonly tenant: string;
  readonly id: string;
}

/** One write of a memory, within the transaction of its scope. */
interface MemoryWrite<R extends WriteRules = WriteRules> {
  readonly transaction: Transaction<StoredScope>;
  readonly digest: Digest;
  readonly rules: R;
}

export function memoryRecords(
  parts: StoreParts,
  digest: Digest,
  search: MemorySearch,
): MemoryRecords {
  const { driver, writes } = parts;
  // Only finds the scope, which a memory never changes; everything else may be outdated.
  const found = ({ tenant, id }: MemoryId) => driver.get(MEMORIES, [tenant, id]);
  const add = (memory: Memory, rules: AddRules): Promise<AddOutcome> =>
    writes.run(SCOPES, scopeKeyOf(memory), {
      reads: readsOf(memory, rules),
      run: (transaction) => addMemory({ transaction, digest, rules }, memory),
    });
  const remove = async (scope: Scope | null, key: MemoryId, rules: WriteRules) => {
    if (scope === null) return null;
    const run = operationOn(key, (transaction) =>
      deleteMemory({ transaction, digest, rules }, key),
    );
    return writes.run(SCOPES, scopeKeyOf(scope), run);
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
      return writes.run(SCOPES, scopeKeyOf(scope), run);
    },
    delete: async (key, rules) => remove(await found(key), key, rules),
    async deleteMany(keys, rules) {
      requireChunk(keys);
      const ids = keys.map(({ tenant, id }) => [tenant, id]);
      const scopes = await driver.getMany(MEMORIES, ids);
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

/** Returns the memory as callers see it, with its own vector. */
export function memoryOf(stored: StoredMemory): Memory {
  const own = stored.vectors?.find(({ generation }) => generation === stored.embeddingGeneration);
  return { ...withoutVector(stored), vector: own === undefined ? null : [...own.vector] };
}

/**
 * An operation on a memory. The memory is read together with those of other operations in the
 * commit.
 */
function operationOn<T>(
  { tenant, id }: MemoryId,
  run: AnchoredWrite<StoredScope, T>['run'],
): AnchoredWrite<StoredScope, T> {
  return { reads: [readAhead(MEMORIES, [tenant, id])], run };
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
    ...(isNewId ? [] : [readAhead(MEMORIES, [tenant, id])]),
    ...(key === null ? [] : [readAhead(MEMORY_KEYS, [tenant, layer, scopeId, key])]),
  ];
}

async function addMemory(write: MemoryWrite<AddRules>, memory: Memory): Promise<AddOutcome> {
  const { transaction, digest, rules } = write;
  const { id, tenant } = memory;
  if (rules.isNewId !== true && (await transaction.get(MEMORIES, [tenant, id])) !== null) {
    throw new VarveError('CONFLICT', `A memory with the id ${id} already exists.`, {
      details: { id },
    });
  }
  const holder = memory.state === 'active' ? await holderOf(transaction, memory) : null;
  const isReplaced = holder !== null && rules.supersedes?.includes(holder.id) === true;
  if (holder !== null && !isReplaced && isLive(holder, rules.now)) {
    return addToHolder(write, holder, memory);
  }
  const until = isReplaced ? { validTo: memory.validFrom } : {};
  if (holder !== null) await supersede(write, holder, { id, ...until });
  const stored = storedMemory(memory, rules);
  putMemory(write, stored);
  const scope = fold(write, memory, additionOf(digest, stored));
  return { record: memory, scope: (await endOthers(write, memory)) ?? scope, deduplicated: false };
}

/**
 * Ends the memories that the rules name, in favor of a new one. Returns the scope afterwards; null
 * if nothing ended.
 */
async function endOthers(write: MemoryWrite<AddRules>, by: Memory): Promise<ScopeRecord | null> {
  let scope: ScopeRecord | null = null;
  for (const ended of write.rules.supersedes ?? []) {
    scope = (await supersedeNamed(write, ended, by)) ?? scope;
  }
  return scope;
}

/** Supersedes a memory that no longer holds. Returns null if it does not exist or already ended. */
async function supersedeNamed(
  write: MemoryWrite,
  id: string,
  by: Memory,
): Promise<ScopeRecord | null> {
  const holder = await write.transaction.get(MEMORIES, [by.tenant, id]);
  if (holder === null || holder.id === by.id || scopeKey(holder) !== scopeKey(by)) return null;
  if (!isLive(holder, write.rules.now)) return null;
  if (holder.key !== null && holder.key !== by.key) freeKey(write.transaction, holder);
  return supersede(write, holder, { id: by.id, validTo: by.validFrom });
}

/** A key belongs to one live memory; the rules decide what happens to that memory. */
async function addToHolder(
  write: MemoryWrite<AddRules>,
  holder: StoredMemory,
  memory: Memory,
): Promise<AddOutcome> {
  const { onKey, now } = write.rules;
  const isSame = holder.contentHash === memory.contentHash;
  if (isSame && (onKey === 'Unite' || onKey === 'Update')) return unite(write, holder, memory);
  if (onKey !== 'Update' || !isLive(memory, now)) throw keyTaken(holder);
  const { content, contentHash, tokenCount, vector, embeddingGeneration, validFrom } = memory;
  const { trust, origin, expiresAt, metadata } = memory;
  const text = { content, contentHash, tokenCount, vector, embeddingGeneration, validFrom };
  const tags = mergedTags(holder.tags, memory.tags);
  // The memory becomes the statement of its last writer, with that writer's trust.
  const after: StoredMemory = {
    ...patchedMemory(holder, { content: text, tags, metadata }, now),
    trust,
    origin,
    expiresAt,
    vectors: vectorsOf(memory),
    ...endedBy(holder.ended ?? [], write.rules.supersedes),
  };
  requireMetadata(after.metadata);
  const { record, scope } = await changeTo(write, holder, after);
  return { record, scope: (await endOthers(write, record)) ?? scope, deduplicated: false };
}

function unite(write: MemoryWrite<AddRules>, holder: StoredMemory, memory: Memory): AddOutcome {
  const { transaction, digest, rules } = write;
  const { now, isSaidAgain = false } = rules;
  const after = repeatedMemory(holder, memory, { now, isSaidAgain });
  if (after === holder) {
    return { record: memoryOf(holder), scope: fold(write, holder, null), deduplicated: true };
  }
  requireMetadata(after.metadata);
  changeMemory(write, { action: 'United', before: holder, after });
  const counted = isCounted(holder, transaction.record);
  const sides = { before: { ...holder, counted }, after: { ...after, counted } };
  const scope = fold(write, after, replacementOf(digest, sides, null));
  return { record: memoryOf(after), scope, deduplicated: true };
}

async function updateMemory(
  write: MemoryWrite,
  key: MemoryId,
  patch: MemoryPatch,
): Promise<WriteOutcome<Memory>> {
  const { transaction, rules } = write;
  const before = await transaction.get(MEMORIES, [key.tenant, key.id]);
  if (before === null) throw memoryNotFound(key.id);
  requireVersion(before, patch);
  const patched = patchedMemory(before, patch, rules.now);
  // Stored metadata may exceed a limit; the other fields can be changed anyway.
  if (patch.metadata !== undefined) requireMetadata(patched.metadata);
  const after: StoredMemory = {
    ...patched,
    key: patch.content === undefined ? before.key : keyAfter(before, patch.content.contentHash),
    vectors: patch.content === undefined ? before.vectors : vectorsOf(patch.content),
  };
  if (after.key !== before.key) await takeKey(write, before, after);
  return changeTo(write, before, after);
}

/** New content removes what rests on the old content from every answer. */
async function changeTo(
  write: MemoryWrite,
  before: StoredMemory,
  after: StoredMemory,
): Promise<WriteOutcome<Memory>> {
  const { transaction, digest } = write;
  changeMemory(write, { action: 'Updated', before, after });
  // However many words stayed the same: a corrected value may be one word of a sentence.
  const isChanged = before.contentHash !== after.contentHash;
  const dropped = isChanged ? await droppedSource(transaction, before, 'SourceReplaced') : null;
  const counted = isCounted(before, transaction.record);
  const sides = { before: { ...before, counted }, after: { ...after, counted } };
  const scope = fold(write, after, replacementOf(digest, sides, dropped));
  return { record: memoryOf(after), scope };
}

async function deleteMemory(
  write: MemoryWrite,
  { tenant, id }: MemoryId,
): Promise<WriteOutcome<Memory> | null> {
  const { transaction, digest, rules } = write;
  const before = await transaction.get(MEMORIES, [tenant, id]);
  if (before === null) return null;
  transaction.delete(MEMORIES, [tenant, id]);
  transaction.put(MEMORY_CHANGES, firstChange(before, before.historyStart));
  transaction.put(
    MEMORY_CHANGES,
    memoryChange({ action: 'Deleted', before: withoutVector(before), after: null }, rules),
  );
  if (before.key !== null && before.state === 'active') freeKey(transaction, before);
  const dropped = await droppedSource(transaction, before, 'SourceDeleted');
  const counted = isCounted(before, transaction.record);
  const scope = fold(write, before, removalOf(digest, { ...before, counted }, dropped));
  return { record: memoryOf(before), scope: (await endedNoMore(write, before)) ?? scope };
}

/**
 * Restores what only a deleted memory had ended. If another memory had ended the deleted one, what
 * the deleted one had ended is now ended by the other. Returns the scope afterwards; null if
 * nothing was restored.
 */
async function endedNoMore(
  write: MemoryWrite,
  { tenant, id, ended = [], supersededBy }: StoredMemory,
): Promise<ScopeRecord | null> {
  const { get } = write.transaction;
  const found = await Promise.all(ended.map((each) => get(MEMORIES, [tenant, each])));
  const olders = found.flatMap((older) => (older?.supersededBy === id ? [older] : []));
  const successor = supersededBy === null ? null : await get(MEMORIES, [tenant, supersededBy]);
  if (successor === null) {
    let scope: ScopeRecord | null = null;
    for (const older of olders) scope = await restore(write, older);
    return scope;
  }
  for (const before of olders) {
    const after = { ...before, ...nextVersion(before, write.rules), supersededBy };
    changeMemory(write, { action: 'Superseded', before, after });
  }
  const ids = olders.map((older) => older.id);
  write.transaction.put(MEMORIES, { ...successor, ...endedBy(successor.ended ?? [], ids) });
  return null;
}

/** Restores a memory with its key, unless another memory took the key meanwhile. */
async function restore(write: MemoryWrite, before: StoredMemory): Promise<ScopeRecord> {
  const { rules, digest, transaction } = write;
  const whole = { ...before, state: 'active', supersededBy: null, validTo: null } as const;
  const holder = await holderOf(transaction, before);
  const after: StoredMemory = {
    ...whole,
    ...nextVersion(before, rules),
    key: holder === null ? before.key : null,
    counted: isLive(whole, rules.now),
  };
  changeMemory(write, { action: 'Restored', before, after });
  return fold(write, after, additionOf(digest, after));
}

function nextVersion(
  { version }: StoredMemory,
  { now }: WriteRules,
): Pick<StoredMemory, 'version' | 'updatedAt'> {
  return { version: version + 1, updatedAt: now };
}

/** Writes an existing memory, and the step that its history records. */
function changeMemory(
  write: MemoryWrite,
  step: { action: MemoryStep['action']; before: StoredMemory; after: StoredMemory },
): void {
  const [before, after] = [withoutVector(step.before), withoutVector(step.after)];
  const change = memoryChange({ action: step.action, before, after }, write.rules);
  write.transaction.put(MEMORY_CHANGES, change);
  const { key, state } = step.before;
  putMemory(write, step.after, state === 'active' ? key : null);
}

/** Writes a memory and, if it is active, its key, unless it already had that key. */
function putMemory(
  { transaction }: MemoryWrite,
  memory: StoredMemory,
  keyBefore: Memory['key'] = null,
): void {
  transaction.put(MEMORIES, memory);
  const { tenant, layer, scopeId, key, id, state } = memory;
  if (key === null || state !== 'active' || key === keyBefore) return;
  transaction.put(MEMORY_KEYS, { tenant, layer, scopeId, key, id });
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
  const memory = await driver.get(MEMORIES, [tenant, id]);
  const before = beforeVersion ?? NEVER;
  const found = await driver.scan(MEMORY_CHANGES, {
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

/**
 * Returns a memory without its vectors, which follow from the content, and the store's own fields.
 */
export function withoutVector(
  stored: Omit<StoredMemory, 'vectors'> & Partial<StoredMemory>,
): Omit<Memory, 'vector'> {
  const { counted: _, historyStart: __, ended: ___, vectors: ____, ...memory } = stored;
  return memory;
}

function storedMemory(memory: Memory, rules: AddRules): StoredMemory {
  const { vector: _, ...rest } = memory;
  const counted = isLive(memory, rules.now);
  const start = historyStart(memory, rules);
  const stored = { ...rest, counted, historyStart: start, vectors: vectorsOf(memory) };
  return { ...stored, ...endedBy([], rules.supersedes) };
}

/** A memory that ends nothing keeps no list. */
function endedBy(
  before: readonly string[],
  more: readonly string[] = [],
): Pick<StoredMemory, 'ended'> {
  const ended = [...new Set([...before, ...more])].slice(-ENDED_MAX);
  return ended.length === 0 ? {} : { ended };
}

/** Empty if the memory has no vector, or no generation to compare it in. */
function vectorsOf({
  vector,
  embeddingGeneration,
}: Pick<Memory, 'vector' | 'embeddingGeneration'>): StoredMemory['vectors'] {
  if (vector === null || embeddingGeneration === null) return [];
  return [{ generation: embeddingGeneration, vector }];
}

/** A source that ended before its scope was recounted is no longer in any hash. */
function isCounted(memory: StoredMemory, scope: StoredScope | null): boolean {
  return memory.counted && (expiryOf(memory) ?? NEVER) >= (scope?.forgottenBefore ?? 0);
}

/**
 * Returns the memory that has a key of the scope. Only an active memory has one; it may have
 * expired.
 */
async function holderOf(
  { get }: Transaction<StoredScope>,
  { tenant, layer, scopeId, key }: Pick<Memory, 'tenant' | 'layer' | 'scopeId' | 'key'>,
): Promise<StoredMemory | null> {
  if (key === null) return null;
  const found = await get(MEMORY_KEYS, [tenant, layer, scopeId, key]);
  return found === null ? null : get(MEMORIES, [tenant, found.id]);
}

/** Gives a memory its new key. Another memory with that key keeps it while it is live. */
async function takeKey(
  write: MemoryWrite,
  before: StoredMemory,
  after: StoredMemory,
): Promise<void> {
  if (after.state !== 'active') return;
  const { transaction, rules } = write;
  if (before.key !== null) freeKey(transaction, before);
  const holder = await holderOf(transaction, after);
  if (holder === null || holder.id === after.id) return;
  if (isLive(holder, rules.now)) throw keyTaken(holder);
  await supersede(write, holder, { id: after.id });
}

function freeKey(
  { delete: remove }: Transaction<StoredScope>,
  { tenant, layer, scopeId, key }: StoredMemory,
): void {
  if (key !== null) remove(MEMORY_KEYS, [tenant, layer, scopeId, key]);
}

/**
 * Supersedes a memory: an expired holder of a key, or a statement that another one ends. A summary
 * may still cite it, but its sentence must not stand beside its successor's.
 */
async function supersede(
  write: MemoryWrite,
  holder: StoredMemory,
  by: { readonly id: string; readonly validTo?: number },
): Promise<ScopeRecord> {
  const { transaction, digest, rules } = write;
  const dropped = await droppedSource(transaction, holder, 'SourceReplaced');
  const after: StoredMemory = {
    ...holder,
    state: 'superseded',
    supersededBy: by.id,
    validTo: by.validTo ?? holder.validTo,
    counted: false,
    ...nextVersion(holder, rules),
  };
  changeMemory(write, { action: 'Superseded', before: holder, after });
  const counted = isCounted(holder, transaction.record);
  return fold(write, holder, removalOf(digest, { ...holder, counted }, dropped));
}

/** Returns null for a memory that no summary cites. */
async function droppedSource(
  { scan }: Transaction<StoredScope>,
  memory: StoredMemory,
  reason: DroppedSource['reason'],
): Promise<DroppedSource | null> {
  const cited = await citedSources(scan, memory);
  return cited.has(memory.id) ? { id: memory.id, reason } : null;
}

function fold(write: MemoryWrite, scope: Scope, change: ScopeChange | null): ScopeRecord {
  return changeScope(write.transaction, { scope, change }, write.rules);
}

function requireVersion(
  { id, version }: StoredMemory,
  { expectedVersion }: Pick<MemoryPatch, 'expectedVersion'>,
): void {
  if (expectedVersion === undefined || expectedVersion === version) return;
  throw new VarveError(
    'CONFLICT',
    `The memory is at version ${version}, not ${expectedVersion}; read it again.`,
    { details: { id, version, expectedVersion } },
  );
}

function keyTaken({ id }: StoredMemory): VarveError {
  const message =
    `The memory ${id} of the scope has this key and says something else. Update that one by its ` +
    "id, or add with onConflict: 'update'.";
  return new VarveError('CONFLICT', message, { details: { id } });
}
