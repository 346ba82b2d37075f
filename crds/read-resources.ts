/** The resources of a policy folder: files in, resources out, or one report of every mistake. */
import type { z } from 'zod';
import { API_GROUP, API_VERSION, DEFAULT_NAMESPACE } from './metadata.ts';
import { LayerSummaryPolicy } from './layer-summary-policy.ts';
import { MemoryTenant } from './memory-tenant.ts';
import { describeFound, invalidResources, type Problem } from './problem.ts';
import { referenceProblems, type SourcedResources } from './references.ts';
import { checkDocument } from './schema-problems.ts';
import { nearestWord } from './spelling.ts';
import { parseSource, type SourceDocument, type Sourced } from './yaml-source.ts';

/** A file of the policy folder, or why it could not be read. */
export type ResourceFile =
  | { readonly name: string; readonly bytes: Uint8Array }
  | { readonly name: string; readonly expected: string; readonly found: string };

export interface Resources {
  readonly tenants: readonly MemoryTenant[];
  readonly policies: readonly LayerSummaryPolicy[];
}

/** What was read so far; filled file by file. */
interface Reading extends SourcedResources {
  readonly tenants: Sourced<MemoryTenant>[];
  readonly policies: Sourced<LayerSummaryPolicy>[];
  readonly brokenTenants: string[];
  isComplete: boolean;
}

/** The schema of every kind there is. */
const KINDS: Readonly<Record<string, z.ZodType>> = { MemoryTenant, LayerSummaryPolicy };
/** Kinds of the design that are not there yet; naming one is no spelling mistake. */
const LATER_KINDS: ReadonlySet<unknown> = new Set(['ModelProvider', 'DeepDream']);

const EXAMPLE = `apiVersion: ${API_VERSION}
kind: MemoryTenant
metadata:
  name: acme`;

/**
 * Reads all files and checks each resource and the references between them.
 * @throws VarveError INVALID_INPUT: its message is a report for people, `details.problems` the same
 * for programs. Files are named as given; values are shortened and no credential is repeated.
 */
export function readResources(files: readonly ResourceFile[]): Resources {
  const read: Reading = { tenants: [], policies: [], brokenTenants: [], isComplete: true };
  const problems = files.flatMap((file) => readFile(file, read));
  problems.push(...referenceProblems(read));
  if (problems.length === 0 && read.tenants.length === 0) problems.push(noResources('none'));
  if (problems.length > 0) throw invalidResources(problems);
  return {
    tenants: read.tenants.map(({ resource }) => resource),
    policies: read.policies.map(({ resource }) => resource),
  };
}

/** What is said of a folder in which there is nothing to apply, with a first file to put there. */
export function noResources(found: string): Problem {
  const expected = 'a file *.yaml or *.yml with a MemoryTenant';
  return { ...fileProblem('the policy folder', expected, found), example: EXAMPLE };
}

function readFile(file: ResourceFile, read: Reading): readonly Problem[] {
  const source = sourceOf(file);
  if (source.problems.length > 0) read.isComplete = false;
  return [...source.problems, ...source.documents.flatMap((it) => readDocument(it, read))];
}

function sourceOf(file: ResourceFile): ReturnType<typeof parseSource> {
  const text = 'bytes' in file ? decode(file.bytes) : null;
  if (text !== null) return parseSource(file.name, text);
  const { expected, found } =
    'expected' in file ? file : { expected: 'text in UTF-8', found: 'other bytes' };
  return { documents: [], problems: [fileProblem(file.name, expected, found)] };
}

function readDocument(document: SourceDocument, read: Reading): readonly Problem[] {
  const wrong = kindProblem(document);
  if (wrong !== null) {
    // It may be a misspelt tenant, and then a reference to it is no second mistake.
    read.brokenTenants.push(writtenName(document));
    return [wrong];
  }
  // One branch a kind, so that each resource keeps the type of its schema.
  if (fieldOf(document.value, 'kind') === 'MemoryTenant') {
    const tenant = checkDocument(document, MemoryTenant);
    if ('resource' in tenant) read.tenants.push({ resource: tenant.resource, document });
    else read.brokenTenants.push(writtenName(document));
    return 'resource' in tenant ? [] : tenant.problems;
  }
  const policy = checkDocument(document, LayerSummaryPolicy);
  if ('problems' in policy) return policy.problems;
  read.policies.push({ resource: policy.resource, document });
  return [];
}

/** The name of a resource that did not pass its schema. */
function writtenName({ value }: SourceDocument): string {
  const metadata = fieldOf(value, 'metadata');
  const [namespace, name] = [fieldOf(metadata, 'namespace'), fieldOf(metadata, 'name')];
  const written = typeof namespace === 'string' ? namespace : DEFAULT_NAMESPACE;
  return `${written}/${typeof name === 'string' ? name : ''}`;
}

/** What tells one schema from another is checked before the schema. */
function kindProblem(document: SourceDocument): Problem | null {
  const apiVersion = fieldOf(document.value, 'apiVersion');
  if (apiVersion !== API_VERSION) {
    const isOurs = typeof apiVersion === 'string' && apiVersion.startsWith(`${API_GROUP}/`);
    const expected = isOurs ? `${API_VERSION}, the only version there is` : API_VERSION;
    return headProblem(document, 'apiVersion', { expected, example: `apiVersion: ${API_VERSION}` });
  }
  const kind = fieldOf(document.value, 'kind');
  if (typeof kind === 'string' && Object.hasOwn(KINDS, kind)) return null;
  const names = Object.keys(KINDS);
  const later = LATER_KINDS.has(kind) ? ` (${String(kind)} comes with a later version)` : '';
  const expected = `one of the kinds ${names.join(', ')}${later}`;
  const meant = typeof kind === 'string' ? nearestWord(kind, names) : null;
  return headProblem(document, 'kind', { expected, meant, example: 'kind: MemoryTenant' });
}

function headProblem(
  document: SourceDocument,
  field: string,
  words: { expected: string; example: string; meant?: string | null },
): Problem {
  const { expected, example, meant = null } = words;
  const hint = meant === null ? '' : `; did you mean ${meant}?`;
  return {
    file: document.file,
    ...document.placeOf([field]),
    path: field,
    expected,
    found: `${describeFound(fieldOf(document.value, field))}${hint}`,
    example,
  };
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function fileProblem(file: string, expected: string, found: string): Problem {
  return { file, line: 0, column: 0, path: '', expected, found, example: null };
}

function decode(bytes: Uint8Array): string | null {
  // A zero byte is valid UTF-8 and never part of a text.
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
