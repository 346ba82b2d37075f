/**
 * The definition of the vector index of one embedding generation. Each generation has a field and
 * an index of its own, so that a change of the model builds the new one beside the old.
 */
import { vectorKey, vectorPath } from '../vector-bytes.ts';

interface VectorField {
  readonly type: 'vector';
  readonly path: string;
  readonly numDimensions: number;
  /** Vectors need not have length 1; the score is `(1 + cosine) / 2`. */
  readonly similarity: 'cosine';
}

interface FilterField {
  readonly type: 'filter';
  readonly path: string;
}

export type VectorDefinition = { readonly fields: readonly (VectorField | FilterField)[] };

export interface DesiredIndex {
  readonly generation: string;
  readonly name: string;
  readonly definition: VectorDefinition;
}

/** Where a query may filter: fields of the document, not of its record (`memory-documents.ts`). */
export const FILTER_PATHS = [
  '_id.tenant',
  'c.layer',
  'c.scopeId',
  'c.state',
  'c.kind',
  'tags',
  'c.hiddenAt',
] as const;

/** Names of indexes that are Varve's begin so. */
export const INDEX_PREFIX = 'memories-';

export function vectorIndexName(generation: string): string {
  return `${INDEX_PREFIX}${vectorKey(generation)}`;
}

/** @param dimensions of every vector of the generation, 1 to 8,192 */
export function desiredIndex(generation: string, dimensions: number): DesiredIndex {
  const vector: VectorField = {
    type: 'vector',
    path: vectorPath(generation),
    numDimensions: dimensions,
    similarity: 'cosine',
  };
  const filters = FILTER_PATHS.map((path): FilterField => ({ type: 'filter', path }));
  const definition = { fields: [vector, ...filters] };
  return { generation, name: vectorIndexName(generation), definition };
}

/**
 * Whether an index of this definition answers what the desired one would. Additions of a person or
 * a newer version do no harm, and defaults of the server are not compared.
 */
export function answersLike(found: unknown, wanted: VectorDefinition): boolean {
  const fields = fieldsOf(found);
  return wanted.fields.every((field) =>
    fields.some((each) => Object.entries(field).every(([name, value]) => each[name] === value)),
  );
}

/** The wanted definition with the filter paths that the found one has beside. */
export function withFoundPaths(found: unknown, wanted: VectorDefinition): VectorDefinition {
  const paths = new Set(wanted.fields.map(({ path }) => path));
  const others = fieldsOf(found).flatMap(({ type, path }): FilterField[] =>
    type === 'filter' && typeof path === 'string' && !paths.has(path) ? [{ type, path }] : [],
  );
  return { fields: [...wanted.fields, ...others] };
}

function fieldsOf(definition: unknown): readonly Readonly<Record<string, unknown>>[] {
  const fields = (definition as { fields?: unknown } | null)?.fields;
  return Array.isArray(fields) ? fields : [];
}
