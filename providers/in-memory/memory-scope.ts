/** What adding, changing and removing a memory does to its scope (core/scope-change.ts). */
import { sourceLane, type Digest } from '#core/hash.ts';
import { endOf } from '#core/memory-state.ts';
import type { WriteRules } from '#core/ports/store.ts';
import {
  emptyScopeRecord,
  type DroppedSource,
  type ScopeRecord,
} from '#core/records/scope-record.ts';
import { applyChange, type ScopeChange } from '#core/scope-change.ts';
import type { Scope } from '#core/scope.ts';
import { utf8Bytes } from '#core/text.ts';

import type { Tables } from './database.ts';
import type { MemoryRow } from './rows.ts';

/** The record of a scope, which every scope has whether or not anything was written to it. */
export function scopeOrEmpty(tables: Tables, { tenant, layer, scopeId }: Scope): ScopeRecord {
  return tables.scopes.get(tenant, layer, scopeId) ?? emptyScopeRecord({ tenant, layer, scopeId });
}

/** Folds a write into its scope; null where the scope does not see it. */
export function writeChange(
  tables: Tables,
  { scope, change }: { scope: Scope; change: ScopeChange | null },
  rules: WriteRules,
): ScopeRecord {
  const before = scopeOrEmpty(tables, scope);
  if (change === null) return before;
  const record = applyChange(before, change, rules);
  tables.scopes.put(record);
  return record;
}

/** Whether a current summary of the memory's scope, for whatever audience, cites the memory. */
export function droppedSource(
  tables: Tables,
  { tenant, layer, scopeId, id }: MemoryRow,
  reason: DroppedSource['reason'],
): DroppedSource | null {
  const isCited = tables.summaries
    .group(tenant)
    .filter((summary) => summary.layer === layer && summary.scopeId === scopeId)
    .some(({ facts }) => facts.some(({ sources }) => sources.includes(id)));
  return isCited ? { id, reason } : null;
}

/** Null where the memory is no source. */
export function additionOf(digest: Digest, memory: MemoryRow): ScopeChange | null {
  if (!memory.counted) return null;
  return {
    lanes: [sourceLane(digest, memory)],
    sources: 1,
    tokens: memory.tokenCount,
    bytes: utf8Bytes(memory.content),
    dropped: [],
    expiresAt: endOf(memory),
  };
}

/** Null where the memory was neither a source nor cited. */
export function removalOf(
  digest: Digest,
  memory: MemoryRow,
  dropped: DroppedSource | null,
): ScopeChange | null {
  const { counted } = memory;
  if (!counted && dropped === null) return null;
  return {
    lanes: counted ? [sourceLane(digest, memory)] : [],
    sources: counted ? -1 : 0,
    tokens: counted ? -memory.tokenCount : 0,
    bytes: counted ? -utf8Bytes(memory.content) : 0,
    dropped: dropped === null ? [] : [dropped],
    expiresAt: null,
  };
}

/** Null where tags and metadata changed only, or what changed is no source. */
export function replacementOf(
  digest: Digest,
  { before, after }: { before: MemoryRow; after: MemoryRow },
  dropped: DroppedSource | null,
): ScopeChange | null {
  const same = before.content === after.content && before.tokenCount === after.tokenCount;
  const { counted } = before;
  if (same || (!counted && dropped === null)) return null;
  return {
    lanes: counted ? [sourceLane(digest, before), sourceLane(digest, after)] : [],
    sources: 0,
    tokens: counted ? after.tokenCount - before.tokenCount : 0,
    bytes: counted ? utf8Bytes(after.content) - utf8Bytes(before.content) : 0,
    dropped: dropped === null ? [] : [dropped],
    expiresAt: null,
  };
}
