/** Checks the options of a function of the library, which plain JavaScript does not. */
import { unexpected, VarveError } from './errors.ts';
import { givenMessage, problemOfGiven } from './identifiers.ts';
import { isRecord } from './is-record.ts';
import { nearestWord } from './spelling.ts';

/** What a value of an option is. */
interface Kind {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

/** An option: what its value is, and whether it must have one. */
export interface Option extends Kind {
  readonly isRequired: boolean;
}

export const LOG_METHODS = ['debug', 'info', 'warn', 'error'] as const;

const isText = (value: unknown): boolean => typeof value === 'string';
const isFunction = (value: unknown): boolean => typeof value === 'function';

/** The kinds of options that several functions take. */
export const KINDS = {
  text: { expected: 'a text', fits: isText },
  texts: {
    expected: 'a list of texts',
    fits: (value: unknown) => Array.isArray(value) && value.every(isText),
  },
  flag: { expected: 'true or false', fits: (value: unknown) => typeof value === 'boolean' },
  count: {
    expected: 'a whole number from 1',
    fits: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1,
  },
  callback: { expected: 'a function', fits: isFunction },
  identifiers: {
    expected: "an object of identifiers, such as { userId: 'ann' }",
    fits: isRecord,
  },
  identifiersOrCallback: {
    expected: "an object of identifiers, such as { userId: 'ann' }, or a function",
    fits: (value: unknown) => isRecord(value) || isFunction(value),
  },
  varve: { expected: 'an open library or a client', fits: isPart },
  part: { expected: 'an object of an open library or of a client', fits: isPart },
  log: {
    expected: `an object with the methods ${LOG_METHODS.join(', ')}, such as console`,
    fits: (value: unknown) =>
      LOG_METHODS.every((name) => isFunction(Reflect.get(Object(value), name))),
  },
} as const satisfies Readonly<Record<string, Kind>>;

/** A client may be a function or an object. */
function isPart(value: unknown): boolean {
  return isRecord(value) || isFunction(value);
}

export function oneOf(values: readonly string[]): Kind {
  const expected = `one of ${values.map((value) => `'${value}'`).join(', ')}`;
  return { expected, fits: (value) => isText(value) && values.includes(String(value)) };
}

export function required(kind: Kind): Option {
  return { ...kind, isRequired: true };
}

export function optional(kind: Kind): Option {
  return { ...kind, isRequired: false };
}

/**
 * Checks that the options are an object with known names, that the required ones have a value, and
 * that each value is of its kind.
 * @throws VarveError INVALID_INPUT naming the option, the value and what was expected
 */
export function requireOptions(options: unknown, known: Readonly<Record<string, Option>>): void {
  const names = Object.keys(known);
  const required = names.filter((name) => known[name]?.isRequired === true);
  requireObject(options, required);
  requireKnownOptions(options, names);
  const given = new Map<string, unknown>(Object.entries(options));
  const problem = problemOfGiven(given.get('identifiers'));
  if (problem !== null) throw new VarveError('INVALID_INPUT', givenMessage(problem));
  const missing = required.find((name) => (given.get(name) ?? '') === '');
  if (missing !== undefined) {
    const message = `${missing}: expected a value, found none; set the option ${missing}.`;
    throw new VarveError('INVALID_INPUT', message);
  }
  for (const [name, option] of Object.entries(known)) requireKind(name, given.get(name), option);
}

/** @throws VarveError INVALID_INPUT for a value of another kind; none is always allowed */
export function requireKind(name: string, value: unknown, { expected, fits }: Kind): void {
  if (value === undefined || fits(value)) return;
  // An object may be large, or refer to itself.
  throw unexpected(name, isRecord(value) ? 'an object' : value, expected);
}

/** @throws VarveError INVALID_INPUT with the options that the caller needs */
export function requireObject(
  options: unknown,
  required: readonly string[],
): asserts options is object {
  if (typeof options === 'object' && options !== null) return;
  throw new VarveError(
    'INVALID_INPUT',
    `The options are ${options === null ? 'null' : typeof options}. ` +
      `Expected an object with ${required.join(', ')}.`,
  );
}

/**
 * Checks for options that plain JavaScript would silently ignore, such as a misspelled one.
 * @throws VarveError INVALID_INPUT with the unknown options, and the nearest name to the first one
 */
export function requireKnownOptions(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new VarveError('INVALID_INPUT', unknownOptions(unknown, known));
}

/** Says which options are unknown, and what may have been meant. */
export function unknownOptions(unknown: readonly string[], known: readonly string[]): string {
  const near = nearestWord(unknown[0] ?? '', known);
  const next = near === null ? 'take' : `did you mean ${near}? Take`;
  return `${unknown.join(', ')}: no such option; ${next} ${known.join(', ')}.`;
}
