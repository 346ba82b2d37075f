/** Adding a memory, which may take the key of one that ended by itself, or be one that is there. */
import { VarveError } from '#core/errors.ts';
import { unitedTags } from '#core/memory-key.ts';
import { isLive } from '#core/memory-state.ts';
import type { AddOutcome, AddRules } from '#core/ports/write-rules.ts';
import type { Memory } from '#core/records/memory.ts';

import {
  encodeMemory,
  memoryId,
  slotOf,
  stateOf,
  unchanged,
  type MemoryDocument,
} from './memory-document.ts';
import { changeOf, keepChanges } from './memory-history.ts';
import {
  holderOf,
  requireEnded,
  supersede,
  takeBack,
  yieldedOf,
  type Holder,
} from './memory-holder.ts';
import {
  intentOf,
  touchOf,
  untilWritten,
  writeAnnounced,
  type MemoryTables,
} from './memory-write.ts';
import { scopeId, scopeOrEmpty } from './scope-document.ts';
import { byId } from './table.ts';
import { requireVector } from './vectors.ts';

/**
 * @throws VarveError CONFLICT with the id of the live memory that has its id or key, INVALID_INPUT
 * for a vector that no other can be compared with
 */
export async function addMemory(
  tables: MemoryTables,
  memory: Memory,
  rules: AddRules,
): Promise<AddOutcome> {
  if (memory.vector !== null) requireVector(memory.vector);
  const place = `${memory.tenant} ${slotOf(memory)}`;
  return tables.inTurn(place, () => addInTurn(tables, memory, rules));
}

async function addInTurn(
  tables: MemoryTables,
  memory: Memory,
  rules: AddRules,
): Promise<AddOutcome> {
  return untilWritten(memory, async () => {
    const mark = await freeMark(tables, memory);
    const holder = await holderOf(tables, memory);
    const isUnited =
      holder !== null &&
      rules.onKey === 'Unite' &&
      holder.memory.contentHash === memory.contentHash &&
      isLive(holder.memory, rules.now);
    if (isUnited) return unite(tables, { memory, holder }, rules);
    requireEnded(holder, rules.now);
    return tryAdd(tables, { memory, mark, holder }, rules);
  });
}

/** The document of a new memory, as its first write makes it. */
export function newDocument(
  { analyzer, vectorForm }: Pick<MemoryTables, 'analyzer' | 'vectorForm'>,
  { memory, token }: { memory: Memory; token: string },
  rules: AddRules,
): MemoryDocument {
  const change = changeOf({ action: 'Added', before: null, after: memory }, rules);
  const counted = isLive(memory, rules.now);
  return encodeMemory(memory, { token, counted, change, analyzer, vectorForm });
}

/**
 * The mark of a deleted memory that had the id; null where nothing has it.
 * @throws VarveError CONFLICT
 */
async function freeMark(
  { memories }: MemoryTables,
  { tenant, id }: Memory,
): Promise<MemoryDocument | null> {
  const mark = await memories.first(byId(memoryId(tenant, id)));
  if (mark === null || mark.record === null) return mark;
  throw new VarveError('CONFLICT', 'There is a memory with this id.', { details: { id } });
}

interface Place {
  readonly memory: Memory;
  readonly mark: MemoryDocument | null;
  /** The memory that had the key and ended by itself. */
  readonly holder: Holder | null;
}

/** Null where somebody else took the id or the key in between. */
async function tryAdd(
  tables: MemoryTables,
  { memory, mark, holder }: Place,
  rules: AddRules,
): Promise<AddOutcome | null> {
  const token = tables.newId();
  const options = { token, rules };
  const document = newDocument(tables, { memory, token }, rules);
  // A memory that is no source is nothing that its scope's record tells.
  const intent =
    document.counted || holder !== null
      ? intentOf(
          memory,
          {
            before: null,
            after: stateOf(memory, document.counted),
            drops: null,
            yielded: holder === null ? null : yieldedOf(holder),
          },
          options,
        )
      : touchOf({ ids: [memory.id] }, options);
  const overwritten = [mark?.token, holder?.document.token].filter((each) => each !== undefined);
  if (mark !== null) await keepChanges(tables, [mark]);
  const announced = { scope: scopeId(memory), intent, tokens: overwritten };
  const scope = await writeAnnounced(tables, announced, async () => {
    const written =
      (await supersede(tables, { holder, by: memory.id, token }, rules)) &&
      (await insert(tables, document, mark));
    if (!written) await takeBack(tables, memory.tenant, intent);
    return written;
  });
  return scope === null ? null : { record: memory, scope, deduplicated: false };
}

async function insert(
  { memories }: MemoryTables,
  document: MemoryDocument,
  mark: MemoryDocument | null,
): Promise<boolean> {
  return mark === null ? memories.insert(document) : memories.replace(unchanged(mark), document);
}

/** Null where somebody changed the holder in between. */
async function unite(
  tables: MemoryTables,
  { memory, holder }: { memory: Memory; holder: Holder },
  rules: AddRules,
): Promise<AddOutcome | null> {
  const { memory: held, document } = holder;
  const tags = unitedTags(held.tags, memory.tags);
  if (tags.every((tag) => held.tags.includes(tag))) {
    const scope = await scopeOrEmpty(tables.scopes, held);
    return { record: held, scope, deduplicated: true };
  }
  const { now } = rules;
  const record: Memory = { ...held, tags, version: held.version + 1, updatedAt: now };
  const token = tables.newId();
  const intent = touchOf({ ids: [held.id] }, { token, rules });
  const announced = { scope: scopeId(held), intent, tokens: [document.token] };
  const change = changeOf({ action: 'United', before: held, after: record }, rules);
  const { counted } = document;
  const { analyzer, vectorForm } = tables;
  const written = { token, counted, change, analyzer, vectorForm };
  const next = encodeMemory(record, { ...written, kept: document });
  await keepChanges(tables, [document]);
  const scope = await writeAnnounced(tables, announced, () =>
    tables.memories.replace(unchanged(document), next),
  );
  return scope === null ? null : { record, scope, deduplicated: true };
}
