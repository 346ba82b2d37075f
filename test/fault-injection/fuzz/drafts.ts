/** One call of an operation over each interface, before it is spoiled on the wire. */
import type { Binding } from '#api/mcp/server-binding.ts';
import { toolsOf } from '#api/mcp/server.ts';
import { namedOperations, servedOperations } from '#api/operations/table.ts';
import { inputSchema } from '#api/rest/request-input.ts';
import { parametersOf, ROUTES } from '#api/rest/routes.ts';
import { z } from 'zod';
import type { Dice } from './dice.ts';
import { hostileValue, toJson } from './hostile.ts';
import { mutated, validInput, type Schema, type Wanted } from './inputs.ts';
import type { Things } from './harness.ts';

export const FACES = ['REST', 'tRPC', 'MCP'] as const;
export type Face = (typeof FACES)[number];

/** A request that is well formed as HTTP, whatever it says. */
export interface Draft {
  readonly face: Face;
  /** Of the operation or the tool. */
  readonly name: string;
  readonly fields: readonly string[];
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | null;
}

export interface Drafting {
  readonly dice: Dice;
  readonly things: Things;
  /** Of things that may be another's. */
  readonly names: readonly string[];
}

type Fields = Record<string, unknown>;

const JSON_TYPE = ['content-type', 'application/json'] as const;
const BATCH_PERCENT = 15;
/** A query string is longer than that only to see it refused. */
const QUERY_LENGTH_MAX = 20_000;
const OPERATIONS = namedOperations(servedOperations());

export function draftOf(face: Face, drafting: Drafting): Draft {
  if (face === 'REST') return restDraft(drafting);
  return face === 'tRPC' ? trpcDraft(drafting) : mcpDraft(drafting);
}

/** In most calls one or two places are spoiled, in some none. */
function asked(wanted: Wanted, { dice, things, names }: Drafting) {
  const valid = validInput(wanted, things, dice);
  return mutated(wanted, valid, { dice, names, count: dice.pick([0, 1, 1, 1, 2, 3]) });
}

function restDraft(drafting: Drafting): Draft {
  const { dice } = drafting;
  const route = dice.any(ROUTES);
  if (route === undefined) throw new Error('There are no routes.');
  const { name, operation, method, path } = route;
  const schema = inputSchema(route) as Schema;
  const wanted = { name, schema, example: operation.example.input };
  const { input, fields } = asked(wanted, drafting);
  const inPath = parametersOf(route);
  const given = isFields(input) ? input : {};
  const target = inPath.reduce(
    (text, each) => text.replace(`{${each}}`, () => encoded(given[each])),
    path,
  );
  const left = Object.fromEntries(Object.entries(given).filter(([key]) => !inPath.includes(key)));
  const inBody = method !== 'GET' && method !== 'DELETE';
  const body = inBody ? toJson(isFields(input) ? left : input) : null;
  const query = inBody ? '' : queryOf(left);
  const draft = { face: 'REST' as const, name, fields, method, target: `${target}${query}`, body };
  const key = dice.any(['once', 'twice', 'thrice']) ?? 'once';
  const repeated = inBody && dice.percent(10) ? [['idempotency-key', key] as const] : [];
  return { ...draft, headers: [...(inBody ? [JSON_TYPE] : []), ...repeated] };
}

function queryOf(fields: Fields): string {
  const parts = Object.entries(fields).map(
    ([key, value]) => `${encoded(key)}=${encoded(value).slice(0, QUERY_LENGTH_MAX)}`,
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function trpcDraft(drafting: Drafting): Draft {
  const { dice } = drafting;
  const isBatch = dice.percent(BATCH_PERCENT);
  const count = isBatch ? dice.pick([1, 2, 3, 32, 40]) : 1;
  const [first = OPERATIONS[0]] = [dice.any(OPERATIONS)];
  if (first === undefined) throw new Error('There are no operations.');
  const kind = first[1].kind;
  const sameKind = OPERATIONS.filter(([, operation]) => operation.kind === kind);
  const calls = Array.from({ length: count }, (_, at) => {
    const [name, operation] = (at === 0 ? first : dice.any(sameKind)) ?? first;
    const schema = inputSchema({ operation }) as Schema;
    const wanted = { name, schema, example: operation.example.input };
    return { name, ...asked(wanted, drafting) };
  });
  const name = calls.map((call) => call.name).join(',');
  const inputs = Object.fromEntries(calls.map(({ input }, at) => [String(at), input]));
  const text = toJson(isBatch ? inputs : calls[0]?.input);
  const batch = isBatch ? 'batch=1' : '';
  const isQuery = kind === 'query';
  const query = isQuery ? `input=${encoded(text)}` : '';
  const search = [batch, query].filter((part) => part !== '').join('&');
  return {
    face: 'tRPC',
    name: first[0],
    fields: calls.flatMap(({ fields }) => fields),
    method: isQuery ? 'GET' : 'POST',
    target: `/${name}${search === '' ? '' : `?${search}`}`,
    headers: isQuery ? [] : [JSON_TYPE],
    body: isQuery ? null : text,
  };
}

const MCP_HEADERS = [JSON_TYPE, ['accept', 'application/json, text/event-stream']] as const;
const OTHER_METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'notifications/initialized',
  'sampling/createMessage',
  'tools/none',
  '__proto__',
] as const;

function mcpDraft(drafting: Drafting): Draft {
  const { dice, things } = drafting;
  const { tenant, user } = things;
  const isOpen = dice.percent(50);
  const binding: Binding = { tenant, identifiers: { userId: user }, isOpen };
  const call = mcpCall(binding, drafting);
  const id: unknown = dice.percent(90) ? 1 : hostileValue(dice, []);
  const message = { jsonrpc: '2.0', id, method: call.method, params: call.params };
  const body = dice.percent(5) ? [message, { ...message, id: 2 }, message] : message;
  return {
    face: 'MCP',
    name: call.name,
    fields: call.fields,
    method: 'POST',
    target: `/mcp?tenant=${tenant}&userId=${user}${isOpen ? '&open=true' : ''}`,
    headers: MCP_HEADERS,
    body: toJson(body),
  };
}

const tools = new Map<string, readonly Wanted[]>();

/** Made once for each binding, of which there are a few. */
function mcpTools(binding: Binding): readonly Wanted[] {
  const key = JSON.stringify(binding);
  const known = tools.get(key);
  if (known !== undefined) return known;
  const made = toolsOf(binding).map(({ name, input }) => {
    const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Schema;
    return { name, schema, example: {} };
  });
  tools.set(key, made);
  return made;
}

function mcpCall(binding: Binding, drafting: Drafting) {
  const { dice, names } = drafting;
  const tool = dice.any(mcpTools(binding));
  if (tool !== undefined && dice.percent(70)) {
    const { input, fields } = asked(tool, drafting);
    const name: unknown = dice.percent(95) ? tool.name : hostileValue(dice, names);
    return { name: tool.name, fields, method: 'tools/call', params: { name, arguments: input } };
  }
  const method = dice.pick(OTHER_METHODS);
  const params: Record<string, unknown> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
    'resources/read': {
      uri: dice.pick(['varve://summary/user/paragraph', 'varve://memory-file/user', 'file:///etc']),
    },
    'prompts/get': { name: 'what_do_you_know', arguments: { about: 'tea' } },
    'completion/complete': {
      ref: { type: 'ref/resource', uri: 'varve://summary/{layer}/{depth}' },
      argument: { name: 'layer', value: 'u' },
    },
  };
  const fitting = Object.hasOwn(params, method) ? params[method] : {};
  const wanted = { name: method, schema: {}, example: {} };
  const count = dice.pick([0, 1, 1]);
  const { input, fields } = mutated(wanted, fitting as Fields, { dice, names, count });
  return { name: method, fields, method, params: input };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** As a part of an address; half a surrogate pair is sent as bytes that are no UTF-8. */
function encoded(value: unknown): string {
  const text = typeof value === 'string' ? value : toJson(value);
  return text.isWellFormed() ? encodeURIComponent(text) : '%ed%a0%80';
}
