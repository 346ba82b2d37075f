/** Parses objects and documents by their schema, or returns the problems that a person must fix. */
import type { z } from 'zod';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { type Problem, describeFound, formatPath, quoted } from './problem-report.ts';
import { isRecord } from '#core/is-record.ts';
import { docAt, fieldNamesAt, placesOf, type FieldPath } from './field-docs.ts';
import { nearestWord } from '#core/spelling.ts';
import { problemAt, type SourceDocument } from './yaml-source.ts';

/** Problems named in a condition; further ones are only counted. */
const PROBLEMS_NAMED_MAX = 5;
/** The message of a condition may have 32 KiB, but people read a few lines. */
const REPORT_LENGTH_MAX = 1_500;
const NOWHERE = { line: 0, column: 0 };

export type ReadResult<T> =
  | { readonly kind: 'Valid'; readonly resource: T }
  | { readonly kind: 'Invalid'; readonly report: string };

/**
 * Checks an object that the server accepted, since the server's schema may be of another version
 * than this program. Fields that the server adds, such as uid and status, are not checked.
 */
export function readObject<T extends z.ZodType>(
  object: KubernetesObject,
  schema: T,
): ReadResult<z.output<T>> {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, labels, annotations } = metadata;
  const written = Object.fromEntries(
    Object.entries({ name, namespace, labels, annotations }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  const spec: unknown = object['spec'];
  const value = { apiVersion, kind, metadata: written, ...(spec === undefined ? {} : { spec }) };
  const document = { file: kind, value, placeOf: () => NOWHERE, placeOfKey: () => NOWHERE };
  const checked = checkDocument(document, schema);
  if ('resource' in checked) return { kind: 'Valid', resource: checked.resource };
  return { kind: 'Invalid', report: reportOf(checked.problems) };
}

function reportOf(problems: readonly Problem[]): string {
  const named = problems.slice(0, PROBLEMS_NAMED_MAX).map(sentenceOf);
  const more = problems.length - named.length;
  const text = [...named, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
  return text.length <= REPORT_LENGTH_MAX ? text : `${text.slice(0, REPORT_LENGTH_MAX)}…`;
}

function sentenceOf({ path, expected, found }: Problem): string {
  return `${path === '' ? 'The resource' : path}: expected ${expected}, found ${found}.`;
}

/**
 * Fields that an API server adds and no person writes. They are left out before the check, so that
 * the output of `kubectl get -o yaml` can be read back and a misspelled field is still found.
 */
const OF_METADATA: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'generation',
  'managedFields',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
]);

/**
 * Returns the resource as a person would have written it; returns anything but an object unchanged.
 */
function withoutServerFields(resource: unknown): unknown {
  if (!isRecord(resource)) return resource;
  const { status: _, ...written } = resource;
  const { metadata } = written;
  if (!isRecord(metadata)) return written;
  const own = Object.entries(metadata).filter(([name]) => !OF_METADATA.has(name));
  return { ...written, metadata: Object.fromEntries(own) };
}

/** Mistakes checked in one document; a document with more is probably another kind of file. */
const ISSUES_MAX = 100;

/** Returns the value of a document that fits its schema, or every problem that it has. */
export function checkDocument<T extends z.ZodType>(
  document: SourceDocument,
  schema: T,
): { readonly resource: z.output<T> } | { readonly problems: readonly Problem[] } {
  const result = schema.safeParse(withoutServerFields(document.value));
  if (result.success) return { resource: result.data };
  const issues = result.error.issues.flatMap(oneByOne);
  const problems = new Map<string, Problem>();
  for (const issue of issues.slice(0, ISSUES_MAX)) {
    const problem = problemOf(issue, { document, schema });
    // To a person, a wrong length, pattern and range of one field are one mistake.
    const place = `${problem.line}:${problem.column}:${problem.path}`;
    if (!problems.has(place)) problems.set(place, problem);
  }
  if (issues.length > ISSUES_MAX) problems.set('', tooMany(document, issues.length));
  return { problems: [...problems.values()] };
}

/** Splits an issue about several unknown fields, as zod reports them, into one for each. */
function oneByOne(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'unrecognized_keys') return [issue];
  return issue.keys.map((key) => ({ ...issue, keys: [key] }));
}

function tooMany(document: SourceDocument, count: number): Problem {
  const expected = `at most ${ISSUES_MAX} mistakes in a resource`;
  return problemAt(document, [], { expected, found: `${count}; only the first are shown` });
}

interface Checked {
  readonly document: SourceDocument;
  readonly schema: z.ZodType;
}

function problemOf(issue: z.core.$ZodIssue, checked: Checked): Problem {
  const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  return key === undefined
    ? wrongValue(issue, checked)
    : unknownField([...issue.path, key], checked);
}

function unknownField(path: FieldPath, { document, schema }: Checked): Problem {
  const name = String(path.at(-1));
  const parent = path.slice(0, -1);
  const known = fieldNamesAt(schema, parent);
  const meant = nearestWord(name, known);
  const elsewhere = placesOf(schema, name)[0];
  let hint = '';
  if (meant !== null) hint = `; did you mean ${meant}?`;
  else if (elsewhere !== undefined) hint = `; it belongs to ${formatPath(elsewhere.slice(0, -1))}`;
  const place = meant === null ? elsewhere : [...parent, meant];
  return problemAt(document, path, {
    ...document.placeOfKey(path),
    expected: `one of the fields ${known.join(', ')}`,
    found: `the unknown field ${quoted(name)}${hint}`,
    example: place === undefined ? null : exampleOf(schema, place),
  });
}

function wrongValue(issue: z.core.$ZodIssue, { document, schema }: Checked): Problem {
  const { path } = issue;
  const found = valueAt(document.value, path);
  const meant =
    issue.code === 'invalid_value' && typeof found === 'string'
      ? nearestWord(found, issue.values.map(String))
      : null;
  return problemAt(document, path, {
    expected: expectedBy(issue) ?? docAt(schema, path)?.doc.expected ?? 'another value',
    found: `${describeFound(found)}${meant === null ? '' : `; did you mean ${meant}?`}`,
    example: exampleOf(schema, path, meant),
  });
}

/** A rule over several fields brings its own text for what it expects. */
function expectedBy(issue: z.core.$ZodIssue): string | null {
  const expected: unknown = issue.code === 'custom' ? issue.params?.['expected'] : undefined;
  return typeof expected === 'string' ? expected : null;
}

/** Returns the documented field at or around a path, as lines of YAML that can be copied. */
function exampleOf(schema: z.ZodType, path: FieldPath, meant: string | null = null): string | null {
  const found = docAt(schema, path);
  if (found === null || found.path.length === 0) return null;
  const name = found.path.findLast((key) => typeof key === 'string');
  const isWhole = found.path.length === path.length;
  const value = isWhole && meant !== null ? meant : found.doc.example;
  return `${String(name)}:${value.startsWith('\n') ? '' : ' '}${value}`;
}

function valueAt(value: unknown, path: FieldPath): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) {
      return undefined;
    }
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}
