/** LangGraph's filters over the fields of an item. */
import { VarveError } from '#core/errors.ts';
import { nearestWord } from '#core/spelling.ts';

/** Each field equals its value, or meets `$eq $ne $gt $gte $lt $lte $in $nin`. */
export function matchesFields(
  value: Readonly<Record<string, unknown>>,
  filter: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(filter).every(([field, expected]) => meets(value[field], expected));
}

/**
 * Checks the operators of a filter, which would silently find nothing if one is unknown.
 * @throws VarveError INVALID_INPUT with the first unknown operator, and the nearest known one
 */
export function requireKnownOperators(filter: Readonly<Record<string, unknown>>): void {
  const known = Object.keys(OPERATORS);
  for (const [field, expected] of Object.entries(filter)) {
    if (typeof expected !== 'object' || expected === null) continue;
    const unknown = Object.keys(expected).find((name) => !Object.hasOwn(OPERATORS, name));
    if (unknown === undefined && !Array.isArray(expected)) continue;
    const path = [field, unknown ?? ''].filter((part) => part !== '').join('.');
    const near = nearestWord(unknown ?? '', known);
    const hint = near === null ? '' : `; did you mean ${near}?`;
    throw new VarveError(
      'INVALID_INPUT',
      `filter.${path} is no operator: expected a value, or one of ${known.join(', ')}${hint}`,
      { details: { field: `filter.${path}` } },
    );
  }
}

const OPERATORS: Readonly<Record<string, (held: unknown, expected: unknown) => boolean>> = {
  $eq: (held, expected) => held === expected,
  $ne: (held, expected) => held !== expected,
  $gt: (held, expected) => Number(held) > Number(expected),
  $gte: (held, expected) => Number(held) >= Number(expected),
  $lt: (held, expected) => Number(held) < Number(expected),
  $lte: (held, expected) => Number(held) <= Number(expected),
  $in: (held, expected) => Array.isArray(expected) && expected.includes(held),
  $nin: (held, expected) => !Array.isArray(expected) || !expected.includes(held),
};

function meets(held: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return held === expected;
  const entries = Object.entries(expected);
  return entries.every(([name, operand]) => OPERATORS[name]?.(held, operand) === true);
}
