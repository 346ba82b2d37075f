/**
 * The meaning of a metadata filter. Tests compare each store's own translation of a filter with
 * this. Separate from the form of a filter (filter.ts), so that a search thread loads no schema.
 */
import { parseIsoDate } from '../text/iso-date.ts';
import type { FilterCondition, Filter, Scalar } from './filter.ts';

/** Returns whether metadata meets a filter. */
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

/**
 * Returns the scalars at a path: one, or the elements of an array; none if the field is absent or
 * null.
 */
function valuesAt(
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

function meets(value: Value, condition: Exclude<FilterCondition, { exists: boolean }>): boolean {
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

/**
 * Returns a negative number, zero or a positive number; null for different types, which have no
 * order.
 */
function compare(value: Value, wanted: Scalar): number | null {
  if (typeof wanted === 'object') {
    const at = typeof value === 'string' ? parseIsoDate(value) : null;
    return at === null ? null : at - Date.parse(wanted.date);
  }
  if (typeof value !== typeof wanted) return null;
  if (value === wanted) return 0;
  return value < wanted ? -1 : 1;
}
