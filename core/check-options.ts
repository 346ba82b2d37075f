/** Checks the options of a function of the library, which plain JavaScript does not. */
import { VarveError } from './errors.ts';
import { givenMessage, problemOfGiven } from './identifiers.ts';
import { nearestWord } from './spelling.ts';

/**
 * Checks that the options are an object with known names, and that the required ones have a value.
 * @param known every option, and whether it is required
 * @throws VarveError INVALID_INPUT naming the option
 */
export function requireOptions(options: unknown, known: Readonly<Record<string, boolean>>): void {
  const names = Object.keys(known);
  const required = names.filter((name) => known[name] === true);
  requireObject(options, required);
  requireKnownOptions(options, names);
  const given = new Map<string, unknown>(Object.entries(options));
  const problem = problemOfGiven(given.get('identifiers'));
  if (problem !== null) throw new VarveError('INVALID_INPUT', givenMessage(problem));
  const missing = required.find((name) => (given.get(name) ?? '') === '');
  if (missing === undefined) return;
  const message = `${missing}: expected a value, found none; set the option ${missing}.`;
  throw new VarveError('INVALID_INPUT', message);
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
