import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { customResourceDefinition, DEFINITIONS } from '#crds/kinds-and-columns.ts';
import { platformLimits } from '#crds/platform-limits.ts';
import { printedFiles } from '#crds/print-crds.ts';
import { structuralSchema, type StructuralSchema } from '#crds/structural-schema.ts';

const RESOURCES = path.resolve(import.meta.dirname, '../../../charts/varve/resources');

/** Every schema within a schema, by its place. */
function* nodesOf(schema: StructuralSchema, place: string): Generator<[string, StructuralSchema]> {
  yield [place, schema];
  const { items, properties } = schema;
  if (items !== undefined) yield* nodesOf(items as StructuralSchema, `${place}[]`);
  for (const [name, field] of Object.entries(properties ?? {})) {
    yield* nodesOf(field as StructuralSchema, `${place}.${name}`);
  }
}

const NODES = DEFINITIONS.flatMap(({ type, schema, status }) => [
  ...nodesOf(structuralSchema(schema.shape.spec), `${type.kind}.spec`),
  ...nodesOf(structuralSchema(status), `${type.kind}.status`),
]);

describe('printed definitions', () => {
  test.each(printedFiles().map((file) => [file.name, file.text] as const))(
    '%s of the chart matches the schemas; `npm run crds` generates it',
    (name, text) => {
      expect(readFileSync(path.join(RESOURCES, name), 'utf8')).toBe(text);
    },
  );

  test('printing loses nothing of a definition', () => {
    const definitions = DEFINITIONS.map((definition) => customResourceDefinition(definition));
    const objects = [...definitions, ...platformLimits()];
    const printed = printedFiles().flatMap(({ text }) => parseAllDocuments(text));
    expect(printed.map((document): unknown => document.toJS())).toEqual(
      JSON.parse(JSON.stringify(objects)),
    );
  });

  test('every field of every kind has a description', () => {
    const silent = NODES.filter(
      ([place, { description }]) => !place.endsWith('[]') && typeof description !== 'string',
    );
    expect(silent).toEqual([]);
    expect(NODES.length).toBeGreaterThan(100);
  });

  test('every rule has a message of its own that says what is expected', () => {
    const rules = NODES.flatMap(
      ([, node]) => (node['x-kubernetes-validations'] ?? []) as { rule: string; message: string }[],
    );
    expect(rules.length).toBeGreaterThan(20);
    for (const { rule, message } of rules) {
      expect(message).toMatch(/^expected .{10}|cannot be changed/u);
      expect(message).not.toContain(rule);
    }
  });

  test.each(DEFINITIONS.map((definition) => [definition.type.kind, definition] as const))(
    'kubectl get shows for a %s whether it works and since when',
    (_, { columns, status }) => {
      expect(columns.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['Ready', 'Since', 'Reason', 'Age']),
      );
      const fields = Object.keys((status as z.ZodObject).shape);
      for (const { jsonPath } of columns) {
        const [, named] = /^\.status\.(\w+)/u.exec(jsonPath) ?? [];
        if (named !== undefined) expect(fields).toContain(named);
      }
    },
  );
});

describe('schemas that Kubernetes cannot accept', () => {
  const described = (schema: z.ZodType) => z.strictObject({ a: schema.describe('A field.') });

  test.each([
    ['a text without a maximum length', described(z.string()), /longest length/],
    ['a list without a maximum size', described(z.array(z.boolean())), /most items/],
    ['a number without a range', described(z.number()), /range/],
    ['a field without a description', z.strictObject({ a: z.boolean() }), /description/],
    ['a union of types', described(z.union([z.boolean(), z.string().max(5)])), /anyOf/],
    ['a map', described(z.record(z.string().max(5), z.boolean())), /is a map/],
  ])('%s is refused when printed', (_, schema, problem) => {
    expect(() => structuralSchema(schema)).toThrow(VarveError);
    expect(() => structuralSchema(schema)).toThrow(problem);
  });
});
