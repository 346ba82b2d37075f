/**
 * Indexes of whole scopes, cached in this process.
 *
 * Guarantees: a returned index contains every write that was acknowledged before the request. Each
 * memory, and the mark of a deleted one, has the revision of its scope that wrote it, so an index
 * catches up by reading only later revisions.
 * Owner: the store. Key: the scope. Lifetime: until others need its room, least recently used
 * first; an index unused for a while is read again, since marks of deleted memories expire.
 */
import { createScopeIndex, type ScopeIndex } from '#core/search/scope-index.ts';
import type { Scope } from '#core/scope.ts';
import { scopeKey } from '#core/scope-key.ts';
import type { Clock } from '#core/ports/platform.ts';
import type { Anchor, Driver } from '#store/storage-driver.ts';
import { scopeKeyOf, SCOPES, type StoredScope } from '#store/record-kinds-and-indexes.ts';
import { scopeFilter } from '../filter-condition.ts';
import { memoryId, type MemoryDocuments } from '../memory-documents.ts';
import {
  FINDABLE,
  documentsWithoutContent,
  pagesWithoutContent,
  putDocument,
} from './documents-without-content.ts';
import type { SearchBounds } from './search-bounds.ts';

/**
 * Maximum changed memories that an index catches up with; beyond it, reading the scope again costs
 * less.
 */
const CHANGED_MAX = 500;
/** Well below the time that marks of deleted memories stay. */
const CAUGHT_UP_MS = 60 * 60 * 1_000;

export interface IndexTables {
  readonly memories: MemoryDocuments;
  readonly driver: Driver;
  readonly clock: Clock;
  readonly bounds: SearchBounds;
}

interface Kept {
  readonly index: ScopeIndex;
  /** `born` of the scope's anchor: an index of an erased scope is not reused. */
  readonly born: string | undefined;
  revision: number;
  caughtUpAt: number;
}

interface Turn {
  begun: boolean;
  readonly done: Promise<ScopeIndex | null>;
}

export interface ScopeIndexes {
  /** Returns the current index of a scope; null if the scope is too large to keep whole. */
  of(scope: Scope): Promise<ScopeIndex | null>;
}

export function createScopeIndexes(tables: IndexTables): ScopeIndexes {
  const kept = new Map<string, Kept>();
  /** The newest read by scope; all callers share a read that has not begun. */
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
        // Reads run one after another, so that an earlier read never replaces a later one.
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
  const anchor = await tables.driver.anchor(SCOPES, scopeKeyOf(scope));
  const changed = kept === undefined ? null : await changedSince(tables, { scope, anchor, kept });
  if (kept === undefined || changed === null) return loaded(tables, scope, anchor);
  await catchUp(tables, scope, { index: kept.index, ids: changed });
  kept.revision = anchor.revision;
  kept.caughtUpAt = tables.clock();
  return kept.index.size > tables.bounds.wholeMax ? null : kept;
}

/** Returns the ids that changed; null if there are too many, or they are no longer known. */
async function changedSince(
  { memories, clock }: IndexTables,
  { scope, anchor, kept }: { scope: Scope; anchor: Anchor<StoredScope>; kept: Kept },
): Promise<readonly string[] | null> {
  const { revision, born } = anchor;
  if (born !== kept.born || revision < kept.revision) return null;
  if (clock() - kept.caughtUpAt > CAUGHT_UP_MS) return null;
  if (revision === kept.revision) return [];
  const { tenant, layer, scopeId } = scope;
  const of = { tenant, layer, scopeId };
  const later = { of, revision: { $gt: kept.revision } };
  const found = await memories.select(later, { limit: CHANGED_MAX + 1, fields: ['_id'] });
  return found.length > CHANGED_MAX ? null : found.map(({ _id }) => _id.id);
}

async function catchUp(
  { memories }: IndexTables,
  scope: Scope,
  { index, ids }: { index: ScopeIndex; ids: readonly string[] },
): Promise<void> {
  if (ids.length === 0) return;
  const _id = { $in: ids.map((id) => memoryId(scope.tenant, id)) };
  const condition = { _id, ...scopeFilter(scope), ...FINDABLE };
  const found = await documentsWithoutContent(memories, condition, ids.length);
  const gone = new Set(ids);
  for (const document of found) {
    gone.delete(document._id.id);
    putDocument(index, document);
  }
  for (const id of gone) index.remove(id);
}

async function loaded(
  { memories, bounds, clock }: IndexTables,
  scope: Scope,
  { revision, born }: Anchor<StoredScope>,
): Promise<Kept | null> {
  const { wholeMax, pageMax } = bounds;
  const all = { ...scopeFilter(scope), ...FINDABLE };
  if ((await memories.count(all, wholeMax + 1)) > wholeMax) return null;
  const index = createScopeIndex({ conversation: scope.layer === 'session' });
  for await (const page of pagesWithoutContent(memories, all, pageMax)) {
    for (const each of page) putDocument(index, each);
  }
  return { index, revision, born, caughtUpAt: clock() };
}

/** Keeps an index, the most recently used last. An index that does not fit is used only once. */
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
