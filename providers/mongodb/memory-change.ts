/** Changing and deleting a memory. */
import { VarveError } from '#core/errors.ts';
import { keyAfter } from '#core/memory-key.ts';
import { patchedMemory } from '#core/memory-state.ts';
import type { MemoryPatch } from '#core/ports/memory-records.ts';
import type { WriteOutcome, WriteRules } from '#core/ports/write-rules.ts';
import type { Memory } from '#core/records/memory.ts';
import { isReplaced } from '#core/replacement.ts';
import { utf8Bytes } from '#core/text.ts';

import {
  decodeMemory,
  encodeMemory,
  memoryId,
  stateOf,
  unchanged,
  voidOf,
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
import { scopeId, type WriteIntent } from './scope-document.ts';
import { byId } from './table.ts';
import { requireVector } from './vectors.ts';

interface MemoryKey {
  readonly tenant: string;
  readonly id: string;
}

interface Read {
  readonly document: MemoryDocument;
  readonly memory: Memory;
}

/** @throws VarveError MEMORY_NOT_FOUND, CONFLICT, INVALID_INPUT */
export async function updateMemory(
  tables: MemoryTables,
  { key, patch }: { key: MemoryKey; patch: MemoryPatch },
  rules: WriteRules,
): Promise<WriteOutcome<Memory>> {
  const vector = patch.content?.vector ?? null;
  if (vector !== null) requireVector(vector);
  return untilWritten(key, async () => {
    const read = await readMemory(tables, key);
    if (read === null) {
      throw new VarveError('MEMORY_NOT_FOUND', 'There is no such memory.', {
        details: { id: key.id },
      });
    }
    requireVersion(read.memory, patch);
    return tryUpdate(tables, { ...read, patch }, rules);
  });
}

/** Null where there was no such memory. */
export async function deleteMemory(
  tables: MemoryTables,
  key: MemoryKey,
  rules: WriteRules,
): Promise<WriteOutcome<Memory> | null> {
  const { outcome } = await untilWritten(key, async () => {
    const read = await readMemory(tables, key);
    if (read === null) return { outcome: null };
    const deletion = deletionFor(tables, read, rules);
    const { document, memory } = read;
    const { intent, mark } = deletion;
    const announced = { scope: scopeId(memory), intent, tokens: [document.token] };
    await keepChanges(tables, [document]);
    const scope = await writeAnnounced(tables, announced, async () => {
      const written = await tables.memories.replace(unchanged(document), mark);
      if (written) await keepChanges(tables, [mark]);
      return written;
    });
    if (scope === null) return null;
    // Only now: until the scope knows of it, the token is the word that it happened.
    await tables.memories.remove(unchanged(mark));
    return { outcome: { record: memory, scope } };
  });
  return outcome;
}

/** What announces a deletion, and what stays for a moment. */
export function deletionFor(
  { newId }: Pick<MemoryTables, 'newId'>,
  { document, memory }: Read,
  rules: WriteRules,
): { intent: WriteIntent; mark: MemoryDocument } {
  const token = newId();
  const before = stateOf(memory, document.counted);
  const write = { before, after: null, drops: 'SourceDeleted', yielded: null } as const;
  const change = changeOf({ action: 'Deleted', before: memory, after: null }, rules);
  return {
    intent: intentOf(memory, write, { token, rules }),
    mark: voidOf(document, { token, now: rules.now, change }),
  };
}

async function readMemory({ memories }: MemoryTables, key: MemoryKey): Promise<Read | null> {
  const document = await memories.first(byId(memoryId(key.tenant, key.id)));
  const memory = document === null ? null : decodeMemory(document);
  return document === null || memory === null ? null : { document, memory };
}

function requireVersion(memory: Memory, { expectedVersion }: MemoryPatch): void {
  if (expectedVersion === undefined || expectedVersion === memory.version) return;
  throw new VarveError('CONFLICT', 'The memory was changed meanwhile; read it again.', {
    details: { id: memory.id, version: memory.version, expectedVersion },
  });
}

/** Null where somebody changed the memory in between, or took the key that it is to have. */
async function tryUpdate(
  tables: MemoryTables,
  { document, memory, patch }: Read & { patch: MemoryPatch },
  rules: WriteRules,
): Promise<WriteOutcome<Memory> | null> {
  const record = patched(memory, patch, rules.now);
  const holder = record.key === memory.key ? null : await holderOf(tables, record);
  requireEnded(holder, rules.now);
  const token = tables.newId();
  const intent = updateIntent(record, { document, memory, holder }, { token, rules });
  const { counted } = document;
  const { analyzer, vectorForm } = tables;
  const change = changeOf({ action: 'Updated', before: memory, after: record }, rules);
  const kept = patch.content === undefined ? { kept: document } : {};
  const written = { token, counted, change, analyzer, vectorForm };
  const next = encodeMemory(record, { ...written, ...kept });
  await keepChanges(tables, [document]);
  const tokens = [document.token, holder?.document.token].filter((each) => each !== undefined);
  const announced = { scope: scopeId(memory), intent, tokens };
  const scope = await writeAnnounced(tables, announced, async () => {
    const written =
      (await supersede(tables, { holder, by: record.id, token }, rules)) &&
      (await tables.memories.replace(unchanged(document), next));
    if (!written) await takeBack(tables, memory.tenant, intent);
    return written;
  });
  return scope === null ? null : { record, scope };
}

function patched(memory: Memory, patch: MemoryPatch, now: number): Memory {
  const { vector: before, ...rest } = memory;
  const vector = patch.content === undefined ? before : patch.content.vector;
  const after: Memory = { ...patchedMemory(rest, patch, now), vector };
  return { ...after, key: keyAfter(memory, after.contentHash) };
}

function updateIntent(
  record: Memory,
  { document, memory, holder }: Read & { holder: Holder | null },
  options: { token: string; rules: WriteRules },
): WriteIntent {
  const same = memory.contentHash === record.contentHash && memory.tokenCount === record.tokenCount;
  if (same && holder === null) {
    const bytes = document.counted ? utf8Bytes(record.content) - utf8Bytes(memory.content) : 0;
    return touchOf({ ids: [record.id], bytes }, options);
  }
  return intentOf(
    record,
    {
      before: stateOf(memory, document.counted),
      after: stateOf(record, document.counted),
      drops: isReplaced(memory.content, record.content) ? 'SourceReplaced' : null,
      yielded: holder === null ? null : yieldedOf(holder),
    },
    options,
  );
}
