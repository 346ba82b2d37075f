/**
 * Filters on metadata: a small typed language, parsed before anything uses it.
 *
 * A condition names one field by its path (`priority`, `ticket.status`) and one comparison with a
 * scalar: a number, a string, a boolean, or a date written `{ "date": "2026-11-01" }`. `and`, `or`
 * and `not` join conditions. A field with an array meets a condition if one of its elements does.
 * Values of different types never compare: the string "3" is not the number 3. An absent field
 * meets no condition except `exists: false`. Therefore `ne` and `not` differ: `ne` requires another
 * value, while `not` also accepts an absent field.
 *
 * This file has the form of a filter, filter-match.ts its meaning.
 */
import { z } from 'zod';
import { NOT_STORABLE, isStorable } from '../storable-text.ts';
import { parseIsoDate } from '../text/iso-date.ts';

/** The most conditions of one filter; each is evaluated on every memory that the others accept. */
export const FILTER_CONDITIONS_MAX = 32;
export const FILTER_DEPTH_MAX = 8;
export const FILTER_VALUES_MAX = 100;
const FIELD_LENGTH_MAX = 512;
const VALUE_LENGTH_MAX = 1_024;

/** Names that reach outside the data in JavaScript. */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const Field = z
  .string('expected the name of a field')
  .min(1, 'expected the name of a field')
  .max(FIELD_LENGTH_MAX, `expected at most ${FIELD_LENGTH_MAX} characters`)
  .refine(isStorable, { error: NOT_STORABLE })
  .refine((field) => !field.split('.').some((name) => name === '' || name.startsWith('$')), {
    error: 'expected names joined by dots, none of them empty or beginning with "$"',
  })
  .refine((field) => !field.split('.').some((name) => FORBIDDEN_NAMES.has(name)), {
    error: 'expected another field name',
  });

const DATE = '{ "date": "2026-11-01" }';
const Text = z
  .string()
  .max(VALUE_LENGTH_MAX, `expected at most ${VALUE_LENGTH_MAX} characters`)
  .refine(isStorable, { error: NOT_STORABLE });
const DateValue = z.strictObject(
  {
    date: z
      .union([z.iso.datetime({ offset: true }), z.iso.date()])
      .refine((date) => parseIsoDate(date) !== null, { error: `expected a date as ${DATE}` }),
  },
  `expected a date as ${DATE}`,
);
const Scalar = z.union([Text, z.number(), z.boolean(), DateValue], {
  error:
    `expected a text of at most ${VALUE_LENGTH_MAX} characters, a number, a boolean ` +
    `or ${DATE}`,
});
/** Values that have an order. */
const Ordered = z.union([Text, z.number(), DateValue], {
  error: `expected a text of at most ${VALUE_LENGTH_MAX} characters, a number or ${DATE}`,
});
const LIST = `expected a list of 1 to ${FILTER_VALUES_MAX} values`;

const Eq = z.strictObject({ field: Field, eq: Scalar });
const Ne = z.strictObject({ field: Field, ne: Scalar });
const In = z.strictObject({
  field: Field,
  in: z.array(Scalar, LIST).min(1, LIST).max(FILTER_VALUES_MAX, LIST),
});
/** A string contains a substring, case-sensitively; an array contains an element. */
const Contains = z.strictObject({ field: Field, contains: Scalar });
const Exists = z.strictObject({ field: Field, exists: z.boolean('expected true or false') });
const Range = z
  .strictObject({
    field: Field,
    gt: Ordered.optional(),
    gte: Ordered.optional(),
    lt: Ordered.optional(),
    lte: Ordered.optional(),
  })
  .refine(({ gt, gte, lt, lte }) => [gt, gte, lt, lte].some((bound) => bound !== undefined), {
    error: 'expected a value to compare with',
  });

const FilterCondition = z.union([Eq, Ne, In, Contains, Exists, Range]);
export type FilterCondition = z.infer<typeof FilterCondition>;
export type Scalar = z.infer<typeof Scalar>;

export type Filter =
  | FilterCondition
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter };

const Nested: z.ZodType<Filter> = z.lazy(() =>
  z.union([
    z.strictObject({ and: z.array(Nested).min(1).max(FILTER_CONDITIONS_MAX) }),
    z.strictObject({ or: z.array(Nested).min(1).max(FILTER_CONDITIONS_MAX) }),
    z.strictObject({ not: Nested }),
    FilterCondition,
  ]),
);

/**
 * Finds problems before the schema walks the value: the schema recurses, and for a union reports
 * only that no member fits.
 */
export const Filter: z.ZodType<Filter> = z
  .unknown()
  .superRefine((value, context) => {
    const problem = filterProblem(value);
    if (problem === null) return;
    context.addIssue({ code: 'custom', path: [...problem.path], message: problem.message });
  })
  .pipe(Nested);

// Finds what is wrong with a value given as a filter: where, and what was expected there.

interface FilterProblem {
  /** Names and indexes that lead to the problem, from the top of the filter. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

interface Place {
  readonly value: unknown;
  readonly path: FilterProblem['path'];
}

const FIELD = 'field';
const COMPARISONS: Readonly<Record<string, z.ZodType>> = {
  eq: Eq,
  ne: Ne,
  in: In,
  contains: Contains,
  exists: Exists,
};
/** Comparisons that one condition may combine. */
const BOUNDS = ['gt', 'gte', 'lt', 'lte'] as const;
const JOINS = ['and', 'or', 'not'] as const;
const COMPARISON_NAMES = [...Object.keys(COMPARISONS), ...BOUNDS].join(', ');
const PARTS = `"${FIELD}" and one of ${COMPARISON_NAMES}, or one of ${JOINS.join(', ')}`;
/** The longest name that the message repeats; a longer one is cut. */
const NAME_LENGTH_MAX = 40;

/** Returns the first problem, or null. Iterative, so that no nesting depth overflows the stack. */
function filterProblem(value: unknown): FilterProblem | null {
  const waiting: (Place & { depth: number })[] = [{ value, path: [], depth: 1 }];
  let conditions = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { depth, path } = next;
    if (depth > FILTER_DEPTH_MAX) return { path, message: `at most ${FILTER_DEPTH_MAX} levels` };
    const part = partOf(next);
    if ('message' in part) return part;
    if (part.inner.length === 0) conditions += 1;
    if (conditions + waiting.length + part.inner.length > FILTER_CONDITIONS_MAX) {
      return { path: [], message: `at most ${FILTER_CONDITIONS_MAX} conditions` };
    }
    const inner = part.inner.map((each) => ({ ...each, depth: depth + 1 }));
    // The stack is popped from its end, so the reversal keeps the order.
    waiting.push(...inner.toReversed());
  }
  return null;
}

/** Returns the filters that one joins (none for a condition), or what is wrong with it. */
function partOf({ value, path }: Place): FilterProblem | { readonly inner: readonly Place[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { path, message: `expected a filter, which is an object with ${PARTS}` };
  }
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const names = Object.keys(value);
  const join = JOINS.find((name) => names.includes(name));
  if (join === undefined) return conditionProblem(fields, path) ?? { inner: [] };
  const other = names.find((name) => name !== join);
  if (other !== undefined) {
    return { path, message: `expected nothing next to "${join}", found "${shortened(other)}"` };
  }
  const joined = fields[join];
  if (join === 'not') return { inner: [{ value: joined, path: [...path, join] }] };
  if (!Array.isArray(joined) || joined.length === 0 || joined.length > FILTER_CONDITIONS_MAX) {
    const message = `expected a list of 1 to ${FILTER_CONDITIONS_MAX} filters`;
    return { path: [...path, join], message };
  }
  return { inner: joined.map((each: unknown, at) => ({ value: each, path: [...path, join, at] })) };
}

function conditionProblem(
  fields: Readonly<Record<string, unknown>>,
  path: FilterProblem['path'],
): FilterProblem | null {
  const names = Object.keys(fields);
  const bounds = names.filter((name) => BOUNDS.some((bound) => bound === name));
  const comparisons = names.filter((name) => Object.hasOwn(COMPARISONS, name));
  const known = new Set([FIELD, ...bounds, ...comparisons]);
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) {
    return { path, message: `"${shortened(unknown)}" is unknown, expected ${PARTS}` };
  }
  const [comparison] = comparisons;
  if (comparison === undefined && bounds.length === 0) {
    return { path, message: `expected one of ${COMPARISON_NAMES} next to "${FIELD}"` };
  }
  if (comparisons.length > 1 || (comparisons.length > 0 && bounds.length > 0)) {
    return { path, message: 'expected one comparison; "and" joins several' };
  }
  const schema = comparison === undefined ? Range : COMPARISONS[comparison];
  const issue = schema?.safeParse(fields).error?.issues[0];
  if (issue === undefined) return null;
  const inside = issue.path.filter((name) => typeof name !== 'symbol');
  return { path: [...path, ...inside], message: issue.message };
}

function shortened(name: string): string {
  return name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name;
}
