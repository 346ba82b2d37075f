/** Writes the Python client from the OpenAPI document: `npm run docs:api`. */
import { openApi, pascal } from './rest/openapi.ts';
import { inputSchema, type JsonSchema } from './rest/request-input.ts';
import { parametersOf, ROUTES, type Route } from './rest/routes.ts';

/** Keywords of Python, which no argument may have as its name. */
const KEYWORDS: ReadonlySet<string> = new Set(
  [
    'and,as,assert,async,await,break,class,continue,def,del,elif,else,except,finally,for,from',
    'global,if,import,in,is,lambda,nonlocal,not,or,pass,raise,return,try,while,with,yield',
  ].flatMap((line) => line.split(',')),
);

interface Schema extends JsonSchema {
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly nullable?: boolean;
  readonly allOf?: readonly Schema[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Named types in the order found; each precedes types that refer to it by its quoted name. */
type Types = Map<string, string>;

/** Returns clients/python/src/varve/_operations.py; the same table gives the same bytes. */
export function pythonOperations(): string {
  const { components } = openApi() as { components: { schemas: Record<string, Schema> } };
  const types: Types = new Map();
  const groups = new Map<string, string[]>();
  for (const route of ROUTES) {
    const [group = '', method] = route.name.split('.');
    const lines = groups.get(method === undefined ? '' : group) ?? [];
    lines.push(methodOf(method ?? group, route, components.schemas, types));
    groups.set(method === undefined ? '' : group, lines);
  }
  const own = groups.get('') ?? [];
  groups.delete('');
  const classes = [...groups].map(([group, methods]) =>
    [
      `class ${pascal(group)}Calls:`,
      `    """Operations on \`\`${group}\`\`."""`,
      '',
      '    def __init__(self, transport: Transport) -> None:',
      '        self._transport = transport',
      '',
      methods.join('\n\n'),
    ].join('\n'),
  );
  return (
    [HEAD, [...types.values()].join('\n\n'), ...classes, rootOf([...groups.keys()], own)].join(
      '\n\n\n',
    ) + '\n'
  );
}

const HEAD = `"""Operations and their types, made from the table of them by npm run docs:api."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, Iterator, List, Literal, Optional, TypedDict, Union

from ._transport import ALL, RETRIES_DEFAULT, TIMEOUT_SECONDS, Transport, narrowed`;

const FOLLOW = `    def follow(
        self,
        *,
        tenant: Optional[str] = None,
        after: Optional[str] = None,
        types: Optional[List[str]] = None,
        layers: Optional[List[str]] = None,
    ) -> Iterator[EventListOutputEventsItem]:
        """What happens in a tenant from now on; a cut connection is made again."""
        fields = {"tenant": tenant, "after": after, "types": types, "layers": layers}
        return self._transport.follow("/v1/tenants/{tenant}/events", fields)`;

function rootOf(groups: readonly string[], own: readonly string[]): string {
  return [
    'class Varve:',
    '    """A running Varve. ``tenant`` is for calls that name none."""',
    '',
    '    def __init__(',
    '        self,',
    '        url: str,',
    '        token: str,',
    '        *,',
    '        tenant: Optional[str] = None,',
    '        timeout: float = TIMEOUT_SECONDS,',
    '        retries: int = RETRIES_DEFAULT,',
    '    ) -> None:',
    '        self._transport = Transport(',
    '            url, token, tenant=tenant, timeout=timeout, retries=retries',
    '        )',
    ...groups.map((group) => `        self.${group} = ${pascal(group)}Calls(self._transport)`),
    '',
    own.join('\n\n'),
    '',
    FOLLOW,
  ].join('\n');
}

function methodOf(
  method: string,
  route: Route,
  schemas: Readonly<Record<string, Schema>>,
  types: Types,
): string {
  const { operation, name, path } = route;
  const { properties = {}, required = [] } = inputSchema(route) as Schema;
  const must = new Set([...required, ...parametersOf(route)].filter((each) => each !== 'tenant'));
  const fields = Object.entries(properties).toSorted(
    ([a], [b]) => Number(must.has(b)) - Number(must.has(a)),
  );
  const owner = pascal(name);
  const defs = (inputSchema(route).$defs ?? {}) as Readonly<Record<string, Schema>>;
  const named = { ...schemas, ...defs };
  const args = fields.map(([field, schema]) => {
    const type = typeOf(schema, `${owner}${pascal(field)}`, named, types);
    if (must.has(field)) return `        ${snake(field)}: ${type},`;
    if (isNarrowing(field, route)) return `        ${snake(field)}: ${type} = ALL,`;
    const optional = type.startsWith('Optional[') ? type : `Optional[${type}]`;
    return `        ${snake(field)}: ${optional} = None,`;
  });
  const valueOf = (field: string) => {
    const name = snake(field);
    return isNarrowing(field, route) ? `narrowed("${name}", ${name})` : name;
  };
  const answer = answerOf(route);
  const returns = typeOf(answer, `${owner}Output`, schemas, types);
  const isOptional = path.endsWith('}') || name === 'document.get';
  const nullable =
    isOptional && !returns.startsWith('Optional[') ? `Optional[${returns}]` : returns;
  return [
    `    def ${snake(method)}(`,
    '        self,',
    ...(args.length === 0 ? [] : ['        *,', ...args]),
    `    ) -> ${nullable}:`,
    ...docstring(operation.summary),
    `        answer: ${nullable} = self._transport.call(`,
    `            "${route.method}",`,
    `            "${path}",`,
    `            "${repeatsOf(route)}",`,
    '            {',
    ...fields.map(([field]) => `                "${field}": ${valueOf(field)},`),
    '            },',
    '        )',
    '        return answer',
  ].join('\n');
}

/** Whether a client may repeat a call: a read may, a keyed write may under its key. */
export function repeatsOf({ operation }: Pick<Route, 'operation'>): 'read' | 'keyed' | 'write' {
  if (operation.kind === 'query') return 'read';
  const { properties = {} } = inputSchema({ operation });
  return properties['idempotencyKey'] === undefined ? 'write' : 'keyed';
}

/** Whether a deletion takes everything without this field, so that None is refused. */
function isNarrowing(field: string, { name }: Route): boolean {
  return name === 'conversation.delete' && field === 'turnIds';
}

function answerOf({ path, method }: Route): Schema {
  const { paths } = openApi() as {
    paths: Record<string, Record<string, { responses: Record<string, Answer> }>>;
  };
  const { content } = paths[path]?.[method.toLowerCase()]?.responses['200'] ?? {};
  return content?.['application/json'].schema ?? {};
}

interface Answer {
  readonly content?: { readonly 'application/json': { readonly schema: Schema } };
}

function typeOf(
  schema: Schema,
  owner: string,
  named: Readonly<Record<string, Schema>>,
  types: Types,
): string {
  const inner = (each: Schema, suffix: string) => typeOf(each, `${owner}${suffix}`, named, types);
  const { nullable, allOf: [whole] = [], ...rest } = schema;
  if (nullable === true) {
    const own = inner(whole ?? rest, '');
    return own.startsWith('Optional[') ? own : `Optional[${own}]`;
  }
  if (whole !== undefined) return inner(whole, '');
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    if (!types.has(name)) {
      // Registered before it is made, so that a recursive type ends.
      types.set(name, '');
      const target = named[name] ?? {};
      const made = typeOf(target, name, named, types);
      if (types.get(name) === '') types.set(name, `${name} = ${made}`);
    }
    return `"${name}"`;
  }
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
  if (
    schema.enum?.every((each) => typeof each === 'string' || typeof each === 'boolean') === true
  ) {
    return `Literal[${schema.enum.map(literal).join(', ')}]`;
  }
  if (schema.anyOf !== undefined) {
    const options = schema.anyOf.map((each, at) => inner(each, at === 0 ? '' : String(at)));
    const isTime = schema.anyOf.some(({ format }) => format === 'date-time');
    const taken = isTime ? [...options, 'datetime'] : options;
    const left = [...new Set(taken)].filter((each) => each !== 'None');
    const union = left.length === 1 ? (left[0] ?? 'Any') : `Union[${left.join(', ')}]`;
    return options.includes('None') ? `Optional[${union}]` : union;
  }
  const several: unknown = schema.type;
  if (Array.isArray(several)) {
    const anyOf = several.map((type: unknown) => ({ type: String(type) }));
    return typeOf({ anyOf }, owner, named, types);
  }
  if (schema.type === 'array') return `List[${inner(schema.items ?? {}, 'Item')}]`;
  if (schema.type === 'object') return objectOf(schema, owner, named, types);
  return PLAIN_TYPES[schema.type ?? ''] ?? 'Any';
}

const PLAIN_TYPES: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

function objectOf(
  { properties, required = [] }: Schema,
  owner: string,
  named: Readonly<Record<string, Schema>>,
  types: Types,
): string {
  const fields = Object.entries(properties ?? {});
  if (fields.length === 0) return 'Dict[str, Any]';
  const isWhole = fields.every(([field]) => required.includes(field));
  const lines = fields.map(([field, schema]) => {
    const type = typeOf(schema, `${owner}${pascal(field)}`, named, types);
    return `    ${field}: ${type}`;
  });
  const body = [`(TypedDict${isWhole ? '' : ', total=False'}):`, ...lines].join('\n');
  // Equal shapes share one type, under the name that came first.
  const known = [...types].find(([name, text]) => text === `class ${name}${body}`);
  if (known !== undefined && !Object.hasOwn(named, owner)) return `"${known[0]}"`;
  const name = SHARED.find((each) => owner.endsWith(each) && !types.has(each)) ?? owner;
  types.delete(name);
  types.set(name, `class ${name}${body}`);
  return `"${name}"`;
}

function literal(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

/** Types of fields that many operations share, named after the field. */
const SHARED = ['Identifiers', 'Subject'];

const LINE_MAX = 92;

function docstring(summary: string): readonly string[] {
  const lines: string[] = [];
  let line = '"""';
  for (const word of summary.replaceAll('`', '``').split(' ')) {
    if (line.length + word.length + 1 > LINE_MAX - 8) {
      lines.push(line);
      line = word;
    } else line += line === '"""' ? word : ` ${word}`;
  }
  lines.push(line);
  const [last = ''] = lines.splice(-1);
  return [...lines, `${last}"""`].map((each) => `        ${each}`);
}

function snake(name: string): string {
  const words = name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
  return KEYWORDS.has(words) ? `${words}_` : words;
}
