/**
 * The definitions before those of this work tree: of the last commit in which they were others. A
 * copy without a history, or with one in which they never changed, has none; then what an earlier
 * version would be is made: the same without rules, and without one field of each kind.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { runProgram } from '../cluster/program.ts';
import { readProjectFile, ROOT } from '../tidy/source-file.ts';

/** Looked at, the newest first; older ones are no upgrade that anybody makes in one step. */
const COMMITS_MAX = 20;
const FOLDER = 'crds';

const Definition = z.looseObject({
  kind: z.literal('CustomResourceDefinition'),
  spec: z.looseObject({
    names: z.looseObject({ plural: z.string(), kind: z.string() }),
    versions: z.array(
      z.looseObject({
        name: z.string(),
        schema: z.looseObject({ openAPIV3Schema: z.record(z.string(), z.unknown()) }),
      }),
    ),
  }),
});
export type Definition = z.infer<typeof Definition>;

export interface EarlierDefinitions {
  /** Where they are from, for the name of a test. */
  readonly from: string;
  readonly definitions: readonly Definition[];
}

export function currentDefinitions(): readonly Definition[] {
  const files = readdirSync(path.join(ROOT, FOLDER)).filter((file) => file.endsWith('.yaml'));
  return definitionsIn(files.map((file) => readProjectFile(`${FOLDER}/${file}`).text));
}

export async function earlierDefinitions(): Promise<EarlierDefinitions> {
  const current = currentDefinitions();
  for (const commit of await commits()) {
    const definitions = definitionsIn(await textsOf(commit));
    if (definitions.length === 0) continue;
    if (JSON.stringify(definitions) === JSON.stringify(current)) continue;
    return { from: `commit ${commit.slice(0, 7)}`, definitions };
  }
  return { from: 'fewer rules and fields', definitions: current.map((each) => lessened(each)) };
}

/** Every path of a field in every version, such as `v1alpha1 spec.budget.dollars`. */
export function fieldsOf({ spec }: Definition): readonly string[] {
  return spec.versions.flatMap(({ name, schema }) =>
    pathsOf(schema.openAPIV3Schema, '').map((at) => `${spec.names.kind} ${name} ${at}`),
  );
}

async function git(...args: readonly string[]): Promise<string> {
  const { status, stdout } = await runProgram('git', ['-C', ROOT, ...args], { env: process.env });
  return status === 0 ? stdout : '';
}

async function commits(): Promise<readonly string[]> {
  const listed = await git(
    'log',
    `--max-count=${String(COMMITS_MAX)}`,
    '--format=%H',
    '--',
    FOLDER,
  );
  return listed.split('\n').filter((line) => line !== '');
}

async function textsOf(commit: string): Promise<readonly string[]> {
  const listed = await git('ls-tree', '--name-only', commit, `${FOLDER}/`);
  const files = listed.split('\n').filter((file) => file.endsWith('.yaml'));
  return Promise.all(files.map((file) => git('show', `${commit}:${file}`)));
}

function definitionsIn(texts: readonly string[]): readonly Definition[] {
  return texts
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as unknown))
    .flatMap((value) => {
      const parsed = Definition.safeParse(value);
      return parsed.success ? [parsed.data] : [];
    })
    .toSorted((a, b) => (a.spec.names.plural < b.spec.names.plural ? -1 : 1));
}

const Node = z.record(z.string(), z.unknown());
const Kind = z.looseObject({
  properties: z.looseObject({
    spec: z.looseObject({ properties: Node, required: z.array(z.string()).default([]) }),
  }),
});

function lessened(definition: Definition): Definition {
  const bare = Definition.parse(
    JSON.parse(
      JSON.stringify(definition, (name, value: unknown) =>
        name === 'x-kubernetes-validations' ? undefined : value,
      ),
    ),
  );
  for (const { schema } of bare.spec.versions) {
    const { spec } = Kind.parse(schema.openAPIV3Schema).properties;
    const last = Object.keys(spec.properties).findLast((name) => !spec.required.includes(name));
    const kept = Object.entries(spec.properties).filter(([name]) => name !== last);
    const { properties } = schema.openAPIV3Schema;
    schema.openAPIV3Schema['properties'] = {
      ...Node.parse(properties),
      spec: { ...spec, properties: Object.fromEntries(kept) },
    };
  }
  return bare;
}

function pathsOf(schema: unknown, at: string): readonly string[] {
  const node = Node.safeParse(schema);
  if (!node.success) return [];
  const { properties, items } = node.data;
  const inner = Node.safeParse(properties);
  const named = Object.entries(inner.success ? inner.data : {}).flatMap(([name, value]) => {
    const here = at === '' ? name : `${at}.${name}`;
    return [here, ...pathsOf(value, here)];
  });
  return [...named, ...pathsOf(items, `${at}[]`)];
}
