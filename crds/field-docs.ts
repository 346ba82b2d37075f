/**
 * The documentation of a field, for `kubectl explain` and for reports of mistakes in it. It is next
 * to the schema of the field, so that neither is forgotten.
 */
import { z } from 'zod';

export interface FieldDoc {
  /** What the field is for, in one or two sentences. */
  readonly is: string;
  /** What the field takes, completing "expected …". */
  readonly expected: string;
  /** A valid value as YAML, without the name of the field. */
  readonly example: string;
}

/** `expected` is for what the schema of the field does not say by itself. */
type FieldText = Omit<FieldDoc, 'expected'> & Partial<FieldDoc>;

/** Separate from zod's own registry, whose entries all end up in the printed CRDs. */
const FIELD_DOCS = z.registry<FieldDoc>();

/** The key under which printed schemas find what a field takes; the key itself is not printed. */
export const EXPECTED = 'x-expected';

/**
 * Returns the schema with its documentation. Apply it last, since zod's methods return new schemas.
 */
export function field<T extends z.ZodType>(schema: T, text: FieldText): T {
  const doc = { ...text, expected: text.expected ?? expectedBy(schema) };
  const described = schema.meta({ description: manualOf(doc), [EXPECTED]: doc.expected });
  FIELD_DOCS.add(described, doc);
  return described;
}

/** Returns what a number, a choice or a mapping takes; other schemas do not say it themselves. */
function expectedBy(schema: z.ZodType): string {
  const bare = unwrap(schema);
  if (bare instanceof z.ZodNumber)
    return `a whole number from ${bare.minValue} to ${bare.maxValue}`;
  if (bare instanceof z.ZodEnum) return `one of ${bare.options.join(', ')}`;
  const names = Object.keys(shapeOf(bare)).join(', ');
  if (names === '') throw new TypeError('The field does not say what it takes.');
  return `a mapping with ${names.replace(/, (\w+)$/, ' and $1')}`;
}

/** Returns the text of `kubectl explain`: the field, what it takes, and a short example. */
function manualOf({ is, expected, example }: FieldDoc): string {
  const shown = example.includes('\n') ? '' : ` Example: ${example}`;
  return `${is} Expected: ${expected}.${shown}`;
}

/** A place in a resource, as a path in both zod and YAML. */
export type FieldPath = readonly PropertyKey[];

/**
 * Returns the documentation of the field at a path, or of the nearest enclosing field that has one.
 */
export function docAt(
  schema: z.core.$ZodType,
  path: FieldPath,
): { readonly doc: FieldDoc; readonly path: FieldPath } | null {
  let current: z.core.$ZodType | undefined = schema;
  let found: { doc: FieldDoc; path: FieldPath } | null = null;
  for (let depth = 0; depth <= path.length && current !== undefined; depth += 1) {
    const doc = ownDoc(current);
    if (doc !== undefined) found = { doc, path: path.slice(0, depth) };
    const key = path[depth];
    if (key !== undefined) current = childOf(current, key);
  }
  return found;
}

/** Returns the field names that an object at a path may have; empty if there is no object. */
export function fieldNamesAt(schema: z.core.$ZodType, path: FieldPath): readonly string[] {
  let current: z.core.$ZodType | undefined = schema;
  for (const key of path) current = current === undefined ? undefined : childOf(current, key);
  return current === undefined ? [] : Object.keys(shapeOf(current));
}

/** Returns every place, outside of lists, where a resource has a field of that name. */
export function placesOf(schema: z.core.$ZodType, name: string): readonly FieldPath[] {
  const places: FieldPath[] = [];
  for (const [key, child] of Object.entries(shapeOf(schema))) {
    if (key === name) places.push([key]);
    for (const place of placesOf(child, name)) places.push([key, ...place]);
  }
  return places;
}

function ownDoc(schema: z.core.$ZodType): FieldDoc | undefined {
  for (let current: z.core.$ZodType | undefined = schema; current !== undefined;) {
    const doc = FIELD_DOCS.get(current);
    if (doc !== undefined) return doc;
    current = innerOf(current);
  }
  return undefined;
}

function childOf(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType | undefined {
  const bare = unwrap(schema);
  if (bare instanceof z.ZodArray) return bare.element;
  const shape = shapeOf(bare);
  return typeof key === 'string' && Object.hasOwn(shape, key) ? shape[key] : undefined;
}

function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> {
  const bare = unwrap(schema);
  return bare instanceof z.ZodObject ? bare.shape : {};
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let current = schema;
  for (let inner = innerOf(current); inner !== undefined; inner = innerOf(current)) current = inner;
  return current;
}

/** Returns the schema inside of `optional`, `default` and similar wrappers. */
function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault) return schema.unwrap();
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) return schema.unwrap();
  return schema instanceof z.ZodPipe ? schema.in : undefined;
}
