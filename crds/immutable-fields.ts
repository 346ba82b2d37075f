/**
 * Fields of a resource that must not change. The API server refuses a change by CEL. In a policy
 * folder, where a changed file is just a new file, this module compares with what was read before.
 */
import type { DeepDream } from './deep-dream.ts';
import type { FieldPath } from './field-docs.ts';
import type { LayerSummaryPolicy } from './layer-summary-policy.ts';
import { tenantIdOf, type MemoryTenant } from './memory-tenant.ts';
import { namespaceOf } from './metadata.ts';
import type { ModelProvider } from './model-provider.ts';
import { quoted, type Problem } from './problem-report.ts';
import { problemAt, type Sourced } from './yaml-source.ts';

export type Resource = MemoryTenant | LayerSummaryPolicy | ModelProvider | DeepDream;

interface RefusedChange {
  readonly path: FieldPath;
  readonly before: string;
  readonly after: string;
}

/** Returns the first immutable field that changed, or null. Assumes the same kind and name. */
export function refusedChange(before: Resource, after: Resource): RefusedChange | null {
  const now = fixedFields(after);
  for (const [index, { path, value }] of fixedFields(before).entries()) {
    const changed = now[index]?.value ?? '';
    if (changed !== value) return { path, before: value, after: changed };
  }
  return null;
}

/**
 * Returns every refused change since the last reading. Resources with other names are other
 * resources.
 */
export function transitionProblems(
  resources: readonly Sourced<Resource>[],
  before: readonly Resource[],
): readonly Problem[] {
  const known = new Map(before.map((resource) => [keyOf(resource), resource]));
  return resources.flatMap(({ resource, document }) => {
    const old = known.get(keyOf(resource));
    const change = old === undefined ? null : refusedChange(old, resource);
    if (change === null) return [];
    const expected =
      `${quoted(change.before)} as before: it cannot be changed; ` +
      'give the resource another name, or delete it first';
    const found = `the text ${quoted(change.after)}`;
    return [problemAt(document, change.path, { expected, found })];
  });
}

interface FixedField {
  readonly path: FieldPath;
  readonly value: string;
}

function fixedFields(resource: Resource): readonly FixedField[] {
  if (resource.kind === 'ModelProvider') return [];
  if (resource.kind === 'MemoryTenant') {
    return [{ path: ['spec', 'tenantId'], value: tenantIdOf(resource) }];
  }
  const tenant = { path: ['spec', 'tenantRef', 'name'], value: resource.spec.tenantRef.name };
  if (resource.kind === 'DeepDream') return [tenant];
  return [tenant, { path: ['spec', 'layer'], value: resource.spec.layer }];
}

function keyOf(resource: Resource): string {
  return `${resource.kind} ${namespaceOf(resource)}/${resource.metadata.name}`;
}
