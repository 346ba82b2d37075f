/**
 * Indexes of scopes in the memory of one worker.
 *
 * Owner: a search worker. Key: the scope. Lifetime: until evicted, the least recently searched
 * first. Validity: `data_version` and the changes of this connection show whether the file changed,
 * and the touches of the scope show which of its memories did. The transaction of a search reads
 * both, so it sees one snapshot with everything written before it began.
 */
import { keepNewest } from '#core/keep-newest.ts';
import type { Scope } from '#core/scope.ts';
import { scopeKey } from '#core/scope-key.ts';
import { createScopeIndex, putEntry, type ScopeIndex } from '#core/search/scope-index.ts';
import { LAST_TOUCH, lastTouch, scopeColumnValues } from '../memory-touches.ts';
import type { Connection } from '../connection.ts';
import { allEntries, countEntries, putAllVectors, someEntries } from './entry-rows.ts';
import { readKept, timesErased, type KeptIndex } from './kept-index.ts';

// The changes of the memories of a scope since the last read.

/** Touches read at a time. */
const TOUCHES_MAX = 500;

const FIRST_OF_SCOPE = `
  SELECT min(seq) AS seq FROM memory_touches WHERE tenant = ? AND layer = ? AND scope_id = ?`;

const AFTER = `
  SELECT seq, memory_id FROM memory_touches
  WHERE tenant = ? AND layer = ? AND scope_id = ? AND seq > ? ORDER BY seq LIMIT ${TOUCHES_MAX}`;

/** Statements of this file, exported for a test of how SQLite finds their rows. */
export const TOUCH_STATEMENTS = [LAST_TOUCH, FIRST_OF_SCOPE, AFTER] as const;

interface Touches {
  readonly ids: readonly string[];
  /** `seq` of the last of these, after which the next chunk begins. */
  readonly seq: number;
}

/** Whether no touch after the given one was deleted, and none before it was erased. */
export function hasAllTouches(connection: Connection, scope: Scope, after: number): boolean {
  const first = connection.first(FIRST_OF_SCOPE, scopeColumnValues(scope))?.['seq'];
  return typeof first === 'number' ? first <= after + 1 : after === 0;
}

/** Yields memories touched after a given touch, in bounded chunks, in the order of touches. */
export function* touchesAfter(
  connection: Connection,
  scope: Scope,
  after: number,
): Generator<Touches> {
  for (let seq = after; ;) {
    const rows = connection.all(AFTER, [...scopeColumnValues(scope), seq]);
    const last = rows.at(-1);
    if (last === undefined) return;
    seq = Number(last['seq']);
    yield { ids: rows.map((row) => String(row['memory_id'])), seq };
    if (rows.length < TOUCHES_MAX) return;
  }
}

/** Counted for every scope, so that the number of very small scopes is bounded too. */
const SCOPE_BYTES = 4_096;

/** Scopes remembered as too large to hold; a forgotten one is just tried again. */
const OVERSIZE_SCOPES_MAX = 1_000;
/** A scope that did not fit is tried again once it has shrunk to this share. */
const SHRUNK_SHARE = 0.9;

/** Changes with every write of another connection, and of this one, which `data_version` omits. */
const DATA_VERSION = `
  SELECT data_version || ' ' || total_changes() AS version FROM pragma_data_version`;

interface Held {
  readonly scope: Scope;
  readonly index: ScopeIndex;
  /** Last touch of the scope that the index knows. */
  readonly seq: number;
  /** Result of `DATA_VERSION` when the index was last brought up to date. */
  readonly dataVersion: string;
  readonly bytes: number;
  /** How often indexes had been erased from the file at that time. */
  readonly timesErased: number;
  /** Last touch that the index saved in the file knows; null if none is saved. */
  readonly keptSeq: number | null;
}

/** An index that is not saved in the file, or has changed much since. */
type UnkeptIndex = Omit<KeptIndex, 'packed'> & Pick<Held, 'scope' | 'index' | 'timesErased'>;

/** Minimum size worth saving: fewer memories are read as fast as they are caught up with. */
export const KEPT_ENTRIES_MIN = 2_000;
/** Changes after which an index is saved again: a minimum, and a share of its entries. */
const KEPT_CHANGES_MIN = 1_000;
const KEPT_CHANGES_SHARE = 0.05;

export class IndexCache {
  readonly #connection: Connection;
  readonly #bytesMax: number;
  /** Indexes in the order of their last use. */
  readonly #held = new Map<string, Held>();
  /** By scope, its number of memories when it did not fit. */
  readonly #oversize = new Map<string, number>();
  readonly #keptEntriesMin: number;
  #bytes = 0;

  /**
   * @param bytesMax limit for all indexes together, by their own estimate
   * @param keptEntriesMin minimum entries of an index that is saved in the file
   */
  constructor(connection: Connection, bytesMax: number, keptEntriesMin = KEPT_ENTRIES_MIN) {
    this.#connection = connection;
    this.#bytesMax = bytesMax;
    this.#keptEntriesMin = keptEntriesMin;
  }

  /** Counts the entries of a scope; null if its index is not held, or the file changed since. */
  sizeOf(scope: Scope): number | null {
    const held = this.#held.get(scopeKey(scope));
    return held?.dataVersion === this.#dataVersion() ? held.index.size : null;
  }

  /** Returns the up-to-date index of a scope; null if it does not fit. Call it in a `read`. */
  indexOf(scope: Scope): ScopeIndex | null {
    const dataVersion = this.#dataVersion();
    const key = scopeKey(scope);
    const held = this.#held.get(key);
    if (held?.dataVersion === dataVersion) {
      this.#held.delete(key);
      this.#held.set(key, held);
      return held.index;
    }
    const isNear = held !== undefined && hasAllTouches(this.#connection, scope, held.seq);
    const erased = timesErased(this.#connection);
    const keptSeq = held?.timesErased === erased ? held.keptSeq : null;
    const found = isNear ? { ...this.#caughtUp(scope, held), keptSeq } : this.#found(scope);
    if (found === null) return null;
    return this.#hold({ ...found, scope, dataVersion, timesErased: erased });
  }

  /** Yields the indexes to save, as they are now. */
  *unkept(): Generator<UnkeptIndex> {
    for (const { scope, index, seq, bytes, timesErased: times, keptSeq } of this.#held.values()) {
      if (index.size < this.#keptEntriesMin) continue;
      const changes = Math.max(KEPT_CHANGES_MIN, index.size * KEPT_CHANGES_SHARE);
      if (keptSeq !== null && seq - keptSeq < changes) continue;
      yield { scope, index, seq, bytes, timesErased: times };
    }
  }

  /** Call it when an index of `unkept` was saved, or cannot be saved for now. */
  noteKept({ scope, seq, timesErased: times }: UnkeptIndex): void {
    const key = scopeKey(scope);
    const held = this.#held.get(key);
    // Keep its place in the order, since this is not a use of the index.
    if (held?.timesErased === times) this.#held.set(key, { ...held, keptSeq: seq });
  }

  #dataVersion(): string {
    return String(this.#connection.first(DATA_VERSION)?.['version']);
  }

  /** Takes the index saved in the file, or reads every memory. */
  #found(scope: Scope): Pick<Held, 'index' | 'seq' | 'keptSeq'> | null {
    const kept = readKept(this.#connection, scope);
    if (
      kept === null ||
      kept.bytes > this.#bytesMax ||
      !hasAllTouches(this.#connection, scope, kept.seq)
    ) {
      const loaded = this.#loaded(scope);
      return loaded === null ? null : { ...loaded, keptSeq: null };
    }
    this.#makeRoom(kept.bytes);
    const { packed, seq } = kept;
    const index = createScopeIndex({ conversation: scope.layer === 'session', packed });
    putAllVectors(this.#connection, scope, index);
    return { ...this.#caughtUp(scope, { index, seq }), keptSeq: seq };
  }

  /** Reads every memory; null if the index does not fit. */
  #loaded(scope: Scope): Pick<Held, 'index' | 'seq'> | null {
    const key = scopeKey(scope);
    const before = this.#oversize.get(key);
    if (before !== undefined) {
      if (countEntries(this.#connection, scope) > before * SHRUNK_SHARE) return null;
      this.#oversize.delete(key);
    }
    const index = createScopeIndex({ conversation: scope.layer === 'session' });
    for (const entry of allEntries(this.#connection, scope)) {
      putEntry(index, entry);
      const bytes = bytesOf(index);
      // Held indexes and the one being read together never exceed the limit.
      if (bytes <= this.#bytesMax) this.#makeRoom(bytes);
      else break;
    }
    return { index, seq: lastTouch(this.#connection, scope) ?? 0 };
  }

  #caughtUp(
    scope: Scope,
    { index, seq }: Pick<Held, 'index' | 'seq'>,
  ): Pick<Held, 'index' | 'seq'> {
    let last = seq;
    for (const touches of touchesAfter(this.#connection, scope, seq)) {
      const gone = new Set(touches.ids);
      for (const entry of someEntries(this.#connection, scope, touches)) {
        putEntry(index, entry);
        gone.delete(entry.id);
      }
      for (const id of gone) index.remove(id);
      last = touches.seq;
    }
    return { index, seq: last };
  }

  /** Holds an index, or remembers that it does not fit. */
  #hold(fresh: Omit<Held, 'bytes'>): ScopeIndex | null {
    const { scope } = fresh;
    const key = scopeKey(scope);
    this.#drop(key);
    const bytes = bytesOf(fresh.index);
    if (bytes > this.#bytesMax) {
      keepNewest(this.#oversize, OVERSIZE_SCOPES_MAX, [key, countEntries(this.#connection, scope)]);
      return null;
    }
    this.#makeRoom(bytes);
    this.#held.set(key, { ...fresh, bytes });
    this.#bytes += bytes;
    return fresh.index;
  }

  #makeRoom(needed: number): void {
    for (const key of this.#held.keys()) {
      if (this.#bytes + needed <= this.#bytesMax) return;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#held.get(key)?.bytes ?? 0;
    this.#held.delete(key);
  }
}

function bytesOf(index: ScopeIndex): number {
  return index.bytes + SCOPE_BYTES;
}
