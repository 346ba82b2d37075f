/** The memory that has a key, which yields it where it ended by itself. */
import { VarveError } from '#core/errors.ts';
import { isLive } from '#core/memory-state.ts';
import type { WriteRules } from '#core/ports/write-rules.ts';
import type { Memory } from '#core/records/memory.ts';

import {
  decodeMemory,
  encodeMemory,
  memoryId,
  slotOf,
  stateOf,
  unchanged,
  type MemoryDocument,
  type MemoryDocuments,
} from './memory-document.ts';
import { changeOf, keepChanges } from './memory-history.ts';
import type { MemoryTables } from './memory-write.ts';
import type { WriteIntent, Yielded } from './scope-document.ts';
import { byId } from './table.ts';

export interface Holder {
  readonly document: MemoryDocument;
  readonly memory: Memory;
}

/** Who has the key that a memory is to have; null where nobody else has. */
export async function holderOf(
  { memories }: { readonly memories: MemoryDocuments },
  memory: Memory,
): Promise<Holder | null> {
  if (memory.key === null || memory.state !== 'active') return null;
  const slot = slotOf(memory);
  const document = await memories.first({ '_id.tenant': memory.tenant, slot });
  const held = document === null ? null : decodeMemory(document);
  if (document === null || held === null || held.id === memory.id) return null;
  return { document, memory: held };
}

/** @throws VarveError CONFLICT with the id of a holder that is live */
export function requireEnded(holder: Holder | null, now: number): void {
  if (holder === null || !isLive(holder.memory, now)) return;
  throw new VarveError('CONFLICT', 'The scope has a memory with this key.', {
    details: { id: holder.memory.id },
  });
}

/** Takes the key from its holder; false where somebody changed the holder in between. */
export async function supersede(
  tables: MemoryTables,
  { holder, by, token }: { holder: Holder | null; by: string; token: string },
  rules: WriteRules,
): Promise<boolean> {
  if (holder === null) return true;
  const { memory, document } = holder;
  const next: Memory = {
    ...memory,
    state: 'superseded',
    supersededBy: by,
    version: memory.version + 1,
    updatedAt: rules.now,
  };
  await keepChanges(tables, [document]);
  const change = changeOf({ action: 'Superseded', before: memory, after: next }, rules);
  const { analyzer, vectorForm } = tables;
  const written = { token, counted: false, change, analyzer, vectorForm };
  const after = encodeMemory(next, { ...written, kept: document });
  return tables.memories.replace(unchanged(document), after);
}

/** What superseding changes, as it was before. */
export function yieldedOf({ document, memory }: Holder): Yielded {
  const { token, slot, state, version, counted, hiddenAt, change } = document;
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
    hiddenAt,
    change,
  };
  return { state: stateOf(memory, counted), before };
}

/** Puts the memory that yielded its key back to what it was, for a write that never came. */
export async function takeBack(
  { memories }: { readonly memories: MemoryDocuments },
  tenant: string,
  { token, of }: WriteIntent,
): Promise<void> {
  if (of.kind !== 'Memory' || of.yielded === null) return;
  const { state, before } = of.yielded;
  await memories.update({ ...byId(memoryId(tenant, state.id)), token }, { $set: before });
}
