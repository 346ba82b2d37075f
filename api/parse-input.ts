/** Parses an input, and says what is wrong with it in words a caller can act on. */
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { problemOfGiven, givenMessage } from '#core/identifiers.ts';
import { isRecord } from '#core/is-record.ts';
import { nearestWord } from '#core/spelling.ts';

const ISSUES_SHOWN_MAX = 10;
/** Callers choose field names, of any length; the beginning is enough to recognize one. */
const SHOWN_LENGTH_MAX = 200;

/** Maximum keys of an object in the message about an unknown key; more are no help. */
const KEYS_SHOWN_MAX = 12;

/** By schema: fields that callers wrongly pass there, and what to do instead. */
export const TAKEN_ELSEWHERE = z.registry<Readonly<Record<string, string>>>();

/**
 * Parses an input by a schema.
 * @throws VarveError INVALID_INPUT with the path and expectation of each issue. It never repeats a
 * value, which may be memory text. For an unknown key, it gives the name and the nearest known one.
 */
export function parseInput<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  requireFields(input);
  const parsed = schema.safeParse(input, { error: inWords });
  if (parsed.success) return parsed.data;
  const misplaced = describeMisplacedField(schema, parsed.error.issues);
  // The call was meant for another operation, so its other issues do not matter.
  if (misplaced !== null) {
    const { path, expected } = misplaced;
    throw new VarveError('INVALID_INPUT', expected, { details: { issues: [{ path, expected }] } });
  }
  const found = shownIssues(parsed.error.issues).map((issue) => {
    const path = shortenForMessage(pathOf(issue).map(String).join('.')) || WHOLE_INPUT;
    return { issue: { path, expected: shortenForMessage(issue.message) }, code: issue.code };
  });
  const shown = found.map(({ issue: { path, expected }, code }) =>
    code === UNKNOWN ? expected : `${path}: ${expected}`,
  );
  const issues = found.map(({ issue }) => issue);
  throw new VarveError('INVALID_INPUT', shown.join('; '), { details: { issues } });
}

/** The path of an issue that concerns no single field. */
const WHOLE_INPUT = 'input';

const UNKNOWN = 'unrecognized_keys';
const WRONG_TYPE = 'invalid_type';
const TOO_SMALL = 'too_small';

/** Checks identifiers first: whatever else is wrong, nobody may ask for the wrong person. */
function requireFields(input: unknown): void {
  const problem = isRecord(input) ? problemOfGiven(input['identifiers']) : null;
  if (problem === null) return;
  const { field, expected } = problem;
  const path = field === null ? 'identifiers' : `identifiers.${shortenForMessage(field)}`;
  const message = shortenForMessage(givenMessage(problem));
  throw new VarveError('INVALID_INPUT', message, { details: { issues: [{ path, expected }] } });
}

/** Returns the first issues. A field with the wrong type or size has no further issues shown. */
function shownIssues(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const key = ({ path }: z.core.$ZodIssue): string => JSON.stringify(path.map(String));
  const isWhole = ({ code }: z.core.$ZodIssue): boolean =>
    code === WRONG_TYPE || code === TOO_SMALL;
  const whole = new Set(issues.filter(isWhole).map(key));
  return issues
    .filter((issue) => isWhole(issue) || !whole.has(key(issue)))
    .slice(0, ISSUES_SHOWN_MAX);
}

/** Returns the path of what an issue is about: of unknown keys, the first one. */
function pathOf(issue: z.core.$ZodIssue): readonly PropertyKey[] {
  return issue.code === UNKNOWN ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
}

function describeMisplacedField(
  schema: z.ZodType,
  issues: readonly z.core.$ZodIssue[],
): { readonly path: string; readonly expected: string } | null {
  const taken = TAKEN_ELSEWHERE.get(schema) ?? {};
  const unknown = issues.flatMap((issue) =>
    issue.code === UNKNOWN && issue.path.length === 0 ? issue.keys : [],
  );
  const key = unknown.find((each) => Object.hasOwn(taken, each));
  if (key === undefined) return null;
  return { path: key, expected: `${key} is not known here; ${taken[key] ?? ''}` };
}

/** What a field takes, by the schema's name for its type. */
const TAKEN: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
const TYPE_NAMES: Readonly<Record<string, string>> = { string: 'a text', object: 'an object' };
/** What a list or a text consists of. */
const UNITS: Readonly<Record<string, string>> = { array: 'item', string: 'character' };

/** Returns undefined for an issue that the schema describes in its own words. */
function inWords(issue: z.core.$ZodRawIssue): string | undefined {
  const need = issue.input === undefined ? 'required,' : 'expected';
  if (issue.code === UNKNOWN) return unknownKeys(issue);
  if (issue.code === WRONG_TYPE) {
    const taken = TAKEN[String(issue['expected'])] ?? String(issue['expected']);
    return `${need} ${taken}${foundIn(issue.input)}`;
  }
  if (issue.code === 'invalid_value' && Array.isArray(issue['values'])) {
    const values = issue['values'].map(String);
    const near = typeof issue.input === 'string' ? nearestWord(issue.input, values) : null;
    const meant = near === null ? '' : `; did you mean ${near}?`;
    return `${need} ${values.length === 1 ? '' : 'one of '}${values.join(', ')}${meant}`;
  }
  if (issue.code === TOO_SMALL) return bounded(issue, 'least', issue['minimum']);
  if (issue.code === 'too_big') return bounded(issue, 'most', issue['maximum']);
  return undefined;
}

/** Describes what was found, without any text or number, which may be from a memory. */
function foundIn(input: unknown): string {
  if (input === undefined) return '';
  if (input === null || typeof input === 'boolean') return `, found ${String(input)}`;
  if (Array.isArray(input)) return ', found a list';
  if (typeof input === 'number' && !Number.isFinite(input)) return `, found ${String(input)}`;
  if (typeof input === 'number' && !Number.isInteger(input)) return ', found a fraction';
  return `, found ${TYPE_NAMES[typeof input] ?? `a ${typeof input}`}`;
}

/** Returns undefined for an exclusive bound, which the schema's own words describe correctly. */
function bounded(
  { origin, inclusive, input }: z.core.$ZodRawIssue,
  end: 'least' | 'most',
  bound: unknown,
): string | undefined {
  if (inclusive === false) return undefined;
  const unit = UNITS[String(origin)];
  const units = unit === undefined ? '' : ` ${unit}${bound === 1 ? '' : 's'}`;
  const size = Array.isArray(input) || typeof input === 'string' ? input.length : input;
  const found = typeof size === 'number' ? `, found ${String(size)}` : '';
  return `expected at ${end} ${String(bound)}${units}${found}`;
}

function unknownKeys({ keys, path = [], inst }: z.core.$ZodRawIssue): string | undefined {
  if (!Array.isArray(keys)) return undefined;
  const known = inst instanceof z.ZodObject ? Object.keys(inst.shape) : [];
  const [key = '', ...others] = keys.map(String);
  const name = shortenForMessage([...path.map(String), shortenForMessage(key)].join('.'));
  const holder = inst instanceof z.ZodObject ? holderOf(inst.shape, key) : undefined;
  if (holder !== undefined) return `${name} is not known here; it belongs in ${holder}`;
  const near = nearestWord(key, known);
  const isList = known.length > 0 && known.length <= KEYS_SHOWN_MAX;
  const hint = isList ? `; known are ${known.join(', ')}` : '';
  const more = others.length === 0 ? '' : ` (and ${String(others.length)} more)`;
  return `${name} is not known${more}${near === null ? hint : `; did you mean ${near}?`}`;
}

/** The field whose object has a key of this name, such as `identifiers` for `userId`. */
function holderOf(shape: z.core.$ZodShape, key: string): string | undefined {
  return Object.keys(shape).find((name) => {
    let schema = shape[name];
    while (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
      schema = schema.unwrap();
    }
    return schema instanceof z.ZodObject && Object.hasOwn(schema.shape, key);
  });
}

/** Shortens a caller's name to the length that a message repeats. */
export function shortenForMessage(text: string): string {
  return text.length <= SHOWN_LENGTH_MAX ? text : `${text.slice(0, SHOWN_LENGTH_MAX)}…`;
}
