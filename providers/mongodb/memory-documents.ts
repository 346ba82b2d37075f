/** Memories as documents: beside the record lies what searches and lists ask for. */
import type { Binary, Document } from 'mongodb';

import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { Memory } from '#core/records/memory.ts';
import { MEMORIES, type StoredMemory } from '#store/kinds.ts';

import type { Connection } from './connection.ts';
import { COMMAND_MS_MAX } from './connection-settings.ts';
import { unreadable } from './failure.ts';
import { metadataFields, type MetadataField } from './metadata-fields.ts';
import type { DocumentForm, RecordDocument } from './record-documents.ts';
import { openTable, type Table } from './table.ts';
import { decodeVector, encodeVector, vectorKey, type VectorForm, type Vectors } from './vectors.ts';

/** Documents analysed at once. */
const ANALYSED_AT_ONCE = 200;
/** A database of 200 million memories would take days and is not opened so. */
const BATCHES_MAX = 1_000_000;

export interface MemoryDocument extends RecordDocument {
  readonly _id: { readonly tenant: string; readonly id: string };
  /** JSON: its names may hold dots and dollars, and it may be read without the record. */
  readonly metadata: string;
  readonly tags: readonly string[];
  readonly fields: readonly MetadataField[];
  /** In the order of the text, with repetitions. */
  readonly terms: readonly string[];
  /** Revision of the analyzer that made the terms. */
  readonly analyzer: string;
  /** Those that it has a vector of. */
  readonly generations: readonly string[];
  readonly vectors?: Vectors;
}

export type MemoryDocuments = Table<MemoryDocument>;

export function memoryDocuments(connection: Connection): MemoryDocuments {
  return openTable<MemoryDocument>(connection, MEMORIES.name);
}

export function memoryForm(
  analyzer: TextAnalyzer,
  vectorForm: () => VectorForm,
): DocumentForm<StoredMemory> {
  return {
    unscanned: ['terms', 'fields', 'vectors'],
    encode(memory) {
      const { vectors, metadata, ...rest } = memory;
      if (vectors === null) throw new RangeError('A memory is written with its vectors.');
      const encoded = vectors.map(({ generation, vector }): [string, Binary] => [
        vectorKey(generation),
        encodeVector(vector, vectorForm()),
      ]);
      return {
        record: JSON.stringify(rest),
        metadata: JSON.stringify(metadata),
        tags: memory.tags,
        fields: metadataFields(metadata),
        terms: analyzer.terms(memory.content),
        analyzer: analyzer.revision,
        generations: vectors.map(({ generation }) => generation),
        vectors: Object.fromEntries(encoded),
      };
    },
    decode: (document) => decodeStored(document as unknown as MemoryDocument),
  };
}

function decodeStored(document: MemoryDocument): StoredMemory {
  const { vectors } = document;
  const rest = parsed(document.record) as Omit<StoredMemory, 'metadata' | 'vectors'>;
  return {
    ...rest,
    metadata: metadataOf(document),
    vectors:
      vectors === undefined
        ? null
        : document.generations.flatMap((generation) => {
            const stored = vectors[vectorKey(generation)];
            return stored === undefined ? [] : [{ generation, vector: [...decodeVector(stored)] }];
          }),
  };
}

/** The memory with the vector that is its own; null for the mark of a deleted one. */
export function decodeMemory(document: MemoryDocument): Memory | null {
  if (document.record === null) return null;
  const { counted: _, vectors, ...memory } = decodeStored(document);
  const own = vectors?.find(({ generation }) => generation === memory.embeddingGeneration);
  return { ...memory, vector: own === undefined ? null : [...own.vector] };
}

/** The metadata alone, of a document that was fetched without the rest. */
export function metadataOf({ metadata }: Pick<MemoryDocument, 'metadata'>): Memory['metadata'] {
  return parsed(metadata) as Memory['metadata'];
}

export function memoryId(tenant: string, id: string): MemoryDocument['_id'] {
  return { tenant, id };
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(String(text));
  } catch (cause) {
    throw unreadable(MEMORIES.name, cause);
  }
}

/**
 * Analyses memories that another analyzer analysed, at open, in bounded batches; repeatable, and by
 * several processes at once. Answers how many.
 */
export async function analyseMemories(
  connection: Connection,
  analyzer: TextAnalyzer,
): Promise<number> {
  // Asked across tenants, at open alone.
  const other = { analyzer: { $exists: true, $ne: analyzer.revision } };
  let analysed = 0;
  for (let batches = 0; batches < BATCHES_MAX; batches += 1) {
    const changed = await connection.run('memories.analyse', async (database) => {
      const memories = database.collection(MEMORIES.name);
      const limited = { maxTimeMS: COMMAND_MS_MAX };
      const projection = { record: 1, revision: 1 };
      const found = await memories
        .find(other, { ...limited, projection, limit: ANALYSED_AT_ONCE })
        .toArray();
      const operations = found.map(({ _id, revision, record }) => {
        const { content } = parsed(String(record)) as Memory;
        const terms = analyzer.terms(content);
        // What somebody else wrote in between was analysed with it.
        const filter: Document = { _id, revision: revision as number };
        return { updateOne: { filter, update: { $set: { terms, analyzer: analyzer.revision } } } };
      });
      if (operations.length === 0) return 0;
      const { matchedCount } = await memories.bulkWrite(operations, { ...limited, ordered: false });
      return matchedCount;
    });
    if (changed === 0) break;
    analysed += changed;
  }
  return analysed;
}
