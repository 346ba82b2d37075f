/** YAML files for tests of reading, and the problems found in them. */
import type { VarveError } from '#core/errors.ts';
import type { Problem } from '#crds/problem-report.ts';
import { readResources, type ResourceFile, type Resources } from '#crds/read-resources.ts';
import { thrownBy } from '#test/unit/failures.ts';

export function file(name: string, text: string): ResourceFile {
  return { name, bytes: new TextEncoder().encode(text) };
}

export function read(text: string): Resources {
  return readResources([file('tenant.yaml', text)]);
}

/** The error of files that must not be readable. */
export function errorOf(...files: readonly ResourceFile[]): VarveError {
  return thrownBy(() => readResources(files));
}

export function problemsOf(...files: readonly ResourceFile[]): readonly Problem[] {
  return errorOf(...files).details['problems'] as readonly Problem[];
}

export function problemsIn(text: string): readonly Problem[] {
  return problemsOf(file('tenant.yaml', text));
}

const HEAD = 'apiVersion: memory.varve.dev/v1alpha1';

/** A MemoryTenant `acme` whose spec begins in line 6. */
export function tenant(spec: string, name = 'acme'): string {
  return `${HEAD}\nkind: MemoryTenant\nmetadata:\n  name: ${name}\nspec:\n${indent(spec)}`;
}

/** A LayerSummaryPolicy for tenant `acme` whose spec begins in line 6. */
export function layerPolicy(spec: string, name = 'acme-layer'): string {
  const whole = `tenantRef: { name: acme }\n${spec}`;
  return `${HEAD}\nkind: LayerSummaryPolicy\nmetadata:\n  name: ${name}\nspec:\n${indent(whole)}`;
}

/** A DeepDream for tenant `acme` at half past three, but for what its spec says. */
export function deepDream(spec: string, name = 'nightly'): string {
  const cron = spec.includes('cron:') ? '' : '\ncron: 30 3 * * *';
  const rest = spec === '{}' ? '' : `\n${spec}`;
  const whole = `tenantRef: { name: acme }${cron}${rest}`;
  return `${HEAD}\nkind: DeepDream\nmetadata:\n  name: ${name}\nspec:\n${indent(whole)}`;
}

export function documents(...texts: readonly string[]): string {
  return texts.join('\n---\n');
}

export const ACME = tenant('{}');

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
