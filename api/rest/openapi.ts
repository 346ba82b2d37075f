/**
 * Generates the OpenAPI document of the resource paths from the table of operations: version 3.0,
 * which every generator of clients reads whole.
 */
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '#core/error-codes.ts';
import { Identifiers } from '#core/identifiers.ts';
import { Subject, subjectKey } from '#core/subject.ts';
import { COMMON_ERRORS } from '../operations/operation.ts';
import { GivenIdentifiers } from '../schemas/shared-fields.ts';
import { CONTEXT_PATH, ContextPreview, ContextPreviewQuery } from './chat-context.ts';
import { STREAM_TYPE } from './event-stream.ts';
import type { JsonSchema } from './request-input.ts';
import { parametersOf, ROUTES, type Route } from './routes.ts';

const PROBLEM = {
  description:
    'What failed, in the form of RFC 9457. docs/errors.md says what to do about each code.',
  content: {
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  },
};
const RETRY_LATER = {
  ...PROBLEM,
  headers: {
    'Retry-After': {
      description: 'How many seconds to wait before the same call may succeed, if known.',
      schema: { type: 'integer', minimum: 0 },
    },
  },
};
const OF_RETRY_LATER = new Set(['429', '503']);

const [NOT_FOUND, OTHER_METHOD, TOO_LARGE, OTHER_TYPE] = ['404', '405', '413', '415'];

const IDEMPOTENCY_HEADER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'For 7 days, the same key and body return the first answer.',
  schema: { type: 'string', maxLength: 256 },
};

const LAST_EVENT_HEADER = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'To resume an interrupted stream: the id of the last event received.',
  schema: { type: 'string' },
};

/** As `JsonSchema`, in the form of OpenAPI 3.0. */
interface OpenApiSchema extends JsonSchema {
  readonly definitions?: Readonly<Record<string, OpenApiSchema>>;
  readonly nullable?: boolean;
  readonly allOf?: readonly OpenApiSchema[];
}

/**
 * Says what generators need to choose the right type: without a format, Go takes a number as a
 * `float32` and Java an integer as 32 bits. Clients in Java do not compile if a time is a number or
 * a text with the format of a time.
 */
function withFormat(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format === 'date-time') {
    delete schema.format;
    delete schema.pattern;
    schema.description ??= 'ISO 8601: a date and time with `Z` or an offset, or a date.';
  }
  if (schema.type === 'number') schema.format ??= 'double';
  if (schema.type !== 'integer') return;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  schema.format ??= (schema.maximum ?? Infinity) > INT32_MAX ? 'int64' : 'int32';
}

const INT32_MAX = 2 ** 31 - 1;

type Schemas = Record<string, unknown>;

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): OpenApiSchema {
  return z.toJSONSchema(schema, {
    io,
    target: 'openapi-3.0',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => withFormat(jsonSchema),
  }) as OpenApiSchema;
}

let made: object | undefined;

/** Returns the document; the same table gives the same document. */
export function openApi(): object {
  made ??= document();
  return made;
}

function document(): object {
  const identifiers = schemaOf(GivenIdentifiers, 'input');
  const schemas: Schemas = { Problem: problemSchema(), Identifiers: identifiers };
  const paths: Record<string, Record<string, object>> = {};
  for (const route of ROUTES) {
    const methods = (paths[route.path] ??= {});
    methods[route.method.toLowerCase()] = operationOf(route, schemas);
  }
  paths[CONTEXT_PATH] = { get: previewOperation() };
  return {
    openapi: '3.0.3',
    info: {
      title: 'Varve',
      version: '1',
      description: 'Layered memory for AI agents. Times are milliseconds since the epoch.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/', description: 'The server that this document came from.' }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

function operationOf(route: Route, schemas: Schemas): object {
  const { name, operation, method } = route;
  const [inputName, outputName] = [`${pascal(name)}Input`, `${pascal(name)}Output`];
  const input = hoisted(schemaOf(operation.input, 'input'), inputName, schemas);
  const output = hoisted(schemaOf(operation.output, 'output'), outputName, schemas);
  const answer = named(output, outputName, schemas);
  const elsewhere = new Set([...parametersOf(route), 'idempotencyKey']);
  const fields = Object.entries(input.properties ?? {}).filter(([field]) => !elsewhere.has(field));
  const required = new Set(input.required);
  const isQuery = method === 'GET' || method === 'DELETE';
  const example: Readonly<Record<string, unknown>> = { ...(operation.example.input as object) };
  const exampleOf = (field: string): object =>
    example[field] === undefined ? {} : { example: inText(field, example[field]) };
  const parameters = [
    ...parametersOf(route).map((field) => ({
      name: field,
      in: 'path',
      required: true,
      schema: input.properties?.[field] ?? { type: 'string' },
      ...exampleOf(field),
    })),
    ...(isQuery ? fields : []).flatMap(([field, schema]) => [
      { ...parameter(field, schema, required), ...exampleOf(field) },
      ...(field === 'identifiers' ? shortParameters(input) : []),
    ]),
    ...(input.properties?.['idempotencyKey'] === undefined ? [] : [IDEMPOTENCY_HEADER]),
  ];
  const isStream = name === 'event.list';
  if (isStream) parameters.push(LAST_EVENT_HEADER);
  const body = {
    type: 'object',
    properties: Object.fromEntries(fields),
    required: fields.map(([field]) => field).filter((field) => required.has(field)),
    additionalProperties: false,
  };
  const bodyExample = Object.fromEntries(
    fields.flatMap(([field]) => (example[field] === undefined ? [] : [[field, example[field]]])),
  );
  return {
    operationId: name,
    summary: operation.summary,
    tags: [name.split('.')[0]],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(isQuery || fields.length === 0
      ? {}
      : {
          requestBody: {
            required: body.required.length > 0,
            content: {
              'application/json': { schema: named(body, inputName, schemas), example: bodyExample },
            },
          },
        }),
    responses: {
      '200': {
        description: 'The answer.',
        content: {
          'application/json': { schema: answer, example: operation.example.output },
          ...(isStream ? { [STREAM_TYPE]: { schema: { type: 'string' } } } : {}),
        },
      },
      ...problemsOf(
        [...COMMON_ERRORS, ...operation.errors],
        [NOT_FOUND, OTHER_METHOD, ...(isQuery ? [] : [TOO_LARGE, OTHER_TYPE])],
      ),
    },
  };
}

/** The endpoint with the field names of ENG-09. */
function previewOperation(): object {
  const { properties = {}, required = [] } = schemaOf(ContextPreviewQuery, 'input');
  const answer = schemaOf(ContextPreview, 'output');
  return {
    operationId: 'memory.context',
    summary: 'Returns the context of a chat, inside its limit. This call only reads.',
    tags: ['memory'],
    parameters: Object.entries(properties).map(([name, schema]) =>
      parameter(name, schema, new Set(required)),
    ),
    responses: {
      '200': {
        description: 'The context, what it uses of its limit, and how many parts of each layer.',
        content: { 'application/json': { schema: answer } },
      },
      ...problemsOf([...COMMON_ERRORS, 'CONTEXT_LIMIT_TOO_SMALL'], [OTHER_METHOD]),
    },
  };
}

/**
 * In a query string, objects are JSON, and lists are separated by commas. The document gives an
 * object as a text, since many generators of clients leave out parameters of another kind.
 */
function parameter(name: string, schema: OpenApiSchema, required: ReadonlySet<string>): object {
  const at = { name, in: 'query', required: required.has(name) };
  const isJson = schema.type === 'object' || (schema.$ref ?? schema.allOf) !== undefined;
  if (!isJson)
    return schema.type === 'array' ? { ...at, explode: false, schema } : { ...at, schema };
  const text = { type: 'string' };
  if (name === 'subject') return { ...at, description: SUBJECT_TEXT, schema: text };
  const others = name === 'identifiers' ? ' The parameters named like its fields are shorter.' : '';
  return { ...at, description: `An object as JSON.${others}`, schema: text };
}

/** Returns how the path and the query string write a value. */
function inText(field: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const subject = field === 'subject' ? Subject.safeParse(value) : null;
  return subject?.success === true ? subjectKey(subject.data) : JSON.stringify(value);
}

const SUBJECT_TEXT = 'Whose files: `user/ID` or `agent/ID`, such as `user/ann`.';

/** Returns `userId` and the like, which the query string takes in place of `identifiers`. */
function shortParameters(input: JsonSchema): readonly object[] {
  return Object.entries(schemaOf(GivenIdentifiers, 'input').properties ?? {})
    .filter(([field]) => input.properties?.[field] === undefined)
    .map(([field, own]) => parameter(field, own, new Set()));
}

/** @param more statuses of any request with this path or body */
function problemsOf(codes: readonly ErrorCode[], more: readonly string[]): Record<string, object> {
  const statuses = new Set([...codes.map((code) => String(ERRORS[code].httpStatus)), ...more]);
  return Object.fromEntries(
    [...statuses]
      .toSorted()
      .map((status) => [status, OF_RETRY_LATER.has(status) ? RETRY_LATER : PROBLEM]),
  );
}

/**
 * Moves the definitions to the components. If another schema defines a name differently, the owner
 * is put before it.
 */
function hoisted(schema: OpenApiSchema, owner: string, schemas: Schemas): OpenApiSchema {
  const { definitions = {}, ...rest } = schema;
  const names = new Map<string, string>();
  for (const [name, own] of Object.entries(definitions)) {
    const known = schemas[name];
    const isOther = known !== undefined && JSON.stringify(known) !== JSON.stringify(led(own));
    names.set(name, isOther ? `${owner}${name}` : name);
  }
  for (const [name, own] of Object.entries(definitions)) {
    schemas[names.get(name) ?? name] = led(own, names);
  }
  return led(rest, names) as OpenApiSchema;
}

/** Moves a schema to the components, since generators of clients name their types by these. */
function named(schema: OpenApiSchema, name: string, schemas: Schemas): OpenApiSchema {
  if (schema.$ref !== undefined) return schema;
  const { nullable, allOf, ...rest } = schema;
  if (allOf !== undefined) return schema;
  schemas[name] = rest;
  const whole = { $ref: `#/components/schemas/${name}` };
  return nullable === true ? { nullable, allOf: [whole] } : whole;
}

/** Points references at the components. */
function led(part: unknown, names: ReadonlyMap<string, string> = new Map()): unknown {
  const text = JSON.stringify(part).replaceAll(
    /"#\/definitions\/([^"]+)"/gu,
    (_, name: string) => `"#/components/schemas/${names.get(name) ?? name}"`,
  );
  return JSON.parse(text, (_, each: unknown) => withNamedIdentifiers(each)) as unknown;
}

/** Clients set these in most calls, so they are one type. */
function withNamedIdentifiers(part: unknown): unknown {
  const { properties, description, nullable } = Object(part) as Schemas;
  const fields = Object.keys(Object(properties) as object).join();
  if (fields !== Object.keys(Identifiers.shape).join()) return part;
  return { description, nullable, allOf: [{ $ref: '#/components/schemas/Identifiers' }] };
}

function problemSchema(): object {
  return {
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'code', 'retryable', 'details'],
    properties: {
      type: {
        type: 'string',
        format: 'uri-reference',
        description: 'Leads to the page that says what to do about the code.',
      },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      code: { type: 'string', enum: Object.keys(ERRORS) },
      retryable: { type: 'boolean', description: 'Whether the same call may succeed later.' },
      details: { type: 'object', description: 'What a caller can act on.' },
    },
  };
}

export function pascal(name: string): string {
  return name
    .split('.')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}
