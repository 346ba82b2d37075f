/** A mistake in a YAML file, and the report of all mistakes for people. */
import { VarveError } from '#core/errors.ts';

/** Problems printed in one report; further ones are only counted. */
const PROBLEMS_PRINTED_MAX = 20;
/** Problems kept in the details of the error. */
const PROBLEMS_KEPT_MAX = 200;
const FOUND_LENGTH_MAX = 40;
/** Characters that are checked; the rest of a long text is never shown. */
const LOOKED_AT_MAX = 256;
/** A long run of letters with a digit may be a credential in the wrong place. */
const CREDENTIAL_LIKE = /(?=[\w+/=.-]*\d)[\w+/=.-]{20,}/;

/** The form of all known field names; a name of another form is shown as a text of the user. */
const PLAIN_NAME = /^[A-Za-z]{1,40}$/;

export interface Problem {
  /** Relative to the policy folder. */
  readonly file: string;
  /** From 1; 0 if the problem is the file as a whole. */
  readonly line: number;
  readonly column: number;
  /** E.g. `spec.budget.dollars`; empty if the file could not be read that far. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
  /** Valid YAML for the field, if there is an example. */
  readonly example: string | null;
}

/** Makes one error for all problems, sorted by place; its message is the report. */
export function invalidResources(problems: readonly Problem[]): VarveError {
  const sorted = problems.toSorted(byPlace);
  return new VarveError('INVALID_INPUT', reportOf(sorted), {
    details: { problems: sorted.slice(0, PROBLEMS_KEPT_MAX), problemCount: sorted.length },
  });
}

/**
 * Describes a value in words: shortens scalars, and leaves out anything that may be a credential.
 */
export function describeFound(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'nothing (the field is empty: give it a value or leave it out)';
  if (typeof value === 'string') return `the text ${quoted(value)}`;
  if (typeof value === 'number' || typeof value === 'bigint') return `the number ${value}`;
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return `a mapping of ${Object.keys(value).length} fields`;
}

/** Quotes a word of the user: shortened, and left out if it may be a credential. */
export function quoted(text: string): string {
  const start = text.slice(0, LOOKED_AT_MAX);
  if (CREDENTIAL_LIKE.test(start)) return `<${text.length} characters>`;
  // Control characters in a file could overwrite the terminal that shows the report.
  const shown = start.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  const characters = Array.from(shown);
  if (characters.length <= FOUND_LENGTH_MAX) return `"${shown}"`;
  return `"${characters.slice(0, FOUND_LENGTH_MAX).join('')}…"`;
}

/** Formats a path as Kubernetes does: `spec.hierarchy.teams[0].org`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key);
    const shown = PLAIN_NAME.test(name) ? name : quoted(name);
    return text === '' ? shown : `${text}.${shown}`;
  }, '');
}

function reportOf(problems: readonly Problem[]): string {
  const files = new Set(problems.map(({ file }) => file)).size;
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const where = files === 1 ? '1 file' : `${files} files`;
  const printed = problems.slice(0, PROBLEMS_PRINTED_MAX).map(problemText);
  const more = problems.length - printed.length;
  const rest = more > 0 ? [`and ${more} more`] : [];
  return [`${count} in ${where}; nothing was applied.`, ...printed, ...rest].join('\n\n');
}

function problemText(problem: Problem): string {
  const place = problem.line === 0 ? '' : `:${problem.line}:${problem.column}`;
  const lines = [
    `${problem.file}${place}  ${problem.path}`.trimEnd(),
    `  expected  ${problem.expected}`,
    `  found     ${problem.found}`,
  ];
  if (problem.example !== null) {
    lines.push(`  example   ${problem.example.replaceAll('\n', '\n            ')}`);
  }
  return lines.join('\n');
}

function byPlace(a: Problem, b: Problem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
