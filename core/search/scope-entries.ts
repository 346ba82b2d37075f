/**
 * The entries of a scope index by slot. A slot is a small number that an entry keeps while it
 * exists.
 */
import type { Memory } from '../records/memory.ts';
import { type Conditioned, meetsConditions } from './memory-conditions.ts';
import type { MemoryConditions } from './scope-search.ts';

/** What is kept of an entry besides its terms and vectors. */
export interface ScopeEntry extends Conditioned, Pick<Memory, 'id' | 'validFrom'> {}

/** Entries by slot, in a form for JSON. Fields that most entries lack are lists with slots. */
export interface PackedEntries {
  /** Empty where a slot has no entry. */
  readonly ids: readonly string[];
  readonly validFrom: readonly number[];
  readonly endsAt: readonly (number | null)[];
  /** Kinds that differ from `COMMON`; the fields below do the same. */
  readonly kinds: Rare<ScopeEntry['kind']>;
  readonly states: Rare<ScopeEntry['state']>;
  readonly tags: Rare<ScopeEntry['tags']>;
  readonly metadata: Rare<ScopeEntry['metadata']>;
}

type Rare<T> = readonly (readonly [slot: number, value: T])[];

/** Most memories have neither; shared values need no extra memory. */
export const NO_TAGS: ScopeEntry['tags'] = [];
export const NO_METADATA: ScopeEntry['metadata'] = {};

/** Memory of an entry without its texts, vectors and terms. */
const BYTES_PER_ENTRY = 320;
const BYTES_PER_CHARACTER = 2;

export interface ScopeEntries {
  readonly size: number;
  readonly bytes: number;
  /** The largest slot that was ever in use, plus one. */
  readonly slotsEnd: number;
  /** @param near the most likely slot */
  slotOf(id: string, near?: number): number | undefined;
  /** Slots that have an entry. */
  slots(): readonly number[];
  /** Empty if the slot has no entry. */
  idAt(slot: number): string;
  /** Returns whether an entry was said before another: by `validFrom`, then id. */
  isBefore(slot: number, other: number): boolean;
  /** Adds an entry with a new id; returns its slot. */
  put(entry: ScopeEntry): number;
  remove(slot: number): void;
  /** Marks by slot each entry that meets the conditions with 1, and counts them. */
  meeting(conditions: MemoryConditions): { readonly slots: Uint8Array; readonly count: number };
  pack(): PackedEntries;
}

/** @param begin initial entries, each in its slot; none if absent */
export function createScopeEntries(begin: PackedEntries = NO_ENTRIES): ScopeEntries {
  const columns = createColumns(begin);
  const { ids, validFrom } = columns;
  const slots = (): number[] => ids.flatMap((id, slot) => (id === '' ? [] : [slot]));
  const free: number[] = [];
  let bytes = 0;
  for (let slot = 0; slot < ids.length; slot += 1) {
    if (ids[slot] === '') free.push(slot);
    else bytes += columns.bytesAt(slot);
  }
  // Made on first use: a search does not need it.
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

/** Has one column per field: making an object for each entry would take longer than a search. */
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
    /** Empty if a slot has no entry. */
    ids,
    validFrom,
    /** What conditions examine, in one object for all slots: valid until the next call. */
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

/** The values of a slot without an entry. Most entries have the same, except for id and times. */
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
  const values: T[] = [];
  values.length = length;
  values.fill(common);
  for (const [slot, value] of rare) values[slot] = value;
  return values;
}

function rareOf<T>(values: readonly T[], common: T): Rare<T> {
  return values.flatMap((value, slot) => (value === common ? [] : [[slot, value] as const]));
}
