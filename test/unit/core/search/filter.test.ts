import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  Filter,
  FILTER_CONDITIONS_MAX,
  FILTER_DEPTH_MAX,
  FILTER_VALUES_MAX,
} from '#core/search/filter.ts';
import { matchesFilter } from '#core/search/filter-match.ts';
import { parseIsoDate } from '#core/text/iso-date.ts';
import { FILTER_CASES, FILTER_ROWS } from '#test/conformance/filter-cases.ts';
import { anyFilter, anyMetadata } from '#test/conformance/filter-samples.ts';

const RUNS = 500;
const condition = { field: 'a', eq: 1 };

/** A filter within as many others as are named. */
function nested(levels: number, join: 'and' | 'or' | 'not'): unknown {
  let filter: unknown = condition;
  for (let level = 0; level < levels; level += 1) {
    filter = { [join]: join === 'not' ? filter : [filter] };
  }
  return filter;
}

const COMPARISONS = 'eq, ne, in, contains, exists, gt, gte, lt, lte';
const PARTS = `"field" and one of ${COMPARISONS}, or one of and, or, not`;
const SCALAR =
  'expected a text of at most 1024 characters, a number, a boolean or { "date": "2026-11-01" }';

/** What is refused, where it is wrong, and what is said of it. */
const REFUSED: readonly (readonly [json: string, path: string, message: string])[] = [
  ['null', '', `expected a filter, which is an object with ${PARTS}`],
  ['[]', '', `expected a filter, which is an object with ${PARTS}`],
  ['"a"', '', `expected a filter, which is an object with ${PARTS}`],
  ['{}', '', `expected one of ${COMPARISONS} next to "field"`],
  ['{"field":"a"}', '', `expected one of ${COMPARISONS} next to "field"`],
  ['{"$where":"x"}', '', `"$where" is unknown, expected ${PARTS}`],
  ['{"field":"a","$gt":1}', '', `"$gt" is unknown, expected ${PARTS}`],
  ['{"a":1}', '', `"a" is unknown, expected ${PARTS}`],
  ['{"__proto__":{"eq":1}}', '', `"__proto__" is unknown, expected ${PARTS}`],
  ['{"field":"a","eq":1,"__proto__":{}}', '', `"__proto__" is unknown, expected ${PARTS}`],
  ['{"constructor":1}', '', `"constructor" is unknown, expected ${PARTS}`],
  ['{"eq":1}', 'field', 'expected the name of a field'],
  ['{"field":1,"eq":1}', 'field', 'expected the name of a field'],
  ['{"field":"","eq":1}', 'field', 'expected the name of a field'],
  ['{"field":{"$ne":1},"eq":1}', 'field', 'expected the name of a field'],
  [
    '{"field":"$where","eq":1}',
    'field',
    'expected names joined by dots, none of them empty or beginning with "$"',
  ],
  [
    '{"field":"a.$b","eq":1}',
    'field',
    'expected names joined by dots, none of them empty or beginning with "$"',
  ],
  [
    '{"field":"a..b","eq":1}',
    'field',
    'expected names joined by dots, none of them empty or beginning with "$"',
  ],
  ['{"field":"__proto__","eq":1}', 'field', 'expected another field name'],
  ['{"field":"a.constructor.name","eq":1}', 'field', 'expected another field name'],
  ['{"field":"a","eq":null}', 'eq', SCALAR],
  ['{"field":"a","eq":{"$gt":1}}', 'eq', SCALAR],
  ['{"field":"a","eq":[1]}', 'eq', SCALAR],
  ['{"field":"a","ne":{"$ne":null}}', 'ne', SCALAR],
  ['{"field":"a","eq":{"date":"tomorrow"}}', 'eq', SCALAR],
  ['{"field":"a","eq":{"date":"2026-02-30"}}', 'eq', SCALAR],
  [
    '{"field":"a","eq":{"date":"2026-11-01","more":1}}',
    'eq',
    'expected a date as { "date": "2026-11-01" }',
  ],
  ['{"field":"a","contains":{"$regex":".*"}}', 'contains', SCALAR],
  ['{"field":"a","in":[]}', 'in', 'expected a list of 1 to 100 values'],
  ['{"field":"a","in":"b"}', 'in', 'expected a list of 1 to 100 values'],
  ['{"field":"a","in":[1,{"$gt":1}]}', 'in.1', SCALAR],
  ['{"field":"a","exists":"yes"}', 'exists', 'expected true or false'],
  [
    '{"field":"a","gt":true}',
    'gt',
    'expected a text of at most 1024 characters, a number or { "date": "2026-11-01" }',
  ],
  ['{"field":"a","eq":1,"gt":1}', '', 'expected one comparison; "and" joins several'],
  ['{"field":"a","eq":1,"ne":2}', '', 'expected one comparison; "and" joins several'],
  ['{"and":[]}', 'and', 'expected a list of 1 to 32 filters'],
  ['{"or":{"field":"a","eq":1}}', 'or', 'expected a list of 1 to 32 filters'],
  ['{"not":[]}', 'not', `expected a filter, which is an object with ${PARTS}`],
  ['{"not":null}', 'not', `expected a filter, which is an object with ${PARTS}`],
  ['{"and":[{"field":"a","eq":1}],"or":[]}', '', 'expected nothing next to "and", found "or"'],
  ['{"or":[{"field":"a","eq":1},{"not":{"field":"b","eq":{}}}]}', 'or.1.not.eq', SCALAR],
  ['{"and":[{"field":"a","eq":1},{"$or":[]}]}', 'and.1', `"$or" is unknown, expected ${PARTS}`],
];

describe('filters: invalid', () => {
  test.each(REFUSED)('%s is refused at "%s"', (json, path, message) => {
    const parsed = Filter.safeParse(JSON.parse(json));
    const issues = parsed.error?.issues.map((issue) => ({
      path: issue.path.join('.'),
      message: issue.message,
    }));
    expect(issues).toEqual([{ path, message }]);
  });

  test.each([
    ['a value with NUL', { field: 'a', eq: 'b\0' }],
    ['half a surrogate pair', { field: 'a', eq: '\uD800' }],
    ['a name with NUL', { field: 'a\0', eq: 1 }],
    ['a number that is NaN', { field: 'a', eq: Number.NaN }],
    ['an infinite number', { field: 'a', gt: Number.POSITIVE_INFINITY }],
    ['an undefined bound', { field: 'a', gt: undefined }],
    ['a value that is too long', { field: 'a', eq: 'x'.repeat(1_025) }],
    ['a name that is too long', { field: 'x'.repeat(513), eq: 1 }],
    ['too many values', { field: 'a', in: Array.from({ length: FILTER_VALUES_MAX + 1 }, () => 1) }],
    ['an operator in the prototype', Object.create({ field: 'a', eq: 1 })],
  ])('%s is refused', (_, value) => {
    expect(Filter.safeParse(value).success).toBe(false);
  });

  test.each(['and', 'or', 'not'] as const)(
    '%s is accepted up to the depth limit and no deeper',
    (join) => {
      expect(Filter.safeParse(nested(FILTER_DEPTH_MAX - 1, join)).success).toBe(true);
      for (const levels of [FILTER_DEPTH_MAX, 100_000]) {
        const { error } = Filter.safeParse(nested(levels, join));
        expect(error?.issues[0]?.message).toBe(`at most ${FILTER_DEPTH_MAX} levels`);
      }
    },
  );

  test('a filter is accepted up to the limit of conditions, however they are joined', () => {
    const many = (count: number) => Array.from({ length: count }, () => condition);
    const half = FILTER_CONDITIONS_MAX / 2;
    const message = `at most ${FILTER_CONDITIONS_MAX} conditions`;
    expect(Filter.safeParse({ and: many(FILTER_CONDITIONS_MAX) }).success).toBe(true);
    expect(Filter.safeParse({ and: [{ or: many(half) }, { and: many(half) }] }).success).toBe(true);
    const { error } = Filter.safeParse({ and: [{ or: many(half) }, { and: many(half + 1) }] });
    expect(error?.issues[0]?.message).toBe(message);
  });

  test('a long name is shortened in the error', () => {
    const { error } = Filter.safeParse({ ['x'.repeat(100_000)]: 1 });
    expect(error?.issues[0]?.message.length).toBeLessThan(300);
  });
});

/** Values as a call brings them, often with the words of a filter. */
const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue(),
    fc.constantFrom(condition, 1, 'a', null, { date: '2026-11-01' }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom('and', 'or', 'not', 'field', 'eq', 'in', 'gt', '$or', '__proto__', 'exists'),
      tie('value'),
      { maxKeys: 3 },
    ),
  ),
})).value;

describe('filters: any value', () => {
  test('no JSON makes the parser throw, and each error says what was expected', () => {
    const property = fc.property(anyJson, anyMetadata, (value, metadata) => {
      const { success, data, error } = Filter.safeParse(value);
      if (success) {
        expect(typeof matchesFilter(data, metadata)).toBe('boolean');
        return;
      }
      const messages = error.issues.map(({ message }) => message);
      expect(messages).toHaveLength(1);
      expect(messages[0]).toMatch(/expected|at most/);
    });
    fc.assert(property, { numRuns: RUNS });
  });

  test('an accepted filter is unchanged and can be applied to any metadata', () => {
    const property = fc.property(anyFilter, anyMetadata, (filter, metadata) => {
      expect(Filter.parse(filter)).toEqual(filter);
      expect(typeof matchesFilter(filter, metadata)).toBe('boolean');
      expect(matchesFilter({ not: filter }, metadata)).toBe(!matchesFilter(filter, metadata));
    });
    fc.assert(property, { numRuns: RUNS });
  });

  test('metadata has only its own fields, not those of prototypes', () => {
    for (const field of ['toString', 'valueOf', 'hasOwnProperty', 'a.length', 'a.at']) {
      expect(matchesFilter({ field, exists: true }, { a: 'text' })).toBe(false);
    }
    const own: unknown = JSON.parse('{"toString":"own"}');
    expect(matchesFilter({ field: 'toString', eq: 'own' }, { ...(own as object) })).toBe(true);
  });
});

describe('filters: matching metadata', () => {
  test.each(FILTER_CASES)('%s', (_, filter, expected) => {
    const met = Object.entries(FILTER_ROWS).filter(([, row]) => matchesFilter(filter, row));
    expect(met.map(([name]) => name).toSorted()).toEqual([...expected].toSorted());
  });
});

describe('filters: dates', () => {
  test.each([
    ['2026-11-01', Date.UTC(2026, 10, 1)],
    ['2026-11-01T10:00Z', Date.UTC(2026, 10, 1, 10)],
    ['2026-11-01T10:00:00.5+02:00', Date.UTC(2026, 10, 1, 8) + 500],
    ['2026-11', null],
    ['2026-11-31', null],
    ['1 November 2026', null],
    ['2026-11-01T10:00', null],
    ['', null],
  ])('%j is the time %s', (text, expected) => {
    expect(parseIsoDate(text)).toBe(expected);
  });
});
