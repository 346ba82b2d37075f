/** Reads the resources of a policy folder: returns them, or one report of every mistake. */
import type { z } from 'zod';
import { DeepDream } from './deep-dream.ts';
import { LayerSummaryPolicy } from './layer-summary-policy.ts';
import { MemoryTenant, tenantIdOf } from './memory-tenant.ts';
import {
  API_GROUP,
  API_VERSION,
  DEFAULT_NAMESPACE,
  type Metadata,
  namespaceOf,
} from './metadata.ts';
import { ModelProvider } from './model-provider.ts';
import { type Problem, describeFound, invalidResources, quoted } from './problem-report.ts';
import { checkDocument } from './read-object.ts';
import { fieldOf } from '#core/is-record.ts';
import { nearestWord } from '#core/spelling.ts';
import { transitionProblems } from './immutable-fields.ts';
import { type SourceDocument, type Sourced, parseSource, problemAt } from './yaml-source.ts';
import type { FieldPath } from './field-docs.ts';
import { DREAMS_PER_TENANT_MAX } from '#core/records/dream-policy.ts';

/** A file of the policy folder, or why it could not be read. */
export type ResourceFile =
  | { readonly name: string; readonly bytes: Uint8Array }
  | { readonly name: string; readonly expected: string; readonly found: string };

export interface Resources {
  readonly tenants: readonly MemoryTenant[];
  readonly policies: readonly LayerSummaryPolicy[];
  readonly providers: readonly ModelProvider[];
  readonly dreams: readonly DeepDream[];
}

/** What is known apart from the files, if they are only a part of what exists. */
export interface KnownResources {
  /** MemoryTenants as `namespace/name`, to which references are valid. */
  readonly tenants: readonly string[];
  /** The namespace of a resource that names none; null if it is not known. */
  namespaceOf(value: unknown): string | null;
}

/** What was read so far; filled file by file. */
interface Reading {
  readonly tenants: Sourced<MemoryTenant>[];
  readonly policies: Sourced<LayerSummaryPolicy>[];
  readonly providers: Sourced<ModelProvider>[];
  readonly dreams: Sourced<DeepDream>[];
  /**
   * Tenants that exist elsewhere or have mistakes of their own, as `namespace/name`: references to
   * them are not mistakes.
   */
  readonly knownTenants: string[];
  /** False if a text could not be read at all, so that its content is unknown. */
  isComplete: boolean;
}

/** One reader for each kind, so that each resource keeps the type of its schema. */
const READERS: Readonly<
  Record<string, (document: SourceDocument, read: Reading) => readonly Problem[]>
> = {
  MemoryTenant: (document, read) => {
    const problems = readInto(document, MemoryTenant, read.tenants);
    if (problems.length > 0) read.knownTenants.push(writtenName(document));
    return problems;
  },
  LayerSummaryPolicy: (document, read) => readInto(document, LayerSummaryPolicy, read.policies),
  ModelProvider: (document, read) => readInto(document, ModelProvider, read.providers),
  DeepDream: (document, read) => readInto(document, DeepDream, read.dreams),
};

const EXAMPLE = `apiVersion: ${API_VERSION}
kind: MemoryTenant
metadata:
  name: acme`;

/**
 * Reads all files, and checks each resource and the references between resources. With `before`,
 * also checks that no immutable field changed. With `known`, no file needs a MemoryTenant, and
 * LayerSummaryPolicies and DeepDreams may refer to tenants that are not in the files.
 * @throws VarveError INVALID_INPUT: its message is a report for people, `details.problems` the same
 * for programs. Files are named as given; values are shortened and no credential is repeated.
 */
export function readResources(
  files: readonly ResourceFile[],
  before: Resources | null = null,
  known: KnownResources | null = null,
): Resources {
  const read: Reading = {
    tenants: [],
    policies: [],
    providers: [],
    dreams: [],
    knownTenants: [...(known?.tenants ?? [])],
    isComplete: true,
  };
  const problems = files.flatMap((file) => readFile(file, read, known));
  problems.push(...referenceProblems(read));
  if (before !== null) problems.push(...transitionProblems(allOf(read), allOf(before)));
  const isAnyOther = read.policies.length + read.dreams.length + read.providers.length > 0;
  const isNone = read.tenants.length === 0 && (known === null || !isAnyOther);
  if (problems.length === 0 && isNone) problems.push(noResources('none'));
  if (problems.length > 0) throw invalidResources(problems);
  return {
    tenants: read.tenants.map(({ resource }) => resource),
    policies: read.policies.map(({ resource }) => resource),
    providers: read.providers.map(({ resource }) => resource),
    dreams: read.dreams.map(({ resource }) => resource),
  };
}

/** Returns the resources of all kinds in the form in which they are stored. */
function allOf<A, B, C, D>(resources: {
  readonly tenants: readonly A[];
  readonly policies: readonly B[];
  readonly providers: readonly C[];
  readonly dreams: readonly D[];
}): readonly (A | B | C | D)[] {
  const { tenants, policies, providers, dreams } = resources;
  return [...tenants, ...policies, ...providers, ...dreams];
}

/** Reports a folder with nothing to apply, with an example of a first file. */
export function noResources(found: string): Problem {
  const expected = 'a file *.yaml or *.yml with a MemoryTenant';
  return { ...fileProblem('the policy folder', expected, found), example: EXAMPLE };
}

function readFile(
  file: ResourceFile,
  read: Reading,
  known: KnownResources | null,
): readonly Problem[] {
  const source = sourceOf(file);
  if (source.problems.length > 0) read.isComplete = false;
  const documents = source.documents.flatMap(itemsOf).map((it) => placed(it, known));
  return [...source.problems, ...documents.flatMap((it) => readDocument(it, read))];
}

/** Returns the document with the namespace that it belongs to, if it names none. */
function placed(document: SourceDocument, known: KnownResources | null): SourceDocument {
  const metadata = fieldOf(document.value, 'metadata');
  if (typeof metadata !== 'object' || metadata === null) return document;
  const isOpen = fieldOf(metadata, 'namespace') === undefined;
  const namespace = isOpen ? (known?.namespaceOf(document.value) ?? null) : null;
  if (namespace === null) return document;
  const value = { ...(document.value as object), metadata: { ...metadata, namespace } };
  return { ...document, value };
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
    // It may be a misspelled tenant; a reference to it is then not a second mistake.
    read.knownTenants.push(writtenName(document));
    return [wrong];
  }
  return READERS[String(fieldOf(document.value, 'kind'))]?.(document, read) ?? [];
}

function readInto<T extends z.ZodType>(
  document: SourceDocument,
  schema: T,
  resources: Sourced<z.output<T>>[],
): readonly Problem[] {
  const checked = checkDocument(document, schema);
  if ('problems' in checked) return checked.problems;
  resources.push({ resource: checked.resource, document });
  return [];
}

/** Returns the name of a resource that did not pass its schema. */
function writtenName({ value }: SourceDocument): string {
  const metadata = fieldOf(value, 'metadata');
  const [namespace, name] = [fieldOf(metadata, 'namespace'), fieldOf(metadata, 'name')];
  const written = typeof namespace === 'string' ? namespace : DEFAULT_NAMESPACE;
  return `${written}/${typeof name === 'string' ? name : ''}`;
}

/** Checks the fields that select the schema before the schema itself. */
function kindProblem(document: SourceDocument): Problem | null {
  const apiVersion = fieldOf(document.value, 'apiVersion');
  if (apiVersion !== API_VERSION) {
    const isOurs = typeof apiVersion === 'string' && apiVersion.startsWith(`${API_GROUP}/`);
    const expected = isOurs ? `${API_VERSION}, the only version there is` : API_VERSION;
    return headProblem(document, 'apiVersion', { expected, example: `apiVersion: ${API_VERSION}` });
  }
  const kind = fieldOf(document.value, 'kind');
  if (typeof kind === 'string' && Object.hasOwn(READERS, kind)) return null;
  const names = Object.keys(READERS);
  const expected = `one of the kinds ${names.join(', ')}`;
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
  const found = `${describeFound(fieldOf(document.value, field))}${hint}`;
  return problemAt(document, [field], { expected, found, example });
}

function fileProblem(file: string, expected: string, found: string): Problem {
  return { file, line: 0, column: 0, path: '', expected, found, example: null };
}

function decode(bytes: Uint8Array): string | null {
  // A zero byte is valid UTF-8, but never part of a text.
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

// Splits the `List` that `kubectl get -o yaml` prints for several resources.

/** Returns a document for each resource of a list; each keeps its place in the file. */
function itemsOf(document: SourceDocument): readonly SourceDocument[] {
  const { value } = document;
  if (!isList(value)) return [document];
  return value.items.map((item, index) => {
    const inList = (path: FieldPath): FieldPath => ['items', index, ...path];
    return {
      file: document.file,
      value: item,
      placeOf: (path) => document.placeOf(inList(path)),
      placeOfKey: (path) => document.placeOfKey(inList(path)),
    };
  });
}

function isList(value: unknown): value is { readonly items: readonly unknown[] } {
  if (typeof value !== 'object' || value === null) return false;
  const { apiVersion, kind, items } = value as Readonly<Record<string, unknown>>;
  return apiVersion === 'v1' && kind === 'List' && Array.isArray(items);
}

// Rules between resources: no duplicates, and no references to missing resources.

interface Named {
  readonly kind: string;
  readonly metadata: Metadata;
}

/** What must be unique, and how to report a duplicate. */
interface Uniqueness<T> {
  readonly keyOf: (resource: T) => string;
  readonly path: FieldPath;
  readonly expected: string;
}

/** Known names that an error lists. */
const NAMES_LISTED_MAX = 10;

/** Returns every broken rule between the resources that could be read. */
function referenceProblems(read: Reading): readonly Problem[] {
  const tenants = splitRepeated(read.tenants, NAME);
  const policies = splitRepeated(read.policies, NAME);
  const dreams = splitRepeated(read.dreams, NAME);
  return [
    ...tenants.problems,
    ...policies.problems,
    ...dreams.problems,
    ...splitRepeated(read.providers, NAME).problems,
    // A copy of a whole resource is one mistake, so only the first of a name is checked further.
    ...splitRepeated(tenants.first, TENANT_ID).problems,
    ...splitRepeated(policies.first, LAYER).problems,
    ...dreamsTooMany(dreams.first),
    ...[...policies.first, ...dreams.first].flatMap((one) => missingTenant(one, read)),
  ];
}

const NAME: Uniqueness<Named> = {
  keyOf: (resource) => `${resource.kind} ${nameOf(resource)}`,
  path: ['metadata', 'name'],
  expected: 'a name that no other resource of the kind and namespace has',
};

const TENANT_ID: Uniqueness<MemoryTenant> = {
  keyOf: (resource) => `tenant ${tenantIdOf(resource)}`,
  path: ['spec', 'tenantId'],
  expected: 'a tenant id that no other MemoryTenant has',
};

const LAYER: Uniqueness<LayerSummaryPolicy> = {
  keyOf: ({ metadata, spec }) =>
    `the ${spec.layer} layer of ${namespaceOf({ metadata })}/${spec.tenantRef.name}`,
  path: ['spec', 'layer'],
  expected: 'one LayerSummaryPolicy for each layer of a tenant',
};

/** Reports the first dream of each tenant that is above the limit. */
function dreamsTooMany(dreams: readonly Sourced<DeepDream>[]): readonly Problem[] {
  const ofTenants = Map.groupBy(dreams, ({ resource }) => tenantOf(resource));
  return [...ofTenants].flatMap(([tenant, own]) => {
    const first = own[DREAMS_PER_TENANT_MAX];
    if (first === undefined) return [];
    const expected = `at most ${DREAMS_PER_TENANT_MAX} DeepDreams for a tenant`;
    const found = `${own.length} for ${tenant}`;
    return [problemAt(first.document, ['metadata', 'name'], { expected, found })];
  });
}

function tenantOf({ metadata, spec }: DeepDream): string {
  return `${namespaceOf({ metadata })}/${spec.tenantRef.name}`;
}

function splitRepeated<T extends Named>(
  resources: readonly Sourced<T>[],
  rule: Uniqueness<T>,
): { first: readonly Sourced<T>[]; problems: readonly Problem[] } {
  const first = new Map<string, Sourced<T>>();
  const problems: Problem[] = [];
  for (const sourced of resources) {
    const key = rule.keyOf(sourced.resource);
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, sourced);
      continue;
    }
    const { file } = earlier.document;
    const { line } = earlier.document.placeOf(rule.path);
    const found = `${key}, which ${file}:${line} declares too`;
    problems.push(problemAt(sourced.document, rule.path, { expected: rule.expected, found }));
  }
  return { first: [...first.values()], problems };
}

function missingTenant(
  { resource, document }: Sourced<LayerSummaryPolicy | DeepDream>,
  { tenants, knownTenants, isComplete }: Reading,
): readonly Problem[] {
  const namespace = namespaceOf(resource);
  const { name } = resource.spec.tenantRef;
  const prefix = `${namespace}/`;
  const names = [...tenants.map((tenant) => nameOf(tenant.resource)), ...knownTenants]
    .filter((known) => known.startsWith(prefix))
    .map((known) => known.slice(prefix.length));
  if (names.includes(name) || !isComplete) return [];
  const meant = nearestWord(name, names);
  const known = names.slice(0, NAMES_LISTED_MAX).join(', ');
  const problem = problemAt(document, ['spec', 'tenantRef', 'name'], {
    expected:
      `the name of a MemoryTenant in namespace ${namespace}` +
      (names.length === 0 ? ', which has none' : `: ${known}`),
    found: `the text ${quoted(name)}${meant === null ? '' : `; did you mean ${meant}?`}`,
    example: `tenantRef: { name: ${meant ?? names[0] ?? 'acme'} }`,
  });
  return [problem];
}

function nameOf(resource: Named): string {
  return `${namespaceOf(resource)}/${resource.metadata.name}`;
}
