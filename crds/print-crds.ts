/**
 * Generates charts/varve/resources/*.yaml from the schemas in this folder: `npm run crds`. A test
 * generates them again and compares, so that neither is changed without the other.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Document, visit } from 'yaml';
import { customResourceDefinition, DEFINITIONS } from './kinds-and-columns.ts';
import { platformLimits } from './platform-limits.ts';

const LINE_CHARACTERS_MAX = 80;
/** Longer texts are folded below their key, so that they read as prose. */
const TEXT_IN_LINE_MAX = 40;
const RESOURCES = path.resolve(import.meta.dirname, '../charts/varve/resources');
const MADE = '# Generated from crds/*.ts by `npm run crds`. Change the schema and run it again.\n';

interface PrintedFile {
  /** In charts/varve/resources, since a chart can read no file outside of its own folder. */
  readonly name: string;
  readonly text: string;
}

/** Returns every printed file; the same schemas give the same bytes. */
export function printedFiles(): readonly PrintedFile[] {
  const definitions = DEFINITIONS.map((definition) => ({
    name: `${definition.type.plural}.yaml`,
    text: `${MADE}${yamlOf(customResourceDefinition(definition))}`,
  }));
  const limits = platformLimits().map((object) => yamlOf(object));
  return [...definitions, { name: 'platform-limits.yaml', text: MADE + limits.join('---\n') }];
}

function yamlOf(value: object): string {
  // Helm and kubectl read YAML 1.1, where an unquoted Off or Yes is a boolean.
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar(key, node) {
      const { value: text } = node;
      const isProse = key === 'value' && typeof text === 'string' && text.includes(' ');
      if (isProse && text.length > TEXT_IN_LINE_MAX) node.type = 'BLOCK_FOLDED';
    },
  });
  return document.toString({ lineWidth: LINE_CHARACTERS_MAX, singleQuote: true });
}

const [, started = ''] = process.argv;
if (import.meta.url === pathToFileURL(started).href) {
  for (const { name, text } of printedFiles()) {
    writeFileSync(path.join(RESOURCES, name), text);
  }
}
