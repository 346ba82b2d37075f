/** Adding a memory, which may take the key of one that ended by itself. */
import { VarveError } from '#core/errors.ts';
import { isLive } from '#core/memory-state.ts';
import type { WriteOutcome, WriteRules } from '#core/ports/store.ts';
import type { Memory } from '#core/records/memory.ts';

import {
  decodeMemory,
  encodeMemory,
  memoryId,
  slotOf,
  stateOf,
  unchanged,
  type MemoryDocument,
} from './memory-document.ts';
import { crowded, intentOf, WRITE_TRIES_MAX, type MemoryTables } from './memory-write.ts';
import { scopeOrEmpty, type WriteIntent, type Yielded } from './scope-document.ts';
import { byId } from './table.ts';
import { announce, conclude, finishOlder } from './write-intent.ts';

/** What stands in the way of the new memory, or yields to it. */
interface Place {
  /** The mark of a deleted memory that had the id. */
  readonly mark: MemoryDocument | null;
  /** The memory that had the key and ended by itself. */
  readonly holder: { readonly document: MemoryDocument; readonly memory: Memory } | null;
}

/** @throws VarveError CONFLICT with the id of the live memory that has its id or key */
export async function addMemory(
  tables: MemoryTables,
  memory: Memory,
  rules: WriteRules,
): Promise<WriteOutcome<Memory>> {
  for (let tries = 0; tries < WRITE_TRIES_MAX; tries += 1) {
    const place = await findPlace(tables, memory, rules);
    const counted = isLive(memory, rules.now);
    const outcome =
      counted || place.holder !== null
        ? await addAnnounced(tables, { memory, place, counted }, rules)
        : await addUnseen(tables, memory, place);
    if (outcome !== null) return outcome;
  }
  throw crowded(memory);
}

/** Puts the memory that yielded its key back to what it was, for an addition that never came. */
export async function takeBack(
  { memories }: Pick<MemoryTables, 'memories'>,
  tenant: string,
  { token, of }: WriteIntent,
): Promise<void> {
  if (of.kind !== 'Memory' || of.yielded === null) return;
  const { state, before } = of.yielded;
  await memories.update({ ...byId(memoryId(tenant, state.id)), token }, { $set: before });
}

async function findPlace(
  { memories }: MemoryTables,
  memory: Memory,
  { now }: WriteRules,
): Promise<Place> {
  const { tenant, id } = memory;
  const mark = await memories.first(byId(memoryId(tenant, id)));
  if (mark !== null && mark.record !== null) {
    throw new VarveError('CONFLICT', 'There is a memory with this id.', { details: { id } });
  }
  if (memory.key === null || memory.state !== 'active') return { mark, holder: null };
  const document = await memories.first({ '_id.tenant': tenant, slot: slotOf(memory) });
  const held = document === null ? null : decodeMemory(document);
  if (document === null || held === null) return { mark, holder: null };
  if (isLive(held, now)) {
    throw new VarveError('CONFLICT', 'The scope has a memory with this key.', {
      details: { id: held.id },
    });
  }
  return { mark, holder: { document, memory: held } };
}

/** A memory that is no source: its scope has nothing to hear. */
async function addUnseen(
  tables: MemoryTables,
  memory: Memory,
  { mark }: Place,
): Promise<WriteOutcome<Memory> | null> {
  const document = encodeMemory(memory, { token: tables.newId(), counted: false });
  if (!(await insert(tables, document, mark))) return null;
  return { record: memory, scope: await scopeOrEmpty(tables.scopes, memory) };
}

/** Null where somebody else took the id or the key in between. */
async function addAnnounced(
  tables: MemoryTables,
  { memory, place, counted }: { memory: Memory; place: Place; counted: boolean },
  rules: WriteRules,
): Promise<WriteOutcome<Memory> | null> {
  const { mark, holder } = place;
  const intent = intentOf(
    memory,
    {
      before: null,
      after: stateOf(memory, counted),
      drops: null,
      yielded: holder === null ? null : yieldedOf(holder),
    },
    { token: tables.newId(), rules },
  );
  const announced = await announce(tables, memory, intent);
  const tokens = [mark?.token, holder?.document.token].filter((token) => token !== undefined);
  await finishOlder(tables, announced, tokens);
  const { token } = intent;
  const document = encodeMemory(memory, { token, counted });
  const written =
    (await supersede(tables, { holder, by: memory.id, token }, rules)) &&
    (await insert(tables, document, mark));
  if (!written) await takeBack(tables, memory.tenant, intent);
  const verdict = written ? 'Happened' : 'DidNot';
  const scope = await conclude(tables, memory, { token, verdict });
  return written ? { record: memory, scope } : null;
}

async function insert(
  { memories }: MemoryTables,
  document: MemoryDocument,
  mark: MemoryDocument | null,
): Promise<boolean> {
  return mark === null ? memories.insert(document) : memories.replace(unchanged(mark), document);
}

async function supersede(
  { memories }: MemoryTables,
  { holder, by, token }: { holder: Place['holder']; by: string; token: string },
  { now }: WriteRules,
): Promise<boolean> {
  if (holder === null) return true;
  const { memory, document } = holder;
  const next: Memory = {
    ...memory,
    state: 'superseded',
    supersededBy: by,
    version: memory.version + 1,
    updatedAt: now,
  };
  const after = encodeMemory(next, { token, counted: false });
  return memories.replace(unchanged(document), after);
}

/** What superseding changes, as it was before. */
function yieldedOf({ document, memory }: NonNullable<Place['holder']>): Yielded {
  const { token, slot, state, version, counted } = document;
  const before = {
    'record.state': memory.state,
    'record.supersededBy': memory.supersededBy,
    'record.version': memory.version,
    'record.updatedAt': memory.updatedAt,
    token,
    slot,
    state,
    version,
    counted,
  };
  return { state: stateOf(memory, counted), before };
}
