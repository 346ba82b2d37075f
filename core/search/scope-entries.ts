/** The entries of a scope index by slot: a small number that an entry keeps while it is there. */
import type { Memory } from '../records/memory.ts';
import { type Conditioned, meetsConditions } from './memory-conditions.ts';
import type { MemoryConditions } from './scope-search.ts';

/** What is kept of an entry besides its terms and vectors. */
export interface ScopeEntry extends Conditioned, Pick<Memory, 'id' | 'validFrom'> {}

/** Entries by slot, as JSON can keep them: what most entries don't have is named by its slot. */
export interface PackedEntries {
  /** Empty where a slot has no entry. */
  readonly ids: readonly string[];
  readonly validFrom: readonly number[];
  readonly endsAt: readonly (number | null)[];
  /** Of those that are not as `COMMON` is. */
  readonly kinds: Rare<ScopeEntry['kind']>;
  readonly states: Rare<ScopeEntry['state']>;
  readonly tags: Rare<ScopeEntry['tags']>;
  readonly metadata: Rare<ScopeEntry['metadata']>;
}

type Rare<T> = readonly (readonly [slot: number, value: T])[];

/** Most memories have neither, and shared ones take no memory. */
export const NO_TAGS: ScopeEntry['tags'] = [];
export const NO_METADATA: ScopeEntry['metadata'] = {};

/** What an entry takes besides its texts, vectors and terms. */
const BYTES_PER_ENTRY = 320;
const BYTES_PER_CHARACTER = 2;

export interface ScopeEntries {
  readonly size: number;
  readonly bytes: number;
  /** One more than the largest slot that was ever in use. */
  readonly slotsEnd: number;
  /** @param near the slot that it has most likely */
  slotOf(id: string, near?: number): number | undefined;
  /** Those that have an entry. */
  slots(): readonly number[];
  /** Empty where the slot has no entry. */
  idAt(slot: number): string;
  /** Whether an entry was said before another: by `validFrom`, then id. */
  isBefore(slot: number, other: number): boolean;
  /** Adds an entry whose id is not there; answers its slot. */
  put(entry: ScopeEntry): number;
  remove(slot: number): void;
  /** 1 by slot for each entry that meets the conditions, and how many do. */
  meeting(conditions: MemoryConditions): { readonly slots: Uint8Array; readonly count: number };
  pack(): PackedEntries;
}

/** @param begin what they begin with, each in its slot; none where absent */
export function createScopeEntries(begin: PackedEntries = NO_ENTRIES): ScopeEntries {
  const columns = createColumns(begin);
  const { ids, validFrom } = columns;
  const slots = (): number[] => ids.flatMap((id, slot) => (id === '' ? [] : [slot]));
  const free: number[] = [];
  let bytes = 0;
  for (const [slot, id] of ids.entries()) {
    if (id === '') free.push(slot);
    else bytes += columns.bytesAt(slot);
  }
  // Made when it is first asked: a search asks nothing of it.
  let known: Map<string, number> | null = null;
  const slotsById = (): Map<string, number> => {
    known ??= new Map(slots().map((slot) => [ids[slot] ?? '', slot]));
    return known;
  };

  return {
    get size() {
      return ids.length - free.length;
    },
    get bytes() {
      return bytes;
    },
    get slotsEnd() {
      return ids.length;
    },
    slotOf: (id, near = 0) => (ids[near] === id ? near : slotsById().get(id)),
    slots,
    idAt: (slot) => ids[slot] ?? '',
    isBefore(slot, other) {
      const [a, b] = [validFrom[slot] ?? 0, validFrom[other] ?? 0];
      return a === b ? (ids[slot] ?? '') < (ids[other] ?? '') : a < b;
    },
    put(entry) {
      const slot = free.pop() ?? ids.length;
      slotsById().set(entry.id, slot);
      columns.set(slot, entry);
      bytes += columns.bytesAt(slot);
      return slot;
    },
    remove(slot) {
      const id = ids[slot] ?? '';
      if (id === '') return;
      bytes -= columns.bytesAt(slot);
      slotsById().delete(id);
      columns.set(slot, COMMON);
      free.push(slot);
    },
    meeting(conditions) {
      const found = new Uint8Array(ids.length);
      let count = 0;
      for (let slot = 0; slot < ids.length; slot += 1) {
        if (ids[slot] === '' || !meetsConditions(columns.at(slot), conditions)) continue;
        found[slot] = 1;
        count += 1;
      }
      return { slots: found, count };
    },
    pack: columns.pack,
  };
}

/** A column for each field: an object for each entry would take longer to make than to search. */
function createColumns(begin: PackedEntries) {
  const ids = [...begin.ids];
  const validFrom = [...begin.validFrom];
  const endsAt = [...begin.endsAt];
  const kinds = filled(ids.length, COMMON.kind, begin.kinds);
  const states = filled(ids.length, COMMON.state, begin.states);
  const tags = new Map(begin.tags);
  const metadata = new Map(begin.metadata);
  const shown: { -readonly [K in keyof Conditioned]: Conditioned[K] } = { ...COMMON };
  return {
    /** Empty where a slot has no entry. */
    ids,
    validFrom,
    /** What conditions look at, in one object for all slots: it holds until the next call. */
    at(slot: number): Conditioned {
      shown.kind = kinds[slot] ?? COMMON.kind;
      shown.state = states[slot] ?? COMMON.state;
      shown.endsAt = endsAt[slot] ?? null;
      shown.tags = tags.get(slot) ?? NO_TAGS;
      shown.metadata = metadata.get(slot) ?? NO_METADATA;
      return shown;
    },
    set(slot: number, entry: ScopeEntry): void {
      ids[slot] = entry.id;
      kinds[slot] = entry.kind;
      states[slot] = entry.state;
      validFrom[slot] = entry.validFrom;
      endsAt[slot] = entry.endsAt;
      if (entry.tags.length > 0) tags.set(slot, entry.tags);
      else tags.delete(slot);
      if (Object.keys(entry.metadata).length > 0) metadata.set(slot, entry.metadata);
      else metadata.delete(slot);
    },
    /** An estimate that does not change while the entry is kept. */
    bytesAt(slot: number): number {
      let characters = ids[slot]?.length ?? 0;
      for (const tag of tags.get(slot) ?? NO_TAGS) characters += tag.length;
      const data = metadata.get(slot);
      if (data !== undefined) characters += JSON.stringify(data).length;
      return BYTES_PER_ENTRY + characters * BYTES_PER_CHARACTER;
    },
    pack: (): PackedEntries => ({
      ids,
      validFrom,
      endsAt,
      kinds: rareOf(kinds, COMMON.kind),
      states: rareOf(states, COMMON.state),
      tags: [...tags],
      metadata: [...metadata],
    }),
  };
}

/** What a slot without an entry has, and most entries have but for their id and times. */
const COMMON: ScopeEntry = {
  id: '',
  kind: 'memory',
  state: 'active',
  tags: NO_TAGS,
  metadata: NO_METADATA,
  validFrom: 0,
  endsAt: null,
};

const NO_ENTRIES: PackedEntries = {
  ids: [],
  validFrom: [],
  endsAt: [],
  kinds: [],
  states: [],
  tags: [],
  metadata: [],
};

function filled<T>(length: number, common: T, rare: Rare<T>): T[] {
  const values = Array.from<T>({ length }).fill(common);
  for (const [slot, value] of rare) values[slot] = value;
  return values;
}

function rareOf<T>(values: readonly T[], common: T): Rare<T> {
  return values.flatMap((value, slot) => (value === common ? [] : [[slot, value] as const]));
}
