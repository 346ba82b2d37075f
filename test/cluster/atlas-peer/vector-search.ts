/** The stage `$vectorSearch`: its arguments, its rules, and the nearest entries of an index. */
import type { Document } from 'mongodb';

import { predicateOf } from './filter-language.ts';
import type { VectorField } from './index-definition.ts';
import { vectorOf, type IndexEntry } from './index-entry.ts';
import { Refusal } from './refusal.ts';
import { isQueryable, type SearchIndex } from './search-index.ts';

const CANDIDATES_MAX = 10_000;
const ARGUMENTS = ['index', 'path', 'queryVector', 'limit', 'numCandidates', 'exact', 'filter'];

export interface Scored {
  readonly id: unknown;
  readonly score: number;
}

interface Arguments {
  readonly index: string;
  readonly path: string;
  readonly queryVector: readonly number[];
  readonly limit: number;
  readonly filter: unknown;
}

/**
 * The nearest entries, best first. An index that is not there answers nothing, and no error.
 * @param find the index of a name, on the collection of the command
 * @throws Refusal for what mongod or mongot refuses
 */
export function vectorSearch(
  stage: Document,
  find: (name: string) => SearchIndex | null,
): readonly Scored[] {
  const wanted = argumentsOf(stage);
  const index = find(wanted.index);
  if (index === null) return [];
  if (!isQueryable(index) || index.main === null) {
    const state = index.status === 'BUILDING' ? 'INITIAL_SYNC' : index.status;
    throw refused(`cannot query vector index ${index.name} while in state ${state}`);
  }
  const { definition, entries } = index.main;
  const field = definition.fields.find(({ path }) => path === wanted.path);
  if (field?.type !== 'vector')
    throw refused(`Path '${wanted.path}' needs to be indexed as vector`);
  checkVector(wanted.queryVector, field);
  const filters = definition.fields.filter(({ type }) => type === 'filter');
  const declared = new Set(filters.map(({ path }) => path));
  const meets = predicateOf(wanted.filter ?? {}, declared);
  return entries
    .filter(({ values }) => meets(values))
    .flatMap((entry) => scoredOf(entry, wanted.queryVector, field))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, wanted.limit);
}

function argumentsOf(stage: Document): Arguments {
  const unknown = Object.keys(stage).find((name) => !ARGUMENTS.includes(name));
  if (unknown !== undefined) throw parsing(`the peer doesn't know the argument "${unknown}"`);
  const { index, path, limit, numCandidates, exact, filter } = stage;
  if (typeof index !== 'string' || typeof path !== 'string') {
    throw parsing('"index" and "path" must be strings');
  }
  if (!isPositive(limit)) throw parsing('"limit" must be a positive integer');
  if (exact === true) {
    if (numCandidates !== undefined) throw parsing('"numCandidates" must be omitted with "exact"');
  } else if (!isPositive(numCandidates) || numCandidates > CANDIDATES_MAX) {
    throw parsing(`"numCandidates" must be 1 to ${String(CANDIDATES_MAX)}`);
  } else if (numCandidates < limit) {
    throw parsing('"numCandidates" must be at least "limit"');
  }
  const queryVector = vectorOf(stage['queryVector']);
  if (queryVector === null || !queryVector.every((each) => Number.isFinite(each))) {
    throw parsing('"queryVector" must be a vector of finite numbers');
  }
  return { index, path, limit, filter: filter as unknown, queryVector };
}

function checkVector(vector: readonly number[], { numDimensions, similarity }: VectorField): void {
  if (vector.length !== numDimensions) {
    const found = `queried with ${String(vector.length)}`;
    throw refused(`vector field is indexed with ${String(numDimensions)} dimensions but ${found}`);
  }
  if (similarity === 'cosine' && vector.every((each) => each === 0)) {
    throw refused('a zero vector has no cosine');
  }
}

function scoredOf(
  { id, vectors }: IndexEntry,
  wanted: readonly number[],
  { path, similarity }: VectorField,
): readonly Scored[] {
  const vector = vectors.get(path);
  if (vector === undefined) return [];
  const score = SCORES[similarity](vector, wanted);
  return Number.isNaN(score) ? [] : [{ id, score }];
}

/** Between 0 and 1, the nearer the higher. */
const SCORES: Readonly<
  Record<VectorField['similarity'], (a: readonly number[], b: readonly number[]) => number>
> = {
  cosine: (a, b) => (1 + dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))) / 2,
  dotProduct: (a, b) => (1 + dot(a, b)) / 2,
  euclidean: (a, b) => 1 / (1 + a.reduce((sum, x, at) => sum + (x - (b[at] ?? 0)) ** 2, 0)),
};

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0);
}

function isPositive(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

function parsing(message: string): Refusal {
  return new Refusal('FailedToParse', message);
}

function refused(message: string): Refusal {
  return new Refusal('UnknownError', message);
}
