/** One atomic write to a memory, announced to its scope before and folded into it after. */
import { VarveError } from '#core/errors.ts';
import type { NewId } from '#core/ports/platform.ts';
import type { WriteRules } from '#core/ports/store.ts';
import type { Memory } from '#core/records/memory.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';

import { unchanged, type MemoryDocument, type MemoryDocuments } from './memory-document.ts';
import type { WriteIntent } from './scope-document.ts';
import { announce, conclude, finishOlder, type IntentTables } from './write-intent.ts';

/** Tries against other writers of the same memory. */
export const WRITE_TRIES_MAX = 32;

export interface MemoryTables extends IntentTables {
  readonly memories: MemoryDocuments;
  readonly newId: NewId;
}

export function intentOf(
  { id, contentHash }: Pick<Memory, 'id' | 'contentHash'>,
  write: Omit<Extract<WriteIntent['of'], { kind: 'Memory' }>, 'kind'>,
  { token, rules }: { token: string; rules: WriteRules },
): WriteIntent {
  const { policy, now: at } = rules;
  return { token, id, contentHash, at, policy, of: { kind: 'Memory', ...write } };
}

export function crowded({ id }: { id: string }): VarveError {
  return new VarveError('CONFLICT', 'Others kept changing the memory; try again.', {
    details: { id },
  });
}

/** Null where the document is no longer the one that was read. */
export async function writeAnnounced(
  tables: MemoryTables,
  write: { intent: WriteIntent; document: MemoryDocument; next: MemoryDocument },
): Promise<ScopeRecord | null> {
  const { intent, document, next } = write;
  const { tenant } = document._id;
  const scope = { tenant, layer: document.layer, scopeId: document.scopeId };
  await finishOlder(tables, await announce(tables, scope, intent), [document.token]);
  const written = await tables.memories.replace(unchanged(document), next);
  const verdict = written ? 'Happened' : 'DidNot';
  const record = await conclude(tables, scope, { token: intent.token, verdict });
  return written ? record : null;
}
