/**
 * Random resources out of the printed schemas: most values are those of the documentation, some are
 * at the edge of their range or of another kind, and now and then a field is unknown.
 */
import fc from 'fast-check';
import { parse } from 'yaml';
import { API_VERSION } from '#crds/metadata.ts';
import type { StructuralSchema } from '#crds/structural-schema.ts';

/** Of which most are right for some field and wrong for the others. */
const TEXTS = [
  ...['', '0', '5', '-1', '1.5', '25.00', '10000', '10000.1', '0.0000001', '999999999.999999'],
  ...['0s', '999ms', '1s', '5m', '1h30m', '90m', '7d', '366d', '367d', '1m1h', '5 min', '9999999d'],
  ...['acme', 'Acme', 'a.b', 'a..b', '-a', 'a/b', '*', 'extractive', 'ä', '😀', 'a b', 'a\nb'],
  ...['UTC', 'Asia/Tokyo', 'Asia/Tokio', 'utc', '0 3 * * *', '*/5 1-2 1 JAN SUN', '5-1 * * * *'],
  ...[
    'http://a',
    'https://a.b:1/c',
    'https://a@b',
    'http://1.2.3.4',
    'http://1.2.3',
    'http://[::1]',
  ],
];
const LIST_MAX = 3;
const NOW_AND_THEN = 12;

/** A resource of a kind, good or bad, by the schema of its spec. */
export function resourceArbitrary(kind: string, spec: StructuralSchema): fc.Arbitrary<object> {
  const metadata = { name: 'acme' };
  return valueOf(spec).map((value) => ({ apiVersion: API_VERSION, kind, metadata, spec: value }));
}

function valueOf(schema: StructuralSchema): fc.Arbitrary<unknown> {
  const right = rightValueOf(schema);
  const wrong = fc.oneof(fc.constantFrom(...TEXTS), fc.integer(), fc.boolean(), fc.constant([]));
  return fc.oneof({ weight: NOW_AND_THEN * 4, arbitrary: right }, { weight: 1, arbitrary: wrong });
}

function rightValueOf(schema: StructuralSchema): fc.Arbitrary<unknown> {
  const { type, items, properties = {} } = schema;
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return integerOf(schema);
  if (type === 'array') {
    return fc.array(valueOf(items as StructuralSchema), { maxLength: LIST_MAX });
  }
  if (type === 'object') return objectOf(schema, properties as Record<string, StructuralSchema>);
  const texts = fc.constantFrom(...TEXTS);
  const example = exampleOf(schema);
  if (example === null) return texts;
  return fc.oneof({ weight: 8, arbitrary: fc.constant(example) }, { weight: 1, arbitrary: texts });
}

function integerOf(schema: StructuralSchema): fc.Arbitrary<number> {
  const [min, max] = [Number(schema['minimum']), Number(schema['maximum'])];
  const edges = fc.constantFrom(min - 1, min, max, max + 1);
  const inside = fc.integer({ min, max: Math.min(max, min + 10_000) });
  return fc.oneof({ weight: 9, arbitrary: inside }, { weight: 1, arbitrary: edges });
}

function objectOf(
  schema: StructuralSchema,
  properties: Readonly<Record<string, StructuralSchema>>,
): fc.Arbitrary<object> {
  const required = (schema['required'] ?? []) as readonly string[];
  const fields = Object.entries(properties).map(([name, field]) => {
    const absent = required.includes(name) ? 1 : NOW_AND_THEN;
    const present = fc.tuple(fc.constant(name), valueOf(field));
    return fc.oneof(
      { weight: NOW_AND_THEN * 2, arbitrary: present },
      { weight: absent, arbitrary: fc.constant(null) },
    );
  });
  const unknown = fc.oneof(
    { weight: NOW_AND_THEN * 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constant(['unknownField', 1] as const) },
  );
  return fc
    .tuple(fc.tuple(...fields), unknown)
    .map(([known, other]) =>
      Object.fromEntries([...known, other].filter((field) => field !== null)),
    );
}

/** The example that the documentation of a field shows. */
function exampleOf({ description }: StructuralSchema): string | null {
  const [, example] = / Example: (.*)$/u.exec(String(description)) ?? [];
  const value: unknown = example === undefined ? null : parse(example);
  return typeof value === 'string' ? value : null;
}
