/** Memories as documents: content, vectors, what searches ask for, what the scope knows of it. */
import type { Binary } from 'mongodb';

import { endOf } from '#core/memory-state.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { Memory } from '#core/records/memory.ts';
import { hiddenFrom } from '#core/search/conditions.ts';
import { utf8Bytes } from '#core/text.ts';

import { metadataFields, type MetadataField } from './metadata-fields.ts';
import { decodeRecord, encodeRecord, keyOf, type Fields } from './record-document.ts';
import { NEVER, type SourceState } from './scope-document.ts';
import type { Table } from './table.ts';
import { decodeVector, encodeVector, vectorKey, type VectorForm, type Vectors } from './vectors.ts';

/** How long the mark of a deleted memory stays, where removing it was interrupted. */
export const VOID_SECONDS = 24 * 60 * 60;

/** What searches and lists ask for; made anew from the record where the analyzer changed. */
export interface Searched {
  readonly kind: Memory['kind'] | null;
  readonly tags: readonly string[];
  readonly fields: readonly MetadataField[];
  /** From when on no search finds it, as against `endsAt`, from when on it is no source. */
  readonly hiddenAt: number;
  /** In the order of the text, with repetitions. */
  readonly terms: readonly string[];
  /** Revision of the analyzer that made the terms. */
  readonly analyzer: string | null;
}

export interface MemoryDocument extends Searched {
  readonly _id: { readonly tenant: string; readonly id: string };
  /** Null where the memory was deleted, or was announced and never came. */
  readonly record: Fields | null;
  readonly layer: Memory['layer'];
  readonly scopeId: string;
  /** The last write; a writer changes only what bears what it read. */
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
  /** Whose vector is the memory's own. */
  readonly generation: string | null;
  /** Those that it has a vector of. */
  readonly generations: readonly string[];
  readonly vectors: Vectors;
  /** The change that made it what it is (memory-history.ts). */
  readonly change: Fields | null;
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

export interface Written {
  readonly token: string;
  /** Whether its lane is in the hash of its scope. */
  readonly counted: boolean;
  readonly change: Fields;
  readonly analyzer: TextAnalyzer;
  readonly vectorForm: VectorForm;
  /** Vectors that it keeps beside its own, and their generations. */
  readonly kept?: Pick<MemoryDocument, 'vectors' | 'generations'>;
}

/** @throws VarveError INVALID_INPUT for a vector that no other can be compared with */
export function encodeMemory(memory: Memory, written: Written): MemoryDocument {
  const { vector, ...rest } = memory;
  const { token, counted, change, analyzer } = written;
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
    ...vectorsWith(written, memory.embeddingGeneration, vector),
    change,
    voidAt: null,
    ...searched(memory, analyzer),
  };
}

export function searched(memory: Memory, analyzer: TextAnalyzer): Searched {
  return {
    kind: memory.kind,
    tags: memory.tags,
    fields: metadataFields(memory.metadata),
    hiddenAt: hiddenFrom(memory) ?? NEVER,
    terms: analyzer.terms(memory.content),
    analyzer: analyzer.revision,
  };
}

export function decodeMemory(document: MemoryDocument): Memory | null {
  const { _id, record, generation, vectors } = document;
  if (record === null) return null;
  const stored = generation === null ? undefined : vectors[vectorKey(generation)];
  const vector = stored === undefined ? null : [...decodeVector(stored)];
  return { ...decodeRecord<Rest>(SHAPE, { _id, record }), vector };
}

/** The metadata alone, of a document that was fetched without the rest. */
export function metadataOf({ record }: Pick<MemoryDocument, 'record'>): Memory['metadata'] {
  const { metadata } = { ...record };
  const _id = memoryId('', '');
  return decodeRecord<Pick<Memory, 'metadata'>>(
    { name: 'memories', key: [], free: ['metadata'] },
    { _id, record: { metadata } },
  ).metadata;
}

/** What stays for a moment of a deleted memory: its last change, until the history has that. */
export function voidOf(
  at: Pick<MemoryDocument, '_id' | 'layer' | 'scopeId'>,
  { token, now, change = null }: { token: string; now: number; change?: Fields | null },
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
    vectors: {},
    generations: [],
    change,
    voidAt: new Date(now),
    kind: null,
    tags: [],
    fields: [],
    hiddenAt: NEVER,
    terms: [],
    analyzer: null,
  };
}

export function stateOf(memory: Memory, counted: boolean): SourceState {
  const { id, contentHash, tokenCount, content } = memory;
  const bytes = utf8Bytes(content);
  return { id, contentHash, tokenCount, bytes, endsAt: endOf(memory) ?? NEVER, counted };
}

/** The condition of being the document that was read, unchanged. */
export function unchanged({
  _id,
  token,
  version,
}: Pick<MemoryDocument, '_id' | 'token' | 'version'>): Record<string, unknown> {
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

function vectorsWith(
  { kept = { vectors: {}, generations: [] }, vectorForm }: Pick<Written, 'kept' | 'vectorForm'>,
  generation: string | null,
  vector: readonly number[] | null,
): Pick<MemoryDocument, 'vectors' | 'generations'> {
  const { vectors, generations } = kept;
  if (generation === null || vector === null) return { vectors, generations };
  const encoded = encodeVector(vector, vectorForm);
  const own: Record<string, Binary> = { [vectorKey(generation)]: encoded };
  return {
    vectors: { ...vectors, ...own },
    generations: [...new Set([...generations, generation])],
  };
}
