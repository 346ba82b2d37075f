/** Random filters and metadata from few names and values, so that they often match. */
import * as fc from 'fast-check';

import { Filter, type FilterCondition } from '#core/search/filter.ts';

const NAMES = ['a', 'b', 'c'] as const;
const TEXTS = ['', 'a', 'A', 'ab', 'b.c', '%', '_', '2', 'true', 'é', '🌱', '2026-11-01'] as const;
const NUMBERS = [0, -1, 1, 2, 1.5, 1e21, -1e-7, 9_007_199_254_740_991] as const;
const DATES = [
  '2026-11-01',
  '2026-11-01T00:00:00Z',
  '2026-11-01T01:00:00+01:00',
  '2026-11-02T10:00:00.5Z',
  '1969-12-31',
] as const;
const NEARLY_DATES = ['2026-11-31', '2026-1-1', '2026-11-01T25:00:00Z', '2026'] as const;

const date = fc.constantFrom(...DATES).map((each) => ({ date: each }));
const ordered = fc.oneof(fc.constantFrom(...TEXTS), fc.constantFrom(...NUMBERS), date);
const scalar = fc.oneof(ordered, fc.boolean());

const path = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 })
  .map((names) => names.join('.'));

const range = fc
  .record(
    { gt: ordered, gte: ordered, lt: ordered, lte: ordered },
    { requiredKeys: [], noNullPrototype: true },
  )
  .filter((bounds) => Object.keys(bounds).length > 0);

const condition: fc.Arbitrary<FilterCondition> = fc.oneof(
  fc.record({ field: path, eq: scalar }),
  fc.record({ field: path, ne: scalar }),
  fc.record({ field: path, in: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
  fc.record({ field: path, contains: scalar }),
  fc.record({ field: path, exists: fc.boolean() }),
  fc.tuple(path, range).map(([field, bounds]) => ({ field, ...bounds })),
);

/** Parsed, as every filter is before a store sees it. */
export const anyFilter: fc.Arbitrary<Filter> = fc
  .letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      condition,
      fc.record({ and: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ or: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: tie('filter') }),
    ),
  }))
  .filter.filter((filter) => Filter.safeParse(filter).success);

const text = fc.constantFrom(...TEXTS, ...DATES, ...NEARLY_DATES);
const leaf = fc.oneof(text, fc.constantFrom(...NUMBERS), fc.boolean(), fc.constant(null));

/** Values, lists and objects of few names, some levels deep. */
export const anyMetadata: fc.Arbitrary<Record<string, unknown>> = fc.letrec<{
  value: unknown;
  object: Record<string, unknown>;
}>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    leaf,
    fc.array(fc.oneof(leaf, tie('object')), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.record(
    { a: tie('value'), b: tie('value'), c: tie('value') },
    { requiredKeys: [], noNullPrototype: true },
  ),
})).object;
