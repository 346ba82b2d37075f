/** Memories as documents: the record, and beside it the fields that searches and lists query. */
import { Binary, type Document, type Sort } from 'mongodb';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { Memory } from '#core/records/memory.ts';
import { MEMORIES, type StoredMemory } from '#store/record-kinds-and-indexes.ts';
import { memoryOf } from '#store/stored-memory.ts';
import { parsedRecord } from '#store/record-and-schema-checks.ts';
import type { Connection } from './connection.ts';
import { COMMAND_MS_MAX } from './connection-settings.ts';
import { columnsOf, type DocumentForm, type RecordDocument } from './record-documents.ts';
import { parseIsoDate } from '#core/text/iso-date.ts';
import { orderedText } from './text-order.ts';

/**
 * Metadata as conditions need it: one entry for each scalar at each path that a filter can name
 * (core/search/filter.ts). Names may contain anything, so here they are values, not field names.
 */
interface MetadataField {
  /** Names joined by dots. */
  readonly path: string;
  /** Strings are encoded by `orderedText`. */
  readonly value: string | number | boolean;
  /** The time, if the value is a string that names one. */
  readonly date: Date | null;
}

/** No filter can name a longer path. The bound is needed because the names of a path add up. */
const PATH_LENGTH_MAX = 512;

export function metadataFields(metadata: Readonly<Record<string, unknown>>): MetadataField[] {
  const found = new Map<string, MetadataField>();
  const waiting: { path: string; value: unknown }[] = [{ path: '', value: metadata }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, value } = next;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      waiting.push(...below(path, value));
      continue;
    }
    const scalars: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const scalar of scalars) {
      const field = fieldOf(path, scalar);
      if (field !== null) found.set(`${typeof scalar} ${path} ${String(scalar)}`, field);
    }
  }
  return [...found.values()];
}

function below(path: string, value: object): { path: string; value: unknown }[] {
  return Object.entries(value)
    .filter(([name]) => isNameable(name))
    .map(([name, inner]) => ({
      path: path === '' ? name : `${path}.${name}`,
      value: inner as unknown,
    }))
    .filter((inner) => inner.path.length <= PATH_LENGTH_MAX);
}

/** Whether a filter can use a name: it splits paths at dots, refuses dollars and empty names. */
function isNameable(name: string): boolean {
  return name !== '' && !name.includes('.') && !name.startsWith('$');
}

function fieldOf(path: string, value: unknown): MetadataField | null {
  if (typeof value === 'number' || typeof value === 'boolean') return { path, value, date: null };
  if (typeof value !== 'string') return null;
  const at = parseIsoDate(value);
  return { path, value: orderedText(value), date: at === null ? null : new Date(at) };
}

/** Documents analyzed at once. */
const ANALYSED_AT_ONCE = 200;
/** A bound: analyzing 200 million memories at open would take days. */
const BATCHES_MAX = 1_000_000;

export interface MemoryDocument extends RecordDocument {
  readonly _id: { readonly tenant: string; readonly id: string };
  /** JSON, since its names may contain dots and dollars; it can be read without the record. */
  readonly metadata: string;
  readonly tags: readonly string[];
  readonly fields: readonly MetadataField[];
  /** In the order of the text, with repetitions. */
  readonly terms: readonly string[];
  /** Revision of the analyzer that made the terms. */
  readonly analyzer: string;
  /** Generations that the memory has a vector of. */
  readonly generations: readonly string[];
  readonly vectors?: Vectors;
}

/** A filter of MongoDB; it starts with the tenant, by `_id` or `_id.tenant`. */
export type DocumentFilter = Readonly<Record<string, unknown>>;

interface Selection {
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly limit: number;
  /** Fields to fetch besides `_id`; absent for all. */
  readonly fields?: readonly string[];
}

/** Reads the documents of memories for searches and lists; only the driver writes them. */
export interface MemoryDocuments {
  select(filter: DocumentFilter, selection: Selection): Promise<MemoryDocument[]>;
  /** Counts matches, up to `most` if given. */
  count(filter: DocumentFilter, most?: number): Promise<number>;
  aggregate(stages: readonly Document[]): Promise<Document[]>;
}

const LIMITED = { maxTimeMS: COMMAND_MS_MAX } as const;

export function memoryDocuments(connection: Connection): MemoryDocuments {
  const { name } = MEMORIES;
  return {
    select: async (filter, { sort, limit, fields }) => {
      // To MongoDB no limit and a limit of 0 are the same.
      if (limit <= 0) return [];
      return connection.run(`${name}.select`, async (database) => {
        const sorted = sort === undefined ? {} : { sort: sort as Sort };
        const found = database.collection(name).find(filter, { ...LIMITED, limit, ...sorted });
        if (fields !== undefined) found.project(Object.fromEntries(fields.map((f) => [f, 1])));
        return (await found.toArray()) as unknown as MemoryDocument[];
      });
    },
    count: (filter, most) =>
      connection.run(`${name}.count`, (database) =>
        database.collection(name).countDocuments(filter, {
          ...LIMITED,
          ...(most === undefined ? {} : { limit: most }),
        }),
      ),
    aggregate: (stages) =>
      connection.run(`${name}.aggregate`, (database) =>
        database
          .collection(name)
          .aggregate([...stages], LIMITED)
          .toArray(),
      ),
  };
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
        generations: vectors.map(({ generation }) => generation),
        vectors: Object.fromEntries(encoded),
      };
    },
    derive: (memory) => ({
      c: columnsOf(MEMORIES, memory),
      tags: memory.tags,
      fields: metadataFields(memory.metadata),
      terms: analyzer.terms(memory.content),
      analyzer: analyzer.revision,
    }),
    decode: (document) => decodeStored(document as unknown as MemoryDocument),
  };
}

function decodeStored(document: MemoryDocument): StoredMemory {
  const rest = parsedRecord(MEMORIES.name, document.record) as Omit<
    StoredMemory,
    'metadata' | 'vectors'
  >;
  return {
    ...rest,
    metadata: metadataOf(document),
    vectors:
      document.vectors === undefined
        ? null
        : vectorsOf(document).map(({ generation, vector }) => ({
            generation,
            vector: [...vector],
          })),
  };
}

export function vectorsOf(
  document: MemoryDocument,
): readonly { readonly generation: string; readonly vector: Float32Array }[] {
  return document.generations.flatMap((generation) => {
    const vector = vectorOf(document, generation);
    return vector === null ? [] : [{ generation, vector }];
  });
}

export function vectorOf({ vectors }: MemoryDocument, generation: string): Float32Array | null {
  const stored = vectors?.[vectorKey(generation)];
  return stored === undefined ? null : decodeVector(stored);
}

/** Returns the memory with its own vector; null for the mark of a deleted memory. */
export function decodeMemory(document: MemoryDocument): Memory | null {
  return document.record === null ? null : memoryOf(decodeStored(document));
}

/** Returns the metadata of a document that was fetched without the rest. */
export function metadataOf({ metadata }: Pick<MemoryDocument, 'metadata'>): Memory['metadata'] {
  return parsedRecord(MEMORIES.name, metadata) as Memory['metadata'];
}

export function memoryId(tenant: string, id: string): MemoryDocument['_id'] {
  return { tenant, id };
}

/**
 * Analyzes memories of another analyzer's revision again, at open, in bounded batches. Repeatable,
 * also by several processes at once. Returns how many.
 */
export async function analyseMemories(
  connection: Connection,
  analyzer: TextAnalyzer,
): Promise<number> {
  // This query crosses tenants; it runs only at open.
  const other = { analyzer: { $exists: true, $ne: analyzer.revision } };
  let analyzed = 0;
  for (let batches = 0; batches < BATCHES_MAX; batches += 1) {
    const selection = { limit: ANALYSED_AT_ONCE, fields: ['record', 'revision'] };
    const found = await memoryDocuments(connection).select(other, selection);
    if (found.length === 0) break;
    const updates = found.map(({ _id, revision, record }) => {
      const { content } = parsedRecord(MEMORIES.name, record) as Memory;
      const u = { $set: { terms: analyzer.terms(content), analyzer: analyzer.revision } };
      // If another process wrote the memory in between, it also analyzed it.
      return { q: { _id, revision }, u };
    });
    const command = { update: MEMORIES.name, updates, ordered: false };
    const { matched } = await connection.write('memories.analyze', command);
    if (matched === 0) break;
    analyzed += matched;
  }
  return analyzed;
}

const BYTES = Float32Array.BYTES_PER_ELEMENT;
/** MongoDB's own vectors begin with element type and padding. */
const HEADER_BYTES = 2;

/** Vectors by `vectorKey` of their generations. */
type Vectors = Readonly<Record<string, Binary>>;

/**
 * Returns the name of a generation as a field name, without dots and dollars; the path of its
 * vectors is `vectors.` and this name.
 */
export function vectorKey(generation: string): string {
  return generation.replaceAll(/[^A-Za-z0-9-]/gu, (character) => {
    return `_${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}

export function vectorPath(generation: string): string {
  return `vectors.${vectorKey(generation)}`;
}

/**
 * `Vector`: MongoDB's own format, the only one that a vector index reads. `Bytes`: plain binary,
 * which every server of the protocol stores. Both take a third of the size of an array.
 */
export type VectorForm = 'Bytes' | 'Vector';

function encodeVector(vector: readonly number[], form: VectorForm): Binary {
  const own = Binary.fromFloat32Array(new Float32Array(vector));
  return form === 'Vector' ? own : new Binary(own.value().subarray(HEADER_BYTES));
}

/** Decodes a vector of either form. */
export function decodeVector(stored: Binary): Float32Array {
  const { buffer, byteOffset, byteLength } = stored.value();
  const header = stored.sub_type === Binary.SUBTYPE_VECTOR ? HEADER_BYTES : 0;
  const bytes = new DataView(buffer, byteOffset + header, byteLength - header);
  return Float32Array.from({ length: bytes.byteLength / BYTES }, (_, at) =>
    bytes.getFloat32(at * BYTES, true),
  );
}
