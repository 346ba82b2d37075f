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
  readonly kinds: readonly ScopeEntry['kind'][];
  readonly states: readonly ScopeEntry['state'][];
  readonly validFrom: readonly number[];
  readonly endsAt: readonly (number | null)[];
  readonly tags: readonly (readonly [slot: number, tags: ScopeEntry['tags']])[];
  readonly metadata: readonly (readonly [slot: number, metadata: ScopeEntry['metadata']])[];
}

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
  idAt(slot: number): string;
  at(slot: number): ScopeEntry | undefined;
  /** Adds an entry whose id is not there; answers its slot. */
  put(entry: ScopeEntry): number;
  remove(slot: number): void;
  /** 1 by slot for each entry that meets the conditions, and how many do. */
  meeting(conditions: MemoryConditions): { readonly slots: Uint8Array; readonly count: number };
  pack(): PackedEntries;
}

/** @param begin what they begin with, each in its slot; none where absent */
export function createScopeEntries(begin?: PackedEntries): ScopeEntries {
  const entries = begin === undefined ? [] : unpacked(begin);
  const free: number[] = [];
  let bytes = 0;
  for (const [slot, entry] of entries.entries()) {
    if (entry === undefined) free.push(slot);
    else bytes += bytesOf(entry);
  }
  let size = entries.length - free.length;
  // Made when it is first asked: a search asks nothing of it.
  let known: Map<string, number> | null = null;
  const slots = (): Map<string, number> => {
    known ??= new Map(
      entries.flatMap((entry, slot) => (entry === undefined ? [] : [[entry.id, slot] as const])),
    );
    return known;
  };

  return {
    get size() {
      return size;
    },
    get bytes() {
      return bytes;
    },
    get slotsEnd() {
      return entries.length;
    },
    slotOf: (id, near = 0) => (entries[near]?.id === id ? near : slots().get(id)),
    idAt: (slot) => entries[slot]?.id ?? '',
    at: (slot) => entries[slot],
    put(entry) {
      const slot = free.pop() ?? entries.length;
      slots().set(entry.id, slot);
      entries[slot] = entry;
      size += 1;
      bytes += bytesOf(entry);
      return slot;
    },
    remove(slot) {
      const entry = entries[slot];
      if (entry === undefined) return;
      bytes -= bytesOf(entry);
      slots().delete(entry.id);
      size -= 1;
      entries[slot] = undefined;
      free.push(slot);
    },
    meeting(conditions) {
      const found = new Uint8Array(entries.length);
      let count = 0;
      for (let slot = 0; slot < entries.length; slot += 1) {
        const entry = entries[slot];
        if (entry === undefined || !meetsConditions(entry, conditions)) continue;
        found[slot] = 1;
        count += 1;
      }
      return { slots: found, count };
    },
    pack: () => packed(entries),
  };
}

type Entries = (ScopeEntry | undefined)[];

function packed(entries: Readonly<Entries>): PackedEntries {
  const rare = <T extends object>(of: (entry: ScopeEntry) => T, isThere: (value: T) => boolean) =>
    entries.flatMap((entry, slot): (readonly [number, T])[] =>
      entry !== undefined && isThere(of(entry)) ? [[slot, of(entry)]] : [],
    );
  return {
    ids: entries.map((entry) => entry?.id ?? ''),
    kinds: entries.map((entry) => entry?.kind ?? 'memory'),
    states: entries.map((entry) => entry?.state ?? 'active'),
    validFrom: entries.map((entry) => entry?.validFrom ?? 0),
    endsAt: entries.map((entry) => entry?.endsAt ?? null),
    tags: rare(
      ({ tags }) => tags,
      (tags) => tags.length > 0,
    ),
    metadata: rare(
      ({ metadata }) => metadata,
      (metadata) => Object.keys(metadata).length > 0,
    ),
  };
}

function unpacked({ ids, kinds, states, validFrom, endsAt, ...rest }: PackedEntries): Entries {
  const tags = new Map(rest.tags);
  const metadata = new Map(rest.metadata);
  const entries: Entries = [];
  for (let slot = 0; slot < ids.length; slot += 1) {
    const id = ids[slot] ?? '';
    entries.push(
      id === ''
        ? undefined
        : {
            id,
            kind: kinds[slot] ?? 'memory',
            state: states[slot] ?? 'active',
            tags: tags.get(slot) ?? NO_TAGS,
            metadata: metadata.get(slot) ?? NO_METADATA,
            validFrom: validFrom[slot] ?? 0,
            endsAt: endsAt[slot] ?? null,
          },
    );
  }
  return entries;
}

/** An estimate that does not change while the entry is kept. */
function bytesOf(entry: ScopeEntry): number {
  let characters = entry.id.length;
  for (const tag of entry.tags) characters += tag.length;
  if (Object.keys(entry.metadata).length > 0) characters += JSON.stringify(entry.metadata).length;
  return BYTES_PER_ENTRY + characters * BYTES_PER_CHARACTER;
}
