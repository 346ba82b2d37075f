/**
 * The definition of the vector index of one embedding generation. Each generation has a field and
 * an index of its own, so that a change of the model builds the new one beside the old. Also what
 * the server says of its indexes, and what that means for a search.
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

export interface ListedIndex {
  readonly name: string;
  readonly status: string;
  readonly queryable: boolean;
  /** What was asked for last. */
  readonly latest: unknown;
  /** What answers now, on each host; null where the listing does not say. */
  readonly serving: readonly unknown[];
  readonly message: string | null;
}

/**
 * `Ready`: queries are answered from it. `Building`: nothing is answered yet. `Updating`: an older
 * definition answers. `Outdated`: its definition has to be changed. `Stale`: it stopped following.
 */
export type IndexVerdict =
  | { readonly kind: 'Building' | 'Missing' | 'Outdated' | 'Ready' | 'Stale' }
  | { readonly kind: 'Unreachable' | 'Updating' }
  | { readonly kind: 'Failed' | 'Refused'; readonly message: string };

/** Statuses of an index that is going away or never was. */
const GONE: ReadonlySet<string> = new Set(['DELETING', 'DOES_NOT_EXIST']);

/** A row of `$listSearchIndexes`. */
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

/** A host that names no definition serves the latest where it names that one's version. */
function servedBy(main: Document | null, latest: Document): unknown {
  if (main === null) return null;
  if (main['definition'] !== undefined) return main['definition'] as unknown;
  const wanted: unknown = latest['latestDefinitionVersion']?.version;
  return main['definitionVersion']?.version === wanted ? latest['latestDefinition'] : null;
}

/** What the listing means for the wanted index. */
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

/** What is wrong and how to fix it; null if nothing is. */
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
    `MongoDB says nothing of the vector index ${name}. ` +
    'Check that the search process (mongot) runs.',
  Building: (name) => `The vector index ${name} is being built; wait.`,
  Updating: (name) => `The vector index ${name} is being rebuilt for a new definition; wait.`,
  Outdated: (name) =>
    `The vector index ${name} has another definition. Restart Varve, which updates it.`,
  Stale: (name) =>
    `The vector index ${name} no longer follows the collection. Check disk and memory of the ` +
    'search process (mongot) and its line to MongoDB.',
};
