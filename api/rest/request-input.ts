/** Builds the input of an operation from the path, the query string and the body. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { Identifiers } from '#core/identifiers.ts';
import { oncePer } from '#core/once.ts';
import { subjectOfKey } from '#core/subject.ts';
import { isPlainObject } from '#core/sources/metadata-limits.ts';
import { nearestWord } from '#core/spelling.ts';
import { shortenForMessage } from '../parse-input.ts';
import type { Route } from './routes.ts';

/** The parts of a JSON Schema that are needed to read a query string. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string;
  readonly description?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

const IDENTIFIER_NAMES: ReadonlySet<string> = new Set(Object.keys(Identifiers.shape));
const schemaOf = oncePer(
  (input: z.ZodType) =>
    z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as JsonSchema,
);

/** Returns the schema by which an input is read; made once per operation. */
export function inputSchema({ operation: { input } }: Pick<Route, 'operation'>): JsonSchema {
  return schemaOf(input);
}

interface RequestParts {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed JSON; undefined if none was sent. */
  readonly body: unknown;
  /** From the header `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined;
}

/**
 * Joins the parts of a request. A value may appear in several places if it is the same in all. The
 * schema of the operation validates the result later.
 * @throws VarveError INVALID_INPUT if the body is no object, a parameter is no JSON, or two places
 * disagree
 */
export function inputOf(route: Route, parts: RequestParts): unknown {
  const { params, query, body, idempotencyKey } = parts;
  const schema = inputSchema(route);
  const fields = schema.properties ?? {};
  if (body !== undefined && !isPlainObject(body)) {
    throw new VarveError('INVALID_INPUT', 'The body is not a JSON object; send one, such as {}.');
  }
  const key = 'idempotencyKey' in fields && idempotencyKey !== undefined ? { idempotencyKey } : {};
  const input = joined([
    { place: 'the path', values: params },
    { place: 'the query string', values: queryFields(query, schema) },
    { place: 'the body', values: body ?? {} },
    { place: 'the header Idempotency-Key', values: key },
  ]);
  return Object.keys(input).length === 0 && schema.type !== 'object' ? undefined : input;
}

interface Place {
  readonly place: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** @throws VarveError INVALID_INPUT for a field with different values */
function joined(places: readonly Place[]): Record<string, unknown> {
  const fields = new Map<string, { readonly place: string; readonly value: unknown }>();
  for (const { place, values } of places) {
    for (const [name, value] of Object.entries(values)) {
      const known = fields.get(name);
      if (known === undefined) fields.set(name, { place, value });
      else if (!isDeepStrictEqual(known.value, value)) {
        throw contradiction(name, `${known.place} and ${place} say different things`);
      }
    }
  }
  return Object.fromEntries([...fields].map(([name, { value }]) => [name, value]));
}

function contradiction(name: string, what: string): VarveError {
  const message = `${name}: ${what}; send one value.`;
  return new VarveError('INVALID_INPUT', message, { details: { parameter: name } });
}

/** `userId=ann` is short for `identifiers={"userId":"ann"}` if the operation takes identifiers. */
function queryFields(query: URLSearchParams, schema: JsonSchema): Record<string, unknown> {
  const fields = schema.properties ?? {};
  const read: Record<string, unknown> = {};
  const identifiers: Record<string, string> = {};
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    const isShort = !(name in fields) && 'identifiers' in fields && IDENTIFIER_NAMES.has(name);
    const field = fields[name];
    if (isShort) identifiers[name] = only(name, values);
    else if (field === undefined && 'identifiers' in fields) throw unknownName(name, fields);
    // The schema of the operation reports unknown fields.
    else if (field === undefined) read[name] = only(name, values);
    else read[name] = readValue(name, values, { schema: field, root: schema });
  }
  if (Object.keys(identifiers).length === 0) return read;
  const given = isPlainObject(read['identifiers']) ? read['identifiers'] : {};
  const both = [
    { place: 'identifiers', values: given },
    { place: 'the parameter', values: identifiers },
  ];
  return { ...read, identifiers: joined(both) };
}

/** In a query string, identifiers are parameters of their own, which the schema does not know. */
function unknownName(name: string, fields: object): VarveError {
  const others = Object.keys(fields).filter((field) => field !== 'identifiers');
  const known = [...IDENTIFIER_NAMES, ...others];
  const near = nearestWord(name, known);
  const hint = near === null ? `known are ${known.join(', ')}` : `did you mean ${near}?`;
  const message = `${shortenForMessage(name)} is not known; ${hint}`;
  return new VarveError('INVALID_INPUT', message, {
    details: { parameter: shortenForMessage(name) },
  });
}

/** @throws VarveError INVALID_INPUT for several different values */
function only(name: string, [value = '', ...more]: readonly string[]): string {
  if (more.every((each) => each === value)) return value;
  throw contradiction(name, 'the query string has several values');
}

/** Lists are JSON, repeated or separated by commas; objects are JSON. */
function readValue(
  name: string,
  values: readonly string[],
  { schema, root }: { readonly schema: JsonSchema; readonly root: JsonSchema },
): unknown {
  const shape = resolved(schema, root);
  if (shape.type === 'array') {
    const list = listOf(values);
    if (list !== null) return list;
    const item = { schema: shape.items ?? {}, root };
    return values.flatMap((each) => each.split(',')).map((each) => readValue(name, [each], item));
  }
  const value = only(name, values);
  const types = new Set([shape, ...(shape.anyOf ?? [])].map((each) => resolved(each, root).type));
  const isNumeric = types.has('integer') || types.has('number');
  if (isNumeric && /^-?\d+(?:\.\d+)?$/u.test(value)) return Number(value);
  if (types.has('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  if (types.has('string') || isNumeric || types.has('boolean')) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    const subject = name === 'subject' ? subjectOfKey(value) : null;
    if (subject !== null) return subject;
    const expected =
      name === 'subject' ? 'user/ID or agent/ID, such as user/ann' : 'JSON, URL-encoded';
    const message = `${name}: expected ${expected}, in the query string`;
    throw new VarveError('INVALID_INPUT', message, { details: { parameter: name } });
  }
}

/** Reads a list as JSON, whose items may contain commas; null for a list in another form. */
function listOf([value = '', ...more]: readonly string[]): readonly unknown[] | null {
  if (more.length > 0 || !value.startsWith('[')) return null;
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { $ref } = schema;
  if ($ref === undefined) return schema;
  return root.$defs?.[$ref.replace('#/$defs/', '')] ?? schema;
}
