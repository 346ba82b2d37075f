/** The chart as Helm renders it, for the tests that judge it. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { helm } from '../cluster/helm.ts';
import { ROOT } from '../tidy/source-file.ts';

export const CHART = path.join(ROOT, 'charts', 'varve');
export const RELEASE = 'acme';
/** Prefix of the names of all objects of a release of that name. */
export const FULL_NAME = `${RELEASE}-varve`;
const VALUES = path.join(import.meta.dirname, 'chart-values');

/** The kinds of Prometheus, KEDA and the Gateway API, with the fields that the chart uses. */
export const FOREIGN_KINDS = path.join(import.meta.dirname, 'chart-fixtures', 'foreign-kinds.yaml');

/** Names of the sets of values that every rule of the chart is tried with. */
export const VALUE_SETS = readdirSync(VALUES).map((file) => path.basename(file, '.yaml'));

/** Of those the ones that install every part by itself; `dev` has them in one pod. */
export const PART_SETS = VALUE_SETS.filter((set) => set !== 'dev');

export const valuesFile = (set: string): string => path.join(VALUES, `${set}.yaml`);

const Rendered = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
});
export type Rendered = z.infer<typeof Rendered>;

export interface Rendering {
  readonly text: string;
  readonly objects: readonly Rendered[];
}

export interface RenderOptions {
  readonly set?: string;
  readonly namespace?: string;
  /** As after `--set`. */
  readonly values?: readonly string[];
}

/** All documents of one set of values; throws with what Helm says where it refuses. */
export async function render(options: RenderOptions = {}): Promise<Rendering> {
  const { status, stdout, stderr } = await tryRender(options);
  if (status !== 0) throw new Error(`helm template: ${stderr}`);
  const documents = parseAllDocuments(stdout);
  const values = documents.map((document) => document.toJS() as unknown);
  const objects = values.filter((value) => value !== null).map((value) => Rendered.parse(value));
  return { text: stdout, objects };
}

export function tryRender({ set = 'minimal', namespace, values = [] }: RenderOptions) {
  return helm([
    'template',
    RELEASE,
    CHART,
    `--values=${valuesFile(set)}`,
    `--namespace=${namespace ?? 'memory'}`,
    ...values.flatMap((value) => ['--set', value]),
  ]);
}

export function ofKind({ objects }: Rendering, kind: string): readonly Rendered[] {
  return objects.filter((object) => object.kind === kind);
}
