/** Changing and deleting a memory. */
import { VarveError } from '#core/errors.ts';
import { patchedMemory } from '#core/memory-state.ts';
import type { MemoryPatch, WriteOutcome, WriteRules } from '#core/ports/store.ts';
import type { Memory } from '#core/records/memory.ts';
import { isReplaced } from '#core/replacement.ts';

import {
  decodeMemory,
  encodeMemory,
  memoryId,
  stateOf,
  unchanged,
  voidOf,
  type MemoryDocument,
} from './memory-document.ts';
import {
  crowded,
  intentOf,
  WRITE_TRIES_MAX,
  writeAnnounced,
  type MemoryTables,
} from './memory-write.ts';
import { scopeOrEmpty } from './scope-document.ts';
import { byId } from './table.ts';

interface MemoryKey {
  readonly tenant: string;
  readonly id: string;
}

interface Read {
  readonly document: MemoryDocument;
  readonly memory: Memory;
}

/** @throws VarveError MEMORY_NOT_FOUND, CONFLICT */
export async function updateMemory(
  tables: MemoryTables,
  { key, patch }: { key: MemoryKey; patch: MemoryPatch },
  rules: WriteRules,
): Promise<WriteOutcome<Memory>> {
  for (let tries = 0; tries < WRITE_TRIES_MAX; tries += 1) {
    const read = await readMemory(tables, key);
    if (read === null) {
      throw new VarveError('MEMORY_NOT_FOUND', 'There is no such memory.', {
        details: { id: key.id },
      });
    }
    requireVersion(read.memory, patch);
    const outcome = await tryUpdate(tables, { ...read, patch }, rules);
    if (outcome !== null) return outcome;
  }
  throw crowded(key);
}

/** Null where there was no such memory. */
export async function deleteMemory(
  tables: MemoryTables,
  key: MemoryKey,
  rules: WriteRules,
): Promise<WriteOutcome<Memory> | null> {
  for (let tries = 0; tries < WRITE_TRIES_MAX; tries += 1) {
    const read = await readMemory(tables, key);
    if (read === null) return null;
    const { document, memory } = read;
    const intent = intentOf(
      memory,
      {
        before: stateOf(memory, document.counted),
        after: null,
        drops: 'SourceDeleted',
        yielded: null,
      },
      { token: tables.newId(), rules },
    );
    const gone = voidOf(document, intent.token, rules.now);
    const scope = await writeAnnounced(tables, { intent, document, next: gone });
    if (scope === null) continue;
    // Only now: until the scope knows of it, the token is the word that it happened.
    await tables.memories.remove(unchanged(gone));
    return { record: memory, scope };
  }
  throw crowded(key);
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

/** Null where somebody changed the memory in between. */
async function tryUpdate(
  tables: MemoryTables,
  { document, memory, patch }: Read & { patch: MemoryPatch },
  rules: WriteRules,
): Promise<WriteOutcome<Memory> | null> {
  const { vector: before, ...rest } = memory;
  const vector = patch.content === undefined ? before : patch.content.vector;
  const record: Memory = { ...patchedMemory(rest, patch, rules.now), vector };
  const { counted, token } = document;
  const same = memory.contentHash === record.contentHash && memory.tokenCount === record.tokenCount;
  if (same) {
    // The scope has nothing to hear, so the token stays what it is.
    const next = encodeMemory(record, { token, counted });
    if (!(await tables.memories.replace(unchanged(document), next))) return null;
    return { record, scope: await scopeOrEmpty(tables.scopes, record) };
  }
  const intent = intentOf(
    record,
    {
      before: stateOf(memory, counted),
      after: stateOf(record, counted),
      drops: isReplaced(memory.content, record.content) ? 'SourceReplaced' : null,
      yielded: null,
    },
    { token: tables.newId(), rules },
  );
  const next = encodeMemory(record, { token: intent.token, counted });
  const scope = await writeAnnounced(tables, { intent, document, next });
  return scope === null ? null : { record, scope };
}
