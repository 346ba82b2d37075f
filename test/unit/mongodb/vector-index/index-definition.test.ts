/** Definitions of vector indexes: valid, one per generation, and compared carefully. */
import { describe, expect, it } from 'vitest';

import {
  FILTER_PATHS,
  answersLike,
  vectorIndexName,
  desiredIndex,
  withFoundPaths,
} from '#providers/mongodb/vector-index/index-definition.ts';
import {
  isSameDefinition,
  problemsOfDefinition,
} from '#test/cluster/atlas-peer/index-definition.ts';

const { definition } = desiredIndex('hash-1', 384);
const [vector, ...filters] = definition.fields;

const INVALID: readonly (readonly [string, unknown])[] = [
  ['no vector field', { fields: filters }],
  ['too many dimensions', desiredIndex('hash-1', 8_193).definition],
  ['no dimension', desiredIndex('hash-1', 0).definition],
  ['a path twice', { fields: [...definition.fields, { type: 'filter', path: 'tags' }] }],
  ['an unknown similarity', { fields: [{ ...vector, similarity: 'manhattan' }] }],
  ['an unknown property', { fields: definition.fields, engine: 'custom' }],
];

const OTHERS: readonly (readonly [string, unknown, boolean])[] = [
  ['the same fields in another order', { fields: definition.fields.toReversed() }, true],
  [
    'fields that the server added',
    { fields: [{ ...vector, quantization: 'none' }, ...filters], numPartitions: 1 },
    true,
  ],
  [
    'an added filter path',
    { fields: [...definition.fields, { type: 'filter', path: 'extra' }] },
    true,
  ],
  ['other dimensions', desiredIndex('hash-1', 512).definition, false],
  ['another similarity', { fields: [{ ...vector, similarity: 'dotProduct' }, ...filters] }, false],
  ['a missing filter path', { fields: [vector, ...filters.slice(1)] }, false],
  ['the field of another generation', desiredIndex('hash-2', 384).definition, false],
  ['no fields', {}, false],
  ['nothing', null, false],
];

describe('the definition of a vector index', () => {
  it.each([1, 8, 384, 1_536, 8_192])('VEC-01: is valid with %i dimensions', (dimensions) => {
    expect(problemsOfDefinition(desiredIndex('e5-small@384', dimensions).definition)).toEqual([]);
  });

  it.each(INVALID)('PEER-01: is checked, and the check refuses %s', (_, refused) => {
    expect(problemsOfDefinition(refused)).not.toEqual([]);
  });

  it('VEC-02: has filter paths for tenant, layer and scope, and each path once', () => {
    const paths = definition.fields.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['_id.tenant', 'c.layer', 'c.scopeId']));
    expect(new Set(paths).size).toBe(1 + FILTER_PATHS.length);
  });

  it('VEC-03: has a separate name and field for each generation, whatever its name', () => {
    const generations = ['a.b', 'a_b', 'a-b', 'a$b', 'a/b', 'a b', 'ä', 'A.B'];
    const wanted = generations.map((generation) => desiredIndex(generation, 8));
    expect(new Set(wanted.map(({ name }) => name)).size).toBe(generations.length);
    const paths = wanted.map(({ definition: { fields } }) => fields[0]?.path ?? '');
    expect(new Set(paths).size).toBe(generations.length);
    for (const path of paths) expect(path).toMatch(/^vectors\.[\w-]+$/u);
    expect(vectorIndexName('hash-1')).toBe('memories-hash-1');
  });

  it.each(OTHERS)('VEC-04: decides whether an index with %s serves: %#', (_, found, expected) => {
    expect(answersLike(found, definition)).toBe(expected);
  });

  it('VEC-05: keeps existing filter paths in an update', () => {
    const found = { fields: [{ type: 'filter', path: 'extra' }, filters[0]] };
    const next = withFoundPaths(found, definition);
    expect(answersLike(next, definition)).toBe(true);
    expect(problemsOfDefinition(next)).toEqual([]);
    expect(next.fields).toContainEqual({ type: 'filter', path: 'extra' });
    expect(isSameDefinition(withFoundPaths(null, definition), definition)).toBe(true);
  });
});
