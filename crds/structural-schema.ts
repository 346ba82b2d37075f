/**
 * Converts zod schemas to the structural schemas of Kubernetes. What those cannot express, or only
 * without a bound, is refused here, long before the API server would refuse it.
 */
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { isRecord } from '#core/is-record.ts';
import type { CelRule } from './kubernetes-extensions.ts';
import { EXPECTED } from './field-docs.ts';

export interface StructuralSchema {
  readonly [key: string]: unknown;
}

/** In a fixed order, so that a change in zod does not move the lines of printed schemas. */
const KEYS = [
  'description',
  'type',
  'format',
  'default',
  'enum',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'items',
  'required',
  'properties',
  'x-kubernetes-validations',
] as const;
/** Becomes a rule, whose message says what is expected instead of showing the pattern. */
const PATTERN = 'pattern';
const KNOWN: ReadonlySet<string> = new Set(KEYS);
/** Objects are strict in zod; Kubernetes refuses unknown fields anyway. */
const LEFT_OUT: ReadonlySet<string> = new Set(['additionalProperties', '$schema', EXPECTED]);
const RULES = 'x-kubernetes-validations';

/**
 * Returns the schema of what people may write, as the API server checks it.
 * @throws VarveError INVALID_INPUT naming the place without a bound, a description or a structural
 * form
 */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  const options = { target: 'openapi-3.0', io: 'input' } as const;
  return convert(z.toJSONSchema(schema, options), { path: [], expected: '' });
}

interface Place {
  readonly path: readonly string[];
  /** What this place takes, or the field around it. */
  readonly expected: string;
}

function convert(node: unknown, around: Place): StructuralSchema {
  const { path } = around;
  if (!isRecord(node)) throw unfit(path, 'has no schema');
  const written = node[EXPECTED];
  const place = { path, expected: typeof written === 'string' ? written : around.expected };
  const unknown = Object.keys(node).find(isUnknown);
  if (unknown !== undefined) throw unfit(path, `has ${unknown}, which has no place in Kubernetes`);
  checkBounds(node, path);
  const { items, properties } = node;
  const converted: StructuralSchema = {
    ...node,
    ...(node['type'] === 'integer' ? { format: 'int64' } : {}),
    ...(items === undefined ? {} : { items: convert(items, { ...place, path: [...path, '[]'] }) }),
    ...(isRecord(properties) ? { properties: convertFields(properties, place) } : {}),
    [RULES]: rulesOf(node, place),
  };
  const entries = KEYS.map((key) => [key, converted[key]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function isUnknown(key: string): boolean {
  return !KNOWN.has(key) && !LEFT_OUT.has(key) && key !== PATTERN;
}

/** The pattern comes first: other rules may fail only as a result of the wrong form. */
function rulesOf(node: StructuralSchema, { expected }: Place): readonly CelRule[] | undefined {
  const { [PATTERN]: pattern, [RULES]: rules = [] } = node;
  const form =
    typeof pattern === 'string'
      ? [{ rule: `self.matches(r'${pattern}')`, message: `expected ${expected}` }]
      : [];
  const all = [...form, ...(rules as readonly CelRule[])];
  return all.length === 0 ? undefined : all;
}

function convertFields(properties: StructuralSchema, around: Place): StructuralSchema {
  const fields = Object.entries(properties).map(([name, field]) => {
    const place = { ...around, path: [...around.path, name] };
    const converted = convert(field, place);
    if (typeof converted['description'] !== 'string') throw unfit(place.path, 'has no description');
    return [name, converted] as const;
  });
  return Object.fromEntries(fields);
}

/** The API server estimates the cost of CEL in advance, from the largest value a schema allows. */
function checkBounds(node: StructuralSchema, path: readonly string[]): void {
  const { type } = node;
  if (isRecord(node['additionalProperties'])) throw unfit(path, 'is a map without known fields');
  if (typeof type !== 'string') throw unfit(path, 'is of several types or of none');
  const isText = type === 'string' && node['enum'] === undefined;
  if (isText && node['maxLength'] === undefined) throw unfit(path, 'has no longest length');
  if (type === 'array' && node['maxItems'] === undefined) throw unfit(path, 'has no most items');
  const isNumber = type === 'integer' || type === 'number';
  const isRange = node['minimum'] !== undefined && node['maximum'] !== undefined;
  if (isNumber && !isRange) throw unfit(path, 'has no range');
}

function unfit(path: readonly string[], problem: string): VarveError {
  return new VarveError('INVALID_INPUT', `The field ${path.join('.')} ${problem}.`);
}
