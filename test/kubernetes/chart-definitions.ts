/** The resource definitions of this work tree, and the fields of their schemas. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { readProjectFile, ROOT } from '../tidy/source-file.ts';

const FOLDER = 'charts/varve/resources';

const Node = z.record(z.string(), z.unknown());
const Definition = z.looseObject({
  kind: z.literal('CustomResourceDefinition'),
  spec: z.looseObject({
    names: z.looseObject({ plural: z.string(), kind: z.string() }),
    versions: z.array(
      z.looseObject({
        name: z.string(),
        served: z.boolean(),
        schema: z.looseObject({ openAPIV3Schema: Node }),
      }),
    ),
  }),
});
export type Definition = z.infer<typeof Definition>;

/** A part of a schema, as the definition has it. */
export type SchemaNode = z.infer<typeof Node>;

/** In the order of their plural names. */
export function chartDefinitions(): readonly Definition[] {
  return readdirSync(path.join(ROOT, FOLDER))
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => parseAllDocuments(readProjectFile(`${FOLDER}/${file}`).text))
    .flatMap((document) => {
      const parsed = Definition.safeParse(document.toJS());
      return parsed.success ? [parsed.data] : [];
    })
    .toSorted((a, b) => (a.spec.names.plural < b.spec.names.plural ? -1 : 1));
}

/** The schema of the one version of a definition. */
export function schemaOf({ spec }: Definition): SchemaNode {
  return spec.versions[0]?.schema.openAPIV3Schema ?? {};
}

/** What a part of a schema has below one of its keys; an empty one where it has nothing. */
export function below(node: SchemaNode, key: string): SchemaNode {
  const found = Node.safeParse(node[key]);
  return found.success ? found.data : {};
}
