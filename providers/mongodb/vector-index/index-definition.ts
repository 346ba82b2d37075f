/**
 * The definition of the vector index of one embedding generation. Each generation has its own field
 * and index, so that a change of the model builds the new index beside the old one. Also reads the
 * server's listing of indexes, and what it means for a search.
 */
import { vectorKey, vectorPath } from '../memory-documents.ts';
import type { Document } from 'mongodb';

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

/** Paths to filter by: fields of the document, not of its record (`memory-documents.ts`). */
export const FILTER_PATHS = [
  '_id.tenant',
  'c.layer',
  'c.scopeId',
  'c.state',
  'c.kind',
  'tags',
  'c.hiddenAt',
] as const;

/** Prefix of the names of Varve's indexes. */
const INDEX_PREFIX = 'memories-';

export function vectorIndexName(generation: string): string {
  return `${INDEX_PREFIX}${vectorKey(generation)}`;
}

/**
 * Returns the desired index of a generation.
 * @param dimensions of every vector of the generation, 1 to 8,192
 */
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
 * Whether an index with the found definition can replace the desired one. Additions by a person or
 * a newer version do no harm, and defaults of the server are not compared.
 */
export function answersLike(found: unknown, wanted: VectorDefinition): boolean {
  const fields = fieldsOf(found);
  return wanted.fields.every((field) =>
    fields.some((each) => Object.entries(field).every(([name, value]) => each[name] === value)),
  );
}

/** Returns the desired definition, plus filter paths that only the found definition has. */
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

export interface ListedIndex {
  readonly name: string;
  readonly status: string;
  readonly queryable: boolean;
  /** The definition that was requested last. */
  readonly latest: unknown;
  /** The definition that serves queries now, for each host; null if the listing does not say. */
  readonly serving: readonly unknown[];
  readonly message: string | null;
}

/**
 * `Ready`: it serves queries. `Building`: it serves none yet. `Updating`: an older definition
 * serves queries. `Outdated`: its definition must change. `Stale`: it no longer follows writes.
 */
export type IndexVerdict =
  | { readonly kind: 'Building' | 'Missing' | 'Outdated' | 'Ready' | 'Stale' }
  | { readonly kind: 'Unreachable' | 'Updating' }
  | { readonly kind: 'Failed' | 'Refused'; readonly message: string };

/** Statuses of an index that is being deleted or does not exist. */
const GONE: ReadonlySet<string> = new Set(['DELETING', 'DOES_NOT_EXIST']);

/** Reads a row of `$listSearchIndexes`. */
export function listedIndex(row: Document): ListedIndex {
  const { name, status, queryable, latestDefinition, latestDefinitionVersion } = row;
  const hosts = Array.isArray(row['statusDetail']) ? (row['statusDetail'] as Document[]) : [];
  const main = hosts.map((host) => (host['mainIndex'] ?? null) as Document | null);
  const message: unknown = row['message'] ?? main.find((each) => each?.['message'])?.['message'];
  return {
    name: String(name),
    status: String(status),
    queryable: queryable === true,
    latest: latestDefinition as unknown,
    serving: main.map((each) => servedBy(each, { latestDefinition, latestDefinitionVersion })),
    message: typeof message === 'string' ? message : null,
  };
}

/** A host without a definition serves the latest one if it names that version. */
function servedBy(main: Document | null, latest: Document): unknown {
  if (main === null) return null;
  if (main['definition'] !== undefined) return main['definition'] as unknown;
  const wanted: unknown = latest['latestDefinitionVersion']?.version;
  return main['definitionVersion']?.version === wanted ? latest['latestDefinition'] : null;
}

/** Returns what the listing means for the desired index. */
export function indexVerdict(listed: readonly ListedIndex[], wanted: DesiredIndex): IndexVerdict {
  const found = listed.find(({ name }) => name === wanted.name);
  if (found === undefined || GONE.has(found.status)) return { kind: 'Missing' };
  if (found.status === 'FAILED') {
    return { kind: 'Failed', message: found.message ?? 'no reason is given' };
  }
  if (!answersLike(found.latest, wanted.definition)) return { kind: 'Outdated' };
  if (!found.queryable) return { kind: 'Building' };
  if (found.status === 'STALE') return { kind: 'Stale' };
  const isServed = found.serving.every((definition) => answersLike(definition, wanted.definition));
  return isServed ? { kind: 'Ready' } : { kind: 'Updating' };
}

/** Returns what is wrong and how to fix it; null if nothing is. */
export function indexFinding(verdict: IndexVerdict, { name }: DesiredIndex): string | null {
  if (verdict.kind === 'Ready') return null;
  const reason = 'message' in verdict ? verdict.message : '';
  const finding = FINDINGS[verdict.kind](name, reason);
  return `${finding} Until then searches compare every vector of a scope.`;
}

const FINDINGS: Readonly<
  Record<Exclude<IndexVerdict['kind'], 'Ready'>, (name: string, reason: string) => string>
> = {
  Missing: (name) => `The vector index ${name} is missing. Restart Varve, which makes it.`,
  Failed: (name, reason) =>
    `The vector index ${name} failed: ${reason}. ` +
    'Drop it and restart Varve, which makes it again.',
  Refused: (name, reason) =>
    `MongoDB refuses the vector index ${name} (${reason}). Check the roles of the ` +
    'user and how many indexes the deployment allows.',
  Unreachable: (name) =>
    `MongoDB reports nothing about the vector index ${name}. ` +
    'Check that the search process (mongot) runs.',
  Building: (name) => `The vector index ${name} is being built; wait.`,
  Updating: (name) => `The vector index ${name} is being rebuilt for a new definition; wait.`,
  Outdated: (name) =>
    `The vector index ${name} has another definition. Restart Varve, which updates it.`,
  Stale: (name) =>
    `The vector index ${name} no longer follows the collection. Check disk and memory of the ` +
    'search process (mongot) and its line to MongoDB.',
};
