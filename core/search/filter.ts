/**
 * Filters on metadata: a small typed language, parsed before anything acts on it.
 *
 * A condition names one field by its path (`priority`, `ticket.status`) and one comparison with a
 * scalar: a number, a string, a boolean, or a date written `{ "date": "2026-11-01" }`. Conditions
 * are joined by `and`, `or`, `not`. A field that holds an array meets a condition where one of its
 * elements does. Values of different types never compare: the string "3" is not the number 3. A
 * field that is absent meets no condition but `exists: false`, and so `ne` and `not` differ: `ne`
 * asks for a value that is another one, `not` for what does not meet its filter, absent or not.
 *
 * `matchesFilter` is the meaning; what a store translates into its own language is tested against it.
 */
import { z } from 'zod';
import { isStorable, NOT_STORABLE } from '../text.ts';

/** Conditions of one filter; each costs a look at every memory that the rest lets through. */
export const FILTER_CONDITIONS_MAX = 32;
export const FILTER_DEPTH_MAX = 8;
export const FILTER_VALUES_MAX = 100;
const FIELD_LENGTH_MAX = 512;
const VALUE_LENGTH_MAX = 1_024;

const Field = z
  .string()
  .min(1)
  .max(FIELD_LENGTH_MAX)
  .refine(isStorable, { error: NOT_STORABLE })
  .refine((field) => !field.split('.').some((name) => name === '' || name.startsWith('$')), {
    error: 'expected names joined by dots, none of them empty or beginning with "$"',
  })
  .refine((field) => !field.split('.').some((name) => FORBIDDEN_NAMES.has(name)), {
    error: 'expected another field name',
  });

/** Names that lead out of the data in JavaScript. */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const Text = z.string().max(VALUE_LENGTH_MAX).refine(isStorable, { error: NOT_STORABLE });
const DateValue = z.strictObject({
  date: z.union([z.iso.datetime({ offset: true }), z.iso.date()]),
});
const Scalar = z.union([Text, z.number(), z.boolean(), DateValue]);
/** What has an order. */
const Ordered = z.union([Text, z.number(), DateValue]);

const Condition = z.union([
  z.strictObject({ field: Field, eq: Scalar }),
  z.strictObject({ field: Field, ne: Scalar }),
  z.strictObject({ field: Field, in: z.array(Scalar).min(1).max(FILTER_VALUES_MAX) }),
  /** A string holds a part, upper and lower case apart; an array holds an element. */
  z.strictObject({ field: Field, contains: Scalar }),
  z.strictObject({ field: Field, exists: z.boolean() }),
  z
    .strictObject({
      field: Field,
      gt: Ordered.optional(),
      gte: Ordered.optional(),
      lt: Ordered.optional(),
      lte: Ordered.optional(),
    })
    .refine(({ field: _, ...bounds }) => Object.keys(bounds).length > 0, {
      error: 'expected one of eq, ne, in, contains, exists, gt, gte, lt, lte',
    }),
]);
export type Condition = z.infer<typeof Condition>;
export type Scalar = z.infer<typeof Scalar>;

export type Filter =
  | Condition
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter };

const Nested: z.ZodType<Filter> = z.lazy(() =>
  z.union([
    z.strictObject({ and: z.array(Nested).min(1).max(FILTER_CONDITIONS_MAX) }),
    z.strictObject({ or: z.array(Nested).min(1).max(FILTER_CONDITIONS_MAX) }),
    z.strictObject({ not: Nested }),
    Condition,
  ]),
);

/** Bounds are checked before the schema walks the value, which it does by recursion. */
export const Filter: z.ZodType<Filter> = z
  .unknown()
  .superRefine((value, context) => {
    const problem = problemOfShape(value);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  })
  .pipe(Nested);

/** Whether metadata meets a filter. */
export function matchesFilter(
  filter: Filter,
  metadata: Readonly<Record<string, unknown>>,
): boolean {
  if ('and' in filter) return filter.and.every((each) => matchesFilter(each, metadata));
  if ('or' in filter) return filter.or.some((each) => matchesFilter(each, metadata));
  if ('not' in filter) return !matchesFilter(filter.not, metadata);
  const values = valuesAt(metadata, filter.field);
  if ('exists' in filter) return values.length > 0 === filter.exists;
  return values.some((value) => meets(value, filter));
}

/** The scalars at a path: one, or those of an array; none where the field is absent or null. */
export function valuesAt(
  metadata: Readonly<Record<string, unknown>>,
  field: string,
): readonly (string | number | boolean)[] {
  let at: unknown = metadata;
  for (const name of field.split('.')) {
    if (typeof at !== 'object' || at === null || Array.isArray(at)) return [];
    if (!Object.hasOwn(at, name)) return [];
    at = (at as Record<string, unknown>)[name];
  }
  const found: readonly unknown[] = Array.isArray(at) ? at : [at];
  return found.filter(isScalar);
}

type Value = string | number | boolean;

function isScalar(value: unknown): value is Value {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function meets(value: Value, condition: Exclude<Condition, { exists: boolean }>): boolean {
  if ('eq' in condition) return compare(value, condition.eq) === 0;
  if ('ne' in condition) return compare(value, condition.ne) !== 0;
  if ('in' in condition) return condition.in.some((each) => compare(value, each) === 0);
  if ('contains' in condition) return contains(value, condition.contains);
  const { gt, gte, lt, lte } = condition;
  return (
    holds(value, gt, (order) => order > 0) &&
    holds(value, gte, (order) => order >= 0) &&
    holds(value, lt, (order) => order < 0) &&
    holds(value, lte, (order) => order <= 0)
  );
}

function contains(value: Value, wanted: Scalar): boolean {
  if (typeof value === 'string' && typeof wanted === 'string') return value.includes(wanted);
  return compare(value, wanted) === 0;
}

function holds(
  value: Value,
  bound: Scalar | undefined,
  accepts: (order: number) => boolean,
): boolean {
  if (bound === undefined) return true;
  const order = compare(value, bound);
  return order !== null && accepts(order);
}

/** Negative, zero or positive; null for values of different types, which have no order. */
function compare(value: Value, wanted: Scalar): number | null {
  if (typeof wanted === 'object') {
    const at = typeof value === 'string' ? dateOf(value) : null;
    return at === null ? null : at - Date.parse(wanted.date);
  }
  if (typeof value !== typeof wanted) return null;
  if (value === wanted) return 0;
  return value < wanted ? -1 : 1;
}

/** A day, or a time with its offset: what metadata may hold a date as. */
const ISO_DATE =
  /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/u;

/** Milliseconds since the epoch of an ISO 8601 date, a day being its first moment in UTC; else null. */
export function dateOf(text: string): number | null {
  if (!ISO_DATE.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

/** The first thing wrong with the shape, found without recursion; null where it is in bounds. */
function problemOfShape(value: unknown): string | null {
  const waiting: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  let conditions = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next.value !== 'object' || next.value === null) return 'expected a filter';
    if (next.depth > FILTER_DEPTH_MAX) return `at most ${FILTER_DEPTH_MAX} levels`;
    const { and, or, not } = next.value as Record<string, unknown>;
    const inner = [and, or].flatMap((each): unknown[] => (Array.isArray(each) ? each : []));
    if (not !== undefined) inner.push(not);
    if (inner.length === 0) conditions += 1;
    if (conditions + waiting.length > FILTER_CONDITIONS_MAX) {
      return `at most ${FILTER_CONDITIONS_MAX} conditions`;
    }
    for (const each of inner) waiting.push({ value: each, depth: next.depth + 1 });
  }
  return null;
}
