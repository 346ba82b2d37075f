/** What a vector index keeps of one document: its vectors, and the values that filters compare. */
import { Binary, type Document } from 'mongodb';

import type { IndexedValues } from './filter-language.ts';
import type { VectorDefinition } from './index-definition.ts';

export interface IndexEntry {
  /** The `_id`, by which an answer is joined to the live document. */
  readonly id: unknown;
  readonly vectors: ReadonlyMap<string, readonly number[]>;
  readonly values: IndexedValues;
}

/** A vector of another length is left out without a word, as is one in plain bytes. */
export function entryOf(document: Document, { fields }: VectorDefinition): IndexEntry {
  const vectors = new Map<string, readonly number[]>();
  const values = new Map<string, readonly unknown[]>();
  for (const field of fields) {
    const found = valuesAt(document, field.path.split('.'));
    if (field.type === 'filter') {
      if (found.length > 0) values.set(field.path, found.flat());
      continue;
    }
    const [first] = found;
    const vector = vectorOf(first);
    if (vector?.length === field.numDimensions) vectors.set(field.path, vector);
  }
  return { id: document['_id'] as unknown, vectors, values };
}

/** A vector as MongoDB takes it, in a document or a query; null for anything else. */
export function vectorOf(value: unknown): readonly number[] | null {
  if (Array.isArray(value)) {
    return value.every((each) => typeof each === 'number') ? value : null;
  }
  if (!(value instanceof Binary) || value.sub_type !== Binary.SUBTYPE_VECTOR) return null;
  return Array.from(value.toFloat32Array());
}

/** Every value at a path; arrays on the way are walked through. */
function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  const [name, ...rest] = path;
  if (name === undefined) return value === undefined ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((each: unknown) => valuesAt(each, path));
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
  return valuesAt((value as Document)[name], rest);
}
