/** Identifiers as JavaScript gives them: what would pass for a caller who names nobody. */
import { isRecord } from './is-record.ts';

export interface IdentifierProblem {
  /** Of the identifiers; null where it is all of them. */
  readonly field: string | null;
  readonly expected: string;
}

/** Null for what has no problem, or one that its schema tells. */
export function problemOfGiven(given: unknown): IdentifierProblem | null {
  if (!isRecord(given)) return null;
  const fields = Object.entries(given);
  const field = fields.find(([, id]) => id === undefined)?.[0];
  if (field !== undefined) {
    const expected = 'is undefined; give the id, or leave the field out: it would name nobody';
    return { field, expected };
  }
  const prototype: unknown = Object.getPrototypeOf(given);
  if (fields.length > 0 || prototype === null || prototype === Object.prototype) return null;
  // A promise or a map has no fields of its own.
  const found = Object.prototype.toString.call(given).slice('[object '.length, -1);
  return { field: null, expected: `expected an object with fields, found a ${found}` };
}

/** As an error names it: `identifiers.userId is undefined; …`. */
export function givenMessage({ field, expected }: IdentifierProblem): string {
  return field === null ? `identifiers: ${expected}` : `identifiers.${field} ${expected}`;
}
