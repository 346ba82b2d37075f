/**
 * Indexes of whole scopes, kept by this process.
 *
 * Guarantees: an index that is answered holds every write that was acknowledged before it was asked
 * for. The scope's document counts the memories written and names the last of them (`touches`,
 * `touched`), so that an index catches up with those alone; what is under way is read each time.
 * Owner: the store. Key: the scope. Lifetime: until others need its room, the longest unused first.
 */
import { createScopeIndex, type ScopeIndex } from '#core/search/scope-index.ts';
import { scopeKey, type Scope } from '#core/scope.ts';

import { inScope } from '../filter-condition.ts';
import { memoryId, type MemoryDocuments } from '../memory-document.ts';
import { idsOf, readScope, type ScopeDocument, type ScopeDocuments } from '../scope-document.ts';
import { FINDABLE, lightDocuments, lightPages, putDocument } from './light-document.ts';
import type { SearchBounds } from './search-bounds.ts';

export interface IndexTables {
  readonly memories: MemoryDocuments;
  readonly scopes: ScopeDocuments;
  readonly bounds: SearchBounds;
}

interface Kept {
  readonly index: ScopeIndex;
  /** Of the scope's document: an index of an erased scope is not caught up. */
  readonly born: string | null;
  touches: number;
}

interface Turn {
  begun: boolean;
  readonly done: Promise<ScopeIndex | null>;
}

export interface ScopeIndexes {
  /** The index of a scope as it is now; null where the scope is too large to be kept whole. */
  of(scope: Scope): Promise<ScopeIndex | null>;
}

export function createScopeIndexes(tables: IndexTables): ScopeIndexes {
  const kept = new Map<string, Kept>();
  /** By scope, the newest read; one that has not begun serves all who ask. */
  const turns = new Map<string, Turn>();
  return {
    of(scope) {
      const key = scopeKey(scope);
      const last = turns.get(key);
      if (last !== undefined && !last.begun) return last.done;
      const { promise, resolve, reject } = Promise.withResolvers<ScopeIndex | null>();
      const turn: Turn = { begun: false, done: promise };
      turns.set(key, turn);
      const read = async (): Promise<ScopeIndex | null> => {
        // One after another, so that what was read earlier never replaces what was read later.
        await Promise.allSettled([last?.done]);
        turn.begun = true;
        const current = await currentIndex(tables, scope, kept.get(key));
        keep(kept, { key, current }, tables.bounds.keptBytesMax);
        return current?.index ?? null;
      };
      const forget = (): void => {
        if (turns.get(key) === turn) turns.delete(key);
      };
      read().finally(forget).then(resolve, reject);
      return promise;
    },
  };
}

async function currentIndex(
  tables: IndexTables,
  scope: Scope,
  kept: Kept | undefined,
): Promise<Kept | null> {
  const document = await readScope(tables.scopes, scope);
  const changed = kept === undefined ? null : changedSince(document, kept);
  if (kept === undefined || changed === null) return loaded(tables, scope, document);
  await catchUp(tables, scope, { index: kept.index, ids: changed });
  kept.touches = document?.touches ?? 0;
  return kept.index.size > tables.bounds.wholeMax ? null : kept;
}

/** Null where the scope no longer names all of them. */
function changedSince(
  document: ScopeDocument | null,
  { touches, born }: Kept,
): readonly string[] | null {
  if (bornOf(document) !== born) return null;
  if (document === null) return touches === 0 ? [] : null;
  const behind = document.touches - touches;
  if (behind < 0 || behind > document.touched.length) return null;
  const ended = behind === 0 ? [] : document.touched.slice(-behind);
  return [...new Set([...ended, ...document.writes.flatMap(idsOf)])];
}

async function catchUp(
  { memories }: IndexTables,
  scope: Scope,
  { index, ids }: { index: ScopeIndex; ids: readonly string[] },
): Promise<void> {
  if (ids.length === 0) return;
  const _id = { $in: ids.map((id) => memoryId(scope.tenant, id)) };
  const condition = { _id, layer: scope.layer, scopeId: scope.scopeId, ...FINDABLE };
  const found = await lightDocuments(memories, condition, ids.length);
  const gone = new Set(ids);
  for (const document of found) {
    gone.delete(document._id.id);
    putDocument(index, document);
  }
  for (const id of gone) index.remove(id);
}

async function loaded(
  { memories, bounds }: IndexTables,
  scope: Scope,
  document: ScopeDocument | null,
): Promise<Kept | null> {
  const { wholeMax, pageMax } = bounds;
  const all = { ...inScope(scope), ...FINDABLE };
  if ((await memories.count(all, wholeMax + 1)) > wholeMax) return null;
  const index = createScopeIndex({ conversation: scope.layer === 'session' });
  for await (const page of lightPages(memories, all, pageMax)) {
    for (const each of page) putDocument(index, each);
  }
  return { index, touches: document?.touches ?? 0, born: bornOf(document) };
}

function bornOf(document: ScopeDocument | null): string | null {
  return document?.born ?? null;
}

/** The newest use is the last; an index that has no room at all is used once. */
function keep(
  kept: Map<string, Kept>,
  { key, current }: { key: string; current: Kept | null },
  keptBytesMax: number,
): void {
  kept.delete(key);
  if (current !== null) kept.set(key, current);
  let bytes = [...kept.values()].reduce((sum, { index }) => sum + index.bytes, 0);
  for (const [oldest, { index }] of kept) {
    if (bytes <= keptBytesMax) return;
    kept.delete(oldest);
    bytes -= index.bytes;
  }
}
