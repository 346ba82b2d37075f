/**
 * The index of one scope in memory: all vectors side by side, and for each term where it occurs.
 * Stores fill it from their records and use it for both legs of a search.
 */
import { VarveError } from '../errors.ts';
import type { Memory } from '../records/memory.ts';
import { hiddenFrom } from './memory-conditions.ts';
import { type NeighborScores, createNeighborScores } from './neighbor-scores.ts';
import { addScores, bestScore, queryTerms, shareOf, type TermStatistics } from './keyword-score.ts';
import { formsIn } from './word-forms.ts';
import { type PackedPostings, type Postings, createPostings } from './postings.ts';
import {
  type PackedEntries,
  type ScopeEntries,
  type ScopeEntry,
  createScopeEntries,
} from './scope-entries.ts';
import type { LegScores, QueryVector, ScopeQuery } from './scope-search.ts';
import { createSparseTable } from './sparse-vector-table.ts';
import { areUnits, unitVector } from './vector-kernel.ts';
import { chosenRows, type VectorRows } from './vector-rows.ts';
import { type VectorTable, createVectorTable } from './vector-table.ts';

/** What the index keeps of one memory. `indexEntryOf` makes it. */
export interface IndexEntry extends ScopeEntry {
  readonly terms: readonly string[];
  readonly vectors: readonly { readonly generation: string; readonly vector: Float32Array }[];
}

export interface IndexHit extends LegScores {
  readonly id: string;
}

export interface IndexAnswer {
  /** The best hits of each leg, at most `limit` of each, each with the scores of both legs. */
  readonly hits: readonly IndexHit[];
  /** Entries that met the conditions. */
  readonly compared: number;
}

export interface ScopeIndex {
  readonly size: number;
  /** Estimated memory use, for a cache that is limited by bytes. */
  readonly bytes: number;
  /**
   * Adds an entry, or replaces the one with the same id.
   * @throws VarveError INVALID_INPUT for a vector that is zero, not finite, or of another length
   * than those of its generation; the index is then unchanged
   */
  put(entry: IndexEntry): void;
  remove(id: string): void;
  /**
   * Adds vectors of one generation to entries that have none of it, all at once. The index takes
   * ownership of the rows. Unknown ids are skipped. Returns false and does nothing if a vector does
   * not have length 1 or the same dimensions as the others; use `put` for those.
   */
  putVectors(ids: readonly string[], generation: string, rows: VectorRows): boolean;
  /** Returns everything but the vectors in a form for storage; valid until the next change. */
  pack(): PackedIndex;
  /** @throws VarveError INVALID_INPUT for a vector that `put` would refuse, or of another length */
  search(query: ScopeQuery, statistics?: TermStatistics): IndexAnswer;
}

const NO_SLOT = -1;

/** An index without its vectors. */
export interface PackedIndex {
  readonly entries: PackedEntries;
  readonly postings: PackedPostings;
}

interface ScopeIndexOptions {
  /**
   * Whether entries are in the order of a conversation, so that the entries around a match are
   * relevant too: true for the session layer.
   */
  readonly conversation: boolean;
  /** Initial contents. */
  readonly packed?: PackedIndex | undefined;
}

/** Returns the entry of a memory with its terms and vectors; `endsAt` is its `hiddenFrom`. */
export function indexEntryOf(
  memory: Pick<
    Memory,
    'id' | 'kind' | 'state' | 'tags' | 'metadata' | 'validFrom' | 'validTo' | 'expiresAt'
  >,
  { terms, vectors }: Pick<IndexEntry, 'terms' | 'vectors'>,
): IndexEntry {
  const { id, kind, state, tags, metadata, validFrom } = memory;
  const endsAt = hiddenFrom(memory);
  return { id, kind, state, tags, metadata, validFrom, endsAt, terms, vectors };
}

/**
 * Puts an entry, without its vectors if they can't be compared with the existing ones. One damaged
 * vector must not hide the rest of its scope, and the memory is still found by its words.
 */
export function putEntry(index: Pick<ScopeIndex, 'put'>, entry: IndexEntry): void {
  try {
    index.put(entry);
  } catch (error) {
    if (!(error instanceof VarveError && error.code === 'INVALID_INPUT')) throw error;
    index.put({ ...entry, vectors: [] });
  }
}

export function createScopeIndex(options: ScopeIndexOptions): ScopeIndex {
  const entries = createScopeEntries(options.packed?.entries);
  const postings = createPostings(options.packed?.postings);
  const tables = createVectorTables();
  const conversation = options.conversation
    ? createNeighborScores((slot, other) => entries.isBefore(slot, other), entries.slots())
    : null;
  const parts = { entries, postings, tables, conversation };
  const own: TermStatistics = {
    get documents() {
      return postings.documents;
    },
    get averageLength() {
      return postings.averageLength;
    },
    documentFrequency: (term) => postings.get(term)?.occurrences.length ?? 0,
    formsOf: (terms) =>
      postings.vocabularySize > VOCABULARY_MAX ? NO_FORMS : formsIn(postings.vocabulary(), terms),
  };
  let lastFilled = NO_SLOT;
  const remove = (id: string): void => {
    const slot = entries.slotOf(id);
    if (slot === undefined) return;
    conversation?.remove(slot);
    entries.remove(slot);
    postings.remove(slot);
    tables.remove(slot);
  };

  return {
    get size() {
      return entries.size;
    },
    get bytes() {
      return entries.bytes + postings.bytes + tables.bytes;
    },
    put({ terms, vectors, ...entry }) {
      // Does first what can fail, so that a refused entry changes nothing.
      const units = tables.checked(vectors);
      remove(entry.id);
      const slot = entries.put(entry);
      tables.put(slot, units);
      postings.put(slot, terms);
      conversation?.put(slot);
    },
    remove,
    putVectors(ids, generation, rows) {
      const slots: number[] = [];
      const places: number[] = [];
      for (const [at, id] of ids.entries()) {
        // Ids and entries are mostly in the same order.
        const slot = entries.slotOf(id, (slots.at(-1) ?? lastFilled) + 1);
        if (slot === undefined) continue;
        slots.push(slot);
        places.push(at);
      }
      lastFilled = slots.at(-1) ?? NO_SLOT;
      const own = places.length === ids.length ? rows : chosenRows(rows, places);
      return tables.append(slots, generation, own);
    },
    pack: () => ({ entries: entries.pack(), postings: postings.pack(entries.slotsEnd) }),
    search: (query, statistics = own) => searched(parts, query, statistics),
  };
}

/** Maximum terms of a scope to look for other forms of a word in; more take over 10 ms. */
const VOCABULARY_MAX = 50_000;
const NO_FORMS: ReadonlyMap<string, readonly string[]> = new Map();

interface Parts {
  readonly entries: ScopeEntries;
  readonly postings: Postings;
  readonly tables: VectorTables;
  /** Null if entries have no order. */
  readonly conversation: NeighborScores | null;
}

function searched(parts: Parts, query: ScopeQuery, statistics: TermStatistics): IndexAnswer {
  const { entries, tables } = parts;
  const { conditions, terms, vectors, limit } = query;
  const meeting = entries.meeting(conditions);
  const wanted = (slot: number): boolean => meeting.slots[slot] === 1;
  const precedes = (a: number, b: number): boolean => entries.idAt(a) < entries.idAt(b);

  const semantic = semanticLeg(tables, vectors);
  const nearest = createTopK(limit, precedes);
  semantic.scan(wanted, (slot, cosine) => {
    nearest.offer(slot, cosine);
  });

  const keyword = keywordLeg(parts, { terms: terms ?? [], statistics, wanted });
  const matching = createTopK(limit, precedes);
  for (const slot of keyword.slots) {
    if (wanted(slot)) matching.offer(slot, keyword.scores[slot] ?? 0);
  }

  const found = new Set([...nearest.items(), ...matching.items()]);
  const hits = [...found].map((slot) => ({
    id: entries.idAt(slot),
    ...semantic.at(slot),
    keyword: keyword.shareAt(slot),
  }));
  return { hits: hits.toSorted((a, b) => (a.id < b.id ? -1 : 1)), compared: meeting.count };
}

/**
 * Keeps the k items with the best scores, in a heap.
 * @param limit the most items to keep
 * @param precedes order of items with equal scores, so that answers are the same every time
 */
export function createTopK(limit: number, precedes: (a: number, b: number) => boolean) {
  const items: number[] = [];
  const scores: number[] = [];

  const isWorse = (a: number, b: number): boolean => {
    const [scoreA, scoreB] = [scores[a] ?? 0, scores[b] ?? 0];
    return scoreA === scoreB ? precedes(items[b] ?? 0, items[a] ?? 0) : scoreA < scoreB;
  };
  const swap = (a: number, b: number): void => {
    [items[a], items[b]] = [items[b] ?? 0, items[a] ?? 0];
    [scores[a], scores[b]] = [scores[b] ?? 0, scores[a] ?? 0];
  };
  const rise = (from: number): void => {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!isWorse(at, parent)) return;
      swap(at, parent);
      at = parent;
    }
  };
  const sink = (): void => {
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      if (left >= items.length) return;
      const right = left + 1;
      const child = right < items.length && isWorse(right, left) ? right : left;
      if (!isWorse(child, at)) return;
      swap(child, at);
      at = child;
    }
  };

  return {
    /** Offers an item; of two with equal scores, the one that `precedes` the other is better. */
    offer(item: number, score: number): void {
      if (items.length < limit) {
        items.push(item);
        scores.push(score);
        rise(items.length - 1);
        return;
      }
      const worst = scores[0] ?? Number.POSITIVE_INFINITY;
      if (score < worst || limit === 0) return;
      if (score === worst && !precedes(item, items[0] ?? 0)) return;
      items[0] = item;
      scores[0] = score;
      sink();
    },
    /** The kept items, in no order. */
    items: (): readonly number[] => items,
  };
}

interface Compared {
  readonly generation: string;
  readonly table: VectorTable;
  readonly unit: Float64Array;
}

/**
 * The semantic leg of a search: exact cosines with the vectors of a scope.
 * @param vectors the query in each generation; an entry is compared by the first one that it has
 * @throws VarveError INVALID_INPUT for a vector that is zero, not finite or of a wrong length
 */
function semanticLeg(tables: VectorTables, vectors: readonly QueryVector[]) {
  const compared: readonly Compared[] = vectors.flatMap(({ generation, vector }) => {
    const unit = unitVector(vector);
    const table = tables.of(generation);
    table?.check(vector);
    return table === undefined ? [] : [{ generation, table, unit }];
  });
  return {
    /** Visits each wanted slot that has a vector of one of the query's generations, once. */
    scan(wanted: (slot: number) => boolean, visit: (slot: number, cosine: number) => void): void {
      for (const [place, { table, unit }] of compared.entries()) {
        const earlier = compared.slice(0, place);
        const isFirst = (slot: number): boolean =>
          wanted(slot) && !earlier.some((before) => before.table.has(slot));
        table.scan(unit, place === 0 ? wanted : isFirst, visit);
      }
    },
    at(slot: number): Pick<LegScores, 'cosine' | 'generation'> {
      for (const { generation, table, unit } of compared) {
        const cosine = table.cosine(slot, unit);
        if (cosine !== null) return { cosine, generation };
      }
      return { cosine: null, generation: null };
    },
  };
}

/** The keyword leg of a search: finds entries of a scope that have the words of the query. */
function keywordLeg(
  { entries, postings, conversation }: Parts,
  asked: {
    readonly terms: readonly string[];
    readonly statistics: TermStatistics;
    readonly wanted: (slot: number) => boolean;
  },
) {
  const { averageLength } = asked.statistics;
  const query = queryTerms(asked.terms, asked.statistics);
  const scores = new Float64Array(entries.slotsEnd);
  const matched = addScores(scores, query, { postings, averageLength, wanted: asked.wanted });
  const best = bestScore(query);
  const slots = conversation?.smooth(scores, { slots: matched, best }) ?? matched;
  return {
    /** By slot. */
    scores,
    /** Slots that have a score, including some that may not be wanted. */
    slots,
    /** Null if no term matched, here or nearby in a conversation. */
    shareAt(slot: number): number | null {
      const score = scores[slot] ?? 0;
      return score === 0 ? null : shareOf(score, best);
    },
  };
}

// The vectors of one scope, a table per generation.

type VectorTables = ReturnType<typeof createVectorTables>;

interface GenerationVector {
  readonly generation: string;
  readonly vector: ArrayLike<number>;
}

/** A vector of length 1. */
interface UnitVector {
  readonly generation: string;
  readonly unit: Float64Array;
}

function createVectorTables() {
  const tables = new Map<string, VectorTable>();
  return {
    get bytes(): number {
      let sum = 0;
      for (const table of tables.values()) sum += table.bytes;
      return sum;
    },
    /** The table of a generation; undefined if no entry has a vector of it. */
    of: (generation: string) => tables.get(generation),
    /**
     * Returns the vectors, scaled to length 1.
     * @throws VarveError INVALID_INPUT
     */
    checked: (vectors: readonly GenerationVector[]): readonly UnitVector[] =>
      vectors.map(({ generation, vector }) => {
        tables.get(generation)?.check(vector);
        return { generation, unit: unitVector(vector) };
      }),
    /** Adds vectors of a slot that has none. */
    put(slot: number, vectors: readonly UnitVector[]): void {
      for (const { generation, unit } of vectors) {
        const table = tables.get(generation) ?? createVectorTable(unit.length);
        tables.set(generation, table);
        table.put(slot, unit);
      }
    },
    /** As `put`, for many slots that have none of the generation; false if one can't be added. */
    append(slots: readonly number[], generation: string, rows: VectorRows): boolean {
      if (slots.length === 0) return true;
      const table = tables.get(generation) ?? tableFor(rows);
      if (table.dimensions !== rows.dimensions || !areUnits(rows)) return false;
      if (slots.some((slot) => table.has(slot))) return false;
      tables.set(generation, table);
      table.append(slots, rows);
      return true;
    },
    remove(slot: number): void {
      for (const [generation, table] of tables) {
        table.remove(slot);
        // Deletes an empty table: its generation may return with other dimensions.
        if (table.size === 0) tables.delete(generation);
      }
    },
  };
}

/** Chooses the kind of table by its first rows; either kind accepts other rows later. */
function tableFor({ dimensions, isSparse }: VectorRows): VectorTable {
  return isSparse ? createSparseTable(dimensions) : createVectorTable(dimensions);
}
