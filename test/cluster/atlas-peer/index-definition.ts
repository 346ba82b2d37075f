/** Definitions of vector indexes: the published schema, and the one rule that it lacks. */
import { getSchema } from '@mongodb-js/search-index-schema';
import { Ajv } from 'ajv';

export interface VectorField {
  readonly type: 'vector';
  readonly path: string;
  readonly numDimensions: number;
  readonly similarity: 'cosine' | 'dotProduct' | 'euclidean';
}

export interface FilterField {
  readonly type: 'filter';
  readonly path: string;
}

export interface VectorDefinition {
  readonly fields: readonly (VectorField | FilterField)[];
}

const validate = new Ajv({ strict: false, allErrors: true }).compile(getSchema('vectorSearch'));

/** What is wrong with a definition, in words; empty where nothing is. */
export function problemsOfDefinition(definition: unknown): readonly string[] {
  if (!validate(definition)) {
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${instancePath || '/'} ${String(message)}`,
    );
  }
  const paths = (definition as VectorDefinition).fields.map(({ path }) => path);
  return paths
    .filter((path, at) => paths.indexOf(path) !== at)
    .map((path) => `/fields has the path ${path} twice`);
}

/** The same definition, whatever order its fields are written in. */
export function isSameDefinition(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([x], [y]) => (x < y ? -1 : 1)))
      : inner,
  );
}
