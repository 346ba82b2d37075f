/** Memories as documents: one holds content, vector, and what its scope knows of it. */
import type { Binary } from 'mongodb';

import { endOf } from '#core/memory-state.ts';
import type { Memory } from '#core/records/memory.ts';

import { decodeRecord, encodeRecord, keyOf, type Fields } from './record-document.ts';
import { NEVER, type SourceState } from './scope-document.ts';
import type { Table } from './table.ts';
import { decodeVector, encodeVector } from './vectors.ts';

/** How long the mark of a deleted memory stays, where removing it was interrupted. */
export const VOID_SECONDS = 24 * 60 * 60;

export interface MemoryDocument {
  readonly _id: { readonly tenant: string; readonly id: string };
  /** Null where the memory was deleted, or was announced and never came. */
  readonly record: Fields | null;
  readonly layer: Memory['layer'];
  readonly scopeId: string;
  /** The last write that its scope hears of; a writer changes only what bears what it read. */
  readonly token: string;
  /**
   * Unique in the tenant: the scope and key of the memory that holds it, else its own id. So the
   * index is over a field that every document has, and needs no partial index.
   */
  readonly slot: string;
  readonly state: Memory['state'] | 'void';
  readonly version: number;
  readonly endsAt: number;
  readonly counted: boolean;
  readonly generation: string | null;
  readonly vector: Binary | null;
  /** When the document became void, for its removal. */
  readonly voidAt: Date | null;
}

export type MemoryDocuments = Table<MemoryDocument>;

/** A memory without its vector. */
type Rest = Omit<Memory, 'vector'>;

const SHAPE = { name: 'memories', key: ['tenant', 'id'], free: ['metadata'] } as const;

export function memoryId(tenant: string, id: string): MemoryDocument['_id'] {
  return keyOf<Memory>(SHAPE, { tenant, id }) as unknown as MemoryDocument['_id'];
}

/** `counted`: whether its lane is in the hash of its scope. */
export function encodeMemory(
  memory: Memory,
  { token, counted }: { token: string; counted: boolean },
): MemoryDocument {
  const { vector, ...rest } = memory;
  const { record } = encodeRecord<Rest>(SHAPE, rest);
  return {
    _id: memoryId(memory.tenant, memory.id),
    record,
    layer: memory.layer,
    scopeId: memory.scopeId,
    token,
    slot: slotOf(memory),
    state: memory.state,
    version: memory.version,
    endsAt: endOf(memory) ?? NEVER,
    counted,
    generation: memory.embeddingGeneration,
    vector: memory.embeddingGeneration === null ? null : encodeVector(vector),
    voidAt: null,
  };
}

export function decodeMemory(document: MemoryDocument): Memory | null {
  const { _id, record, vector } = document;
  if (record === null) return null;
  return { ...decodeRecord<Rest>(SHAPE, { _id, record }), vector: decodeVector(vector) };
}

/** What stays for a moment of a deleted memory: no word of it. */
export function voidOf(
  at: Pick<MemoryDocument, '_id' | 'layer' | 'scopeId'>,
  token: string,
  now: number,
): MemoryDocument {
  const { _id, layer, scopeId } = at;
  return {
    _id,
    record: null,
    layer,
    scopeId,
    token,
    slot: ownSlot(_id.id),
    state: 'void',
    version: 0,
    endsAt: NEVER,
    counted: false,
    generation: null,
    vector: null,
    voidAt: new Date(now),
  };
}

export function stateOf(memory: Memory, counted: boolean): SourceState {
  const { id, contentHash, tokenCount } = memory;
  return { id, contentHash, tokenCount, endsAt: endOf(memory) ?? NEVER, counted };
}

/** The condition of being the document that was read, unchanged. */
export function unchanged({ _id, token, version }: MemoryDocument): Record<string, unknown> {
  return { _id, token, version };
}

export function slotOf(memory: Pick<Memory, 'id' | 'layer' | 'scopeId' | 'key' | 'state'>): string {
  const { id, layer, scopeId, key, state } = memory;
  return key === null || state !== 'active' ? ownSlot(id) : JSON.stringify([layer, scopeId, key]);
}

/** Never one of a key, which begins with a bracket. */
function ownSlot(id: string): string {
  return `id/${id}`;
}
