/**
 * Writes docs/api.md from the table of operations: `npm run docs:api`. A test writes it again and
 * compares, so that the two can't diverge.
 */
import path from 'node:path';
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { COMMON_ERRORS, COSTS, type AnyOperation } from './operations/operation.ts';
import { namedOperations, NOT_OVER_HTTP } from './operations/table.ts';
import { pythonOperations, repeatsOf } from './print-python-client.ts';
import { callTypes } from './print-call-types.ts';
import { openApi } from './rest/openapi.ts';
import { ROUTES } from './rest/routes.ts';
import { routeOf } from './trpc-help-page.ts';

/** The parts of a JSON Schema that the page shows. */
interface Shape {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Shape>>;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number | boolean | null;
  readonly default?: unknown;
  readonly anyOf?: readonly Shape[];
  /** Objects that one of their fields tells apart. */
  readonly oneOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
}

const LINE_MAX = 90;

const HEAD = `# Operations

Made from api/operations/ by \`npm run docs:api\`. Change the table, not this page.

Each operation is a method of the library (\`varve.memory.add(input)\`) and a call over HTTP.
[rest.md](rest.md) explains the paths under \`/v1\`. The same API speaks tRPC: queries are
\`GET /NAME?input=<URL-encoded JSON>\`, the others \`POST /NAME\` with the input as a JSON body
and \`content-type: application/json\`. A tRPC answer is \`{"result":{"data":…}}\`; a refusal is
\`{"error":{"message":…,"data":{"code":…,"retryable":…,"details":…}}}\`. Send a key or the token
of the installation as \`authorization: Bearer …\`.

A caller needs the role that an operation names ([access.md](access.md)); each role includes those
before it, in the order read, write, operate, admin.
What an error means, and what to do: [errors.md](errors.md). Any call may fail with
${COMMON_ERRORS.map(code).join(', ')};
each operation lists its other errors. Times are milliseconds since the epoch; an
input also takes ISO 8601: a date and time with an offset, or a date, which is its start in UTC.
`;

/** Returns client/routes.generated.ts: what clients must know of operations, without schemas. */
export function clientRoutes(): string {
  const rows = ROUTES.map(({ name, method, path: at, operation }) => {
    const key = name.includes('.') ? `'${name}'` : name;
    return `  ${key}: ['${method}', '${at}', '${repeatsOf({ operation })}'],`;
  });
  return `/**
 * Where each operation is served, and whether a call may be repeated: a read may, a keyed write may
 * under its key. Made from the table of operations by \`npm run docs:api\`.
 */
export type ClientRoute = readonly [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  repeats: 'read' | 'keyed' | 'write',
];

export const ROUTES = {
${rows.join('\n')}
} as const satisfies Record<string, ClientRoute>;
`;
}

/** Returns the page; the same table gives the same bytes. */
export function apiPage(): string {
  const shared = new Map<string, Shape>();
  const sections = namedOperations().map(([name, row]) => section(name, row, shared));
  const shapes = [...shared].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const parts = shapes.map(([name, shape]) => `### ${name}\n\n${fieldList(shape)}\n`);
  return [HEAD, ...sections, '## Shapes\n', ...parts].join('\n');
}

function section(name: string, row: AnyOperation, shared: Map<string, Shape>): string {
  const { summary, commands, role, cost, errors, example } = row;
  const unserved: Readonly<Record<string, string>> = NOT_OVER_HTTP;
  const why = unserved[name];
  const lines = [
    `- REST: ${why === undefined ? restPath(name) : `no. ${why}`}`,
    ...(why === undefined ? [`- tRPC: ${code(routeOf(name, row))}`] : []),
    `- commands: ${commandsText(commands)}`,
    `- role: ${role}`,
    `- cost: ${COSTS[cost]}`,
    `- errors: ${errors.length === 0 ? 'those of any call' : errors.map(code).join(', ')}`,
  ];
  const input = shapeOf(row.input, 'input', shared);
  const output = shapeOf(row.output, 'output', shared);
  return [
    `## ${name}\n`,
    `${summary}\n`,
    `${lines.join('\n')}\n`,
    `Input:\n\n${fieldList(input)}\n`,
    `Output:\n\n${fieldList(output)}\n`,
    `Example:\n\n${json(example.input ?? {})}\n\n${json(example.output)}\n`,
  ].join('\n');
}

/** @throws Error if the operation has no path, which a test of the routes refuses first */
function restPath(name: string): string {
  const route = ROUTES.find((each) => each.name === name);
  if (route === undefined) throw new Error(`${name} has no path in api/rest/routes.ts`);
  return code(`${route.method} ${route.path}`);
}

function commandsText(commands: AnyOperation['commands']): string {
  if ('none' in commands) return `none. ${commands.none}`;
  return commands.map((command) => code(`varve ${command}`)).join(', ');
}

function shapeOf(schema: z.ZodType, io: 'input' | 'output', shared: Map<string, Shape>): Shape {
  const { $defs = {}, ...made } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Shape;
  const whole = made.$ref?.replace('#/$defs/', '') ?? '';
  for (const [name, shape] of Object.entries($defs)) if (name !== whole) shared.set(name, shape);
  return $defs[whole] ?? made;
}

/** A line for each field; the fields of an object follow indented. */
function fieldList(shape: Shape, indent = ''): string {
  const object = objectIn(shape);
  if (object?.properties === undefined) return `${indent}- ${typeText(shape)}`;
  const whole = indent === '' && object !== shape ? [`- ${typeText(shape)}`] : [];
  const { properties, required = [] } = object;
  const inner = whole.length === 0 ? indent : `${indent}  `;
  const lines = Object.entries(properties).map(([name, field]) => {
    const isNeeded = required.includes(name);
    const mark = isNeeded ? '' : '?';
    const words = `${inner}- ${code(name)}${mark} ${typeText(field)}${noteOf(field)}`;
    return objectIn(field)?.properties === undefined
      ? words
      : `${words}\n${fieldList(objectIn(field) ?? {}, `${inner}  `)}`;
  });
  if (lines.length === 0) lines.push(`${inner}- nothing`);
  return [...whole, ...lines].join('\n');
}

/** Returns the object that a shape is, or wraps as a list or as nullable; not a named one. */
function objectIn(shape: Shape): Shape | null {
  if (shape.properties !== undefined) return shape;
  if (shape.oneOf !== undefined) return merged(shape.oneOf);
  if (shape.items !== undefined) return objectIn(shape.items);
  const [only, ...others] = (shape.anyOf ?? []).filter(({ type }) => type !== 'null');
  return only === undefined || others.length > 0 ? null : objectIn(only);
}

/** Returns one object with the fields of all. */
function merged(shapes: readonly Shape[]): Shape {
  const names = [...new Set(shapes.flatMap(({ properties = {} }) => Object.keys(properties)))];
  const fields = names.map((name) => {
    const each = shapes.flatMap(({ properties }) => properties?.[name] ?? []);
    const isSame = new Set(each.map(typeText)).size === 1;
    return [name, isSame ? each[0] : { anyOf: each }];
  });
  const isNeeded = (name: string) => shapes.every(({ required }) => required?.includes(name));
  return { properties: Object.fromEntries(fields), required: names.filter(isNeeded) };
}

function typeText(shape: Shape): string {
  const { $ref, anyOf, items, type, minimum, maximum, minLength, maxLength } = shape;
  if ($ref !== undefined) {
    const name = $ref.replace('#/$defs/', '');
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (shape.oneOf !== undefined) return 'object';
  if (anyOf !== undefined) return anyOf.map(typeText).join(' or ');
  if (shape.enum !== undefined) return shape.enum.map((each) => code(String(each))).join(', ');
  if (shape.const !== undefined) return code(String(shape.const));
  if (items !== undefined)
    return `list of ${typeText(items)}${range(shape.minItems, shape.maxItems)}`;
  if (type === undefined) return 'any JSON';
  if (typeof type !== 'string') return type.map((each) => typeText({ type: each })).join(' or ');
  if (type === 'string')
    return `${shape.format ?? 'text'}${range(minLength, maxLength, 'characters')}`;
  return `${type}${range(minimum, maximum)}`;
}

function range(least: number | undefined, most: number | undefined, unit = ''): string {
  const known = (bound: number | undefined) =>
    bound === undefined || Math.abs(bound) === Number.MAX_SAFE_INTEGER ? undefined : bound;
  const [from, to] = [known(least), known(most)].map((each) => each?.toLocaleString('en-US'));
  const behind = unit === '' ? '' : ` ${unit}`;
  if (from !== undefined && to !== undefined) return `, ${from} to ${to}${behind}`;
  if (to !== undefined) return `, at most ${to}${behind}`;
  return from === undefined ? '' : `, at least ${from}${behind}`;
}

function noteOf({ description, default: preset }: Shape): string {
  const words = description === undefined ? '' : `: ${description}`;
  return preset === undefined ? words : `, default ${code(JSON.stringify(preset))}${words}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function json(value: unknown): string {
  return `\`\`\`json\n${wrapped(value, '')}\n\`\`\``;
}

/** Keeps on one line what fits. */
function wrapped(value: unknown, indent: string): string {
  const flat = JSON.stringify(value);
  if (indent.length + flat.length <= LINE_MAX || typeof value !== 'object' || value === null) {
    return flat;
  }
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([key, each]: [string, unknown]) =>
      isList ? wrapped(each, inner) : `${JSON.stringify(key)}: ${wrapped(each, inner)}`,
    );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`;
}

const [, started = ''] = process.argv;
if (import.meta.url === pathToFileURL(started).href) {
  const docs = path.join(import.meta.dirname, '..', 'docs');
  writeFileSync(path.join(docs, 'api.md'), apiPage());
  writeFileSync(path.join(docs, '..', 'client', 'routes.generated.ts'), clientRoutes());
  for (const [file, text] of callTypes()) writeFileSync(path.join(docs, '..', file), text);
  const python = path.join(docs, '..', 'clients', 'python', 'src', 'varve', '_operations.py');
  writeFileSync(python, pythonOperations());
  writeFileSync(path.join(docs, 'openapi.json'), `${JSON.stringify(openApi(), null, 2)}\n`);
}
