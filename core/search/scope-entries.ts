/** The entries of a scope index by slot: a small number that an entry keeps while it is there. */
import type { Memory } from '../records/memory.ts';
import { type Conditioned, meetsConditions } from './conditions.ts';
import type { MemoryConditions } from './scope-search.ts';

/** What is kept of an entry besides its terms and vectors. */
export interface ScopeEntry extends Conditioned, Pick<Memory, 'id' | 'validFrom'> {}

/** What an entry takes besides its texts, vectors and terms. */
const BYTES_PER_ENTRY = 320;
const BYTES_PER_CHARACTER = 2;

export interface ScopeEntries {
  readonly size: number;
  readonly bytes: number;
  /** One more than the largest slot that was ever in use. */
  readonly slotsEnd: number;
  slotOf(id: string): number | undefined;
  idAt(slot: number): string;
  at(slot: number): ScopeEntry | undefined;
  /** Adds an entry whose id is not there; answers its slot. */
  put(entry: ScopeEntry): number;
  remove(slot: number): void;
  /** 1 by slot for each entry that meets the conditions, and how many do. */
  meeting(conditions: MemoryConditions): { readonly slots: Uint8Array; readonly count: number };
}

export function createScopeEntries(): ScopeEntries {
  const slots = new Map<string, number>();
  const entries: (ScopeEntry | undefined)[] = [];
  const free: number[] = [];
  let bytes = 0;

  return {
    get size() {
      return slots.size;
    },
    get bytes() {
      return bytes;
    },
    get slotsEnd() {
      return entries.length;
    },
    slotOf: (id) => slots.get(id),
    idAt: (slot) => entries[slot]?.id ?? '',
    at: (slot) => entries[slot],
    put(entry) {
      const slot = free.pop() ?? entries.length;
      entries[slot] = entry;
      slots.set(entry.id, slot);
      bytes += bytesOf(entry);
      return slot;
    },
    remove(slot) {
      const entry = entries[slot];
      if (entry === undefined) return;
      bytes -= bytesOf(entry);
      slots.delete(entry.id);
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
  };
}

/** An estimate that does not change while the entry is kept. */
function bytesOf(entry: ScopeEntry): number {
  let characters = entry.id.length;
  for (const tag of entry.tags) characters += tag.length;
  if (Object.keys(entry.metadata).length > 0) characters += JSON.stringify(entry.metadata).length;
  return BYTES_PER_ENTRY + characters * BYTES_PER_CHARACTER;
}
