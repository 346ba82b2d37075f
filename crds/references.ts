/** Rules between resources: what stands twice, and references that lead nowhere. */
import { DREAMS_PER_TENANT_MAX } from '#core/records/dream-policy.ts';
import type { DeepDream } from './deep-dream.ts';
import type { FieldPath } from './field.ts';
import type { LayerSummaryPolicy } from './layer-summary-policy.ts';
import { tenantIdOf, type MemoryTenant } from './memory-tenant.ts';
import { namespaceOf, type Metadata } from './metadata.ts';
import type { ModelProvider } from './model-provider.ts';
import { formatPath, quoted, type Problem } from './problem.ts';
import { nearestWord } from '#core/spelling.ts';
import type { Sourced } from './yaml-source.ts';

export interface SourcedResources {
  readonly tenants: readonly Sourced<MemoryTenant>[];
  readonly policies: readonly Sourced<LayerSummaryPolicy>[];
  readonly providers: readonly Sourced<ModelProvider>[];
  readonly dreams: readonly Sourced<DeepDream>[];
  /**
   * Tenants that are elsewhere, or have mistakes of their own, as `namespace/name`: references to
   * them are no mistake.
   */
  readonly knownTenants: readonly string[];
  /** False where a text could not be read at all, so that it is unknown what stands in it. */
  readonly isComplete: boolean;
}

interface Named {
  readonly kind: string;
  readonly metadata: Metadata;
}

/** What is to be there only once, and what to say of the second. */
interface Uniqueness<T> {
  readonly keyOf: (resource: T) => string;
  readonly path: FieldPath;
  readonly expected: string;
}

/** How many known names an error lists. */
const NAMES_LISTED_MAX = 10;

/** Every broken rule between the resources that could be read. */
export function referenceProblems(read: SourcedResources): readonly Problem[] {
  const tenants = splitRepeated(read.tenants, NAME);
  const policies = splitRepeated(read.policies, NAME);
  const dreams = splitRepeated(read.dreams, NAME);
  return [
    ...tenants.problems,
    ...policies.problems,
    ...dreams.problems,
    ...splitRepeated(read.providers, NAME).problems,
    // A copy of a whole resource is one mistake, so only the first of a name is looked at further.
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

/** The first one too many of each tenant. */
function dreamsTooMany(dreams: readonly Sourced<DeepDream>[]): readonly Problem[] {
  const ofTenants = Map.groupBy(dreams, ({ resource }) => tenantOf(resource));
  return [...ofTenants].flatMap(([tenant, own]) => {
    const first = own[DREAMS_PER_TENANT_MAX];
    if (first === undefined) return [];
    const path = ['metadata', 'name'];
    return [
      {
        file: first.document.file,
        ...first.document.placeOf(path),
        path: formatPath(path),
        expected: `at most ${DREAMS_PER_TENANT_MAX} DeepDreams for a tenant`,
        found: `${own.length} for ${tenant}`,
        example: null,
      },
    ];
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
    problems.push({
      file: sourced.document.file,
      ...sourced.document.placeOf(rule.path),
      path: formatPath(rule.path),
      expected: rule.expected,
      found: `${key}, which ${file}:${line} declares too`,
      example: null,
    });
  }
  return { first: [...first.values()], problems };
}

function missingTenant(
  { resource, document }: Sourced<LayerSummaryPolicy | DeepDream>,
  { tenants, knownTenants, isComplete }: SourcedResources,
): readonly Problem[] {
  const namespace = namespaceOf(resource);
  const { name } = resource.spec.tenantRef;
  const prefix = `${namespace}/`;
  const names = [...tenants.map((tenant) => nameOf(tenant.resource)), ...knownTenants]
    .filter((known) => known.startsWith(prefix))
    .map((known) => known.slice(prefix.length));
  if (names.includes(name) || !isComplete) return [];
  const meant = nearestWord(name, names);
  const path = ['spec', 'tenantRef', 'name'];
  const known = names.slice(0, NAMES_LISTED_MAX).join(', ');
  const problem: Problem = {
    file: document.file,
    ...document.placeOf(path),
    path: formatPath(path),
    expected:
      `the name of a MemoryTenant in namespace ${namespace}` +
      (names.length === 0 ? ', which has none' : `: ${known}`),
    found: `the text ${quoted(name)}${meant === null ? '' : `; did you mean ${meant}?`}`,
    example: `tenantRef: { name: ${meant ?? names[0] ?? 'acme'} }`,
  };
  return [problem];
}

function nameOf(resource: Named): string {
  return `${namespaceOf(resource)}/${resource.metadata.name}`;
}
