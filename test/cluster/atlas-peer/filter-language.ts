/**
 * The filter language inside `$vectorSearch`: a part of MQL with rules of its own. Written from the
 * documentation of pre-filters and from what mongot's operators accept; nothing of it is copied.
 *
 * Where it differs from MQL: a path that the index does not declare is an error; a list may not be
 * empty, nor hold null, nor values of two types; null is met by a stored null alone, not by an
 * absent field; there is no comparison with a document, no `$regex`, `$elemMatch`, `$size`, `$all`.
 */
import { Binary, ObjectId } from 'mongodb';

import { Refusal } from './refusal.ts';

/** Values at the paths that the index declares; a path without an entry is absent. */
export type IndexedValues = ReadonlyMap<string, readonly unknown[]>;
export type Predicate = (values: IndexedValues) => boolean;

/** Longer strings are cut when they are indexed, so two of them may become one. */
const STRING_LENGTH_MAX = 8_191;
const DEPTH_MAX = 100;

interface Scalar {
  readonly type: 'boolean' | 'date' | 'null' | 'number' | 'objectId' | 'string' | 'uuid';
  readonly value: string | number | boolean | null;
}

const ORDERED: ReadonlySet<Scalar['type']> = new Set(['date', 'number', 'objectId', 'string']);

/** @throws Refusal for what mongot refuses */
export function predicateOf(filter: unknown, declared: ReadonlySet<string>, depth = 0): Predicate {
  if (depth > DEPTH_MAX) throw refused('"filter" is nested too deep');
  if (!isPlain(filter)) throw refused('"filter" must be a document');
  const parts = Object.entries(filter).map(([name, operand]) =>
    name.startsWith('$')
      ? logical(name, operand, { declared, depth })
      : condition(name, operand, declared),
  );
  return (values) => parts.every((meets) => meets(values));
}

/** The value as an index keeps it; null for what no index of this kind holds. */
export function indexedScalar(value: unknown): Scalar | null {
  if (value === null) return { type: 'null', value };
  if (typeof value === 'string')
    return { type: 'string', value: value.slice(0, STRING_LENGTH_MAX) };
  if (typeof value === 'number') return { type: 'number', value };
  if (typeof value === 'boolean') return { type: 'boolean', value };
  if (value instanceof Date) return { type: 'date', value: value.getTime() };
  if (value instanceof ObjectId) return { type: 'objectId', value: value.toHexString() };
  if (value instanceof Binary && value.sub_type === Binary.SUBTYPE_UUID) {
    return { type: 'uuid', value: value.toString('hex') };
  }
  return null;
}

interface Place {
  readonly declared: ReadonlySet<string>;
  readonly depth: number;
}

function logical(name: string, operand: unknown, { declared, depth }: Place): Predicate {
  if (!['$and', '$or', '$nor'].includes(name)) throw refused(`unknown operator ${name}`);
  if (!Array.isArray(operand) || operand.length === 0) {
    throw refused(`"${name}" must be a non-empty list`);
  }
  const parts = operand.map((each: unknown) => predicateOf(each, declared, depth + 1));
  if (name === '$and') return (values) => parts.every((meets) => meets(values));
  if (name === '$or') return (values) => parts.some((meets) => meets(values));
  return (values) => !parts.some((meets) => meets(values));
}

function condition(path: string, operand: unknown, declared: ReadonlySet<string>): Predicate {
  if (!declared.has(path)) throw refused(`Path '${path}' needs to be indexed as filter`);
  if (!isPlain(operand)) return equality(path, operand);
  const operators = Object.entries(operand);
  if (operators.length === 0 || operators.some(([name]) => !name.startsWith('$'))) {
    throw refused(`"${path}" can't be compared with a document`);
  }
  const parts = operators.map(([name, value]) => comparison(path, [name, value], declared));
  return (values) => parts.every((meets) => meets(values));
}

function comparison(
  path: string,
  [name, operand]: readonly [string, unknown],
  declared: ReadonlySet<string>,
): Predicate {
  switch (name) {
    case '$eq':
      return equality(path, operand);
    case '$ne':
      return not(equality(path, operand));
    case '$in':
      return membership(path, operand);
    case '$nin':
      return not(membership(path, operand));
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return range(path, name, operand);
    case '$exists':
      if (typeof operand !== 'boolean') throw refused('"$exists" must be a boolean');
      return (values) => values.has(path) === operand;
    case '$not':
      if (!isPlain(operand)) throw refused('"$not" must be a document');
      return not(condition(path, operand, declared));
    default:
      throw refused(`unknown operator ${name}`);
  }
}

function equality(path: string, operand: unknown): Predicate {
  const wanted = scalarOf(operand);
  return (values) => scalarsAt(values, path).some((found) => isSame(found, wanted));
}

function membership(path: string, operand: unknown): Predicate {
  if (!Array.isArray(operand) || operand.length === 0) {
    throw refused('"$in" and "$nin" must be a non-empty list');
  }
  const wanted = operand.map(scalarOf);
  if (wanted.some(({ type }) => type === 'null')) throw refused("a list can't hold null");
  if (new Set(wanted.map(({ type }) => type)).size > 1) {
    throw refused('the values of a list must be of one type');
  }
  return (values) =>
    scalarsAt(values, path).some((found) => wanted.some((each) => isSame(found, each)));
}

function range(path: string, name: '$gt' | '$gte' | '$lt' | '$lte', operand: unknown): Predicate {
  const bound = scalarOf(operand);
  if (!ORDERED.has(bound.type)) throw refused(`"${name}" can't compare a ${bound.type}`);
  return (values) =>
    scalarsAt(values, path).some(({ type, value }) => {
      if (type !== bound.type || value === null || bound.value === null) return false;
      if (name === '$gt') return value > bound.value;
      if (name === '$gte') return value >= bound.value;
      return name === '$lt' ? value < bound.value : value <= bound.value;
    });
}

function not(predicate: Predicate): Predicate {
  return (values) => !predicate(values);
}

function scalarOf(operand: unknown): Scalar {
  const scalar = indexedScalar(operand);
  if (scalar === null) throw refused('a value must be a boolean, date, number, string, id or null');
  return scalar;
}

function scalarsAt(values: IndexedValues, path: string): readonly Scalar[] {
  return (values.get(path) ?? []).flatMap((value) => indexedScalar(value) ?? []);
}

function isSame(a: Scalar, b: Scalar): boolean {
  return a.type === b.type && a.value === b.value;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

function refused(message: string): Refusal {
  return new Refusal('UnknownError', message);
}
