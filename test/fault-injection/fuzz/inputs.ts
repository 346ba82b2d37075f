/** Valid inputs of an operation, from its example and its schema, and how to spoil them. */
import { LAYERS } from '#core/layer.ts';
import type { Dice } from './dice.ts';
import { hostileValue, PROTOTYPE_KEYS, RawJson, toJson } from './hostile.ts';
import { identifiersOf, type Things } from './harness.ts';

/** In every text that a caller sends as a memory, a turn or a question. */
export const TEXT_MARK = 'Kumquat7';

/** As much of JSON Schema as the schemas of the operations use. */
export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

type Fields = Record<string, unknown>;
type Path = readonly (string | number)[];

const TEXT_FIELDS = new Set('content query text reason heading'.split(' '));
/** A tenant that has nothing. */
const NOBODY = 'nobody';
const OPTIONAL_PERCENT = 25;
const DEPTH_MAX = 5;
const WORDS = [
  'tea',
  'Ann',
  'project',
  'launches',
  'December',
  'likes',
  'münchen',
  '東京',
] as const;

export interface Wanted {
  /** Of the operation, such as `memory.add`, or of a tool. */
  readonly name: string;
  readonly schema: Schema;
  readonly example: unknown;
}

/** An input that fits, as far as a schema says. */
export function validInput(wanted: Wanted, things: Things, dice: Dice): Fields {
  const { schema, example } = wanted;
  const input: Fields = { ...(known(example ?? {}, things) as Fields) };
  for (const [field, part] of Object.entries(schema.properties ?? {})) {
    if (field in input) continue;
    if (!(schema.required ?? []).includes(field) && !dice.percent(OPTIONAL_PERCENT)) continue;
    const value = made(part, { root: schema, dice, depth: 0 });
    input[field] = known({ [field]: value }, things)[field];
  }
  const group = wanted.name.split('.')[0] ?? '';
  const ids: Fields = { memory: things.memory, dream: things.dream, key: things.key };
  if ('id' in input) input['id'] = ids[group] ?? things.memory;
  if ('ids' in input) input['ids'] = [things.memory];
  if ('turnIds' in input) input['turnIds'] = [things.turn];
  // Erased, a tenant could tell nothing about the calls that come after.
  if (wanted.name === 'tenant.erase') Object.assign(input, { tenant: NOBODY, confirm: NOBODY });
  return input;
}

/** The same with what is there in place of names, and a mark in each text. */
function known<T>(value: T, things: Things): T {
  if (Array.isArray(value)) return value.map((each: unknown) => known(each, things)) as T;
  if (typeof value !== 'object' || value === null || value instanceof RawJson) return value;
  const named: Fields = {
    tenant: things.tenant,
    sessionId: things.session,
    subject: { kind: 'user', id: things.user },
  };
  const fields = Object.entries(value).map(([key, each]: [string, unknown]) => {
    if (Object.hasOwn(named, key)) return [key, named[key]];
    if (key === 'identifiers') return [key, identifiersFor(each, things)];
    if (TEXT_FIELDS.has(key) && typeof each === 'string') return [key, `${TEXT_MARK} ${each}`];
    return [key, known(each, things)];
  });
  return Object.fromEntries(fields) as T;
}

function identifiersFor(example: unknown, { user, session }: Things): Fields {
  const all: Fields = { ...identifiersOf(user), sessionId: session };
  const asked = Object.keys(example ?? {});
  return Object.fromEntries(asked.map((name) => [name, all[name]]));
}

interface Making {
  readonly root: Schema;
  readonly dice: Dice;
  readonly depth: number;
}

function made(given: Schema, { root, dice, depth }: Making): unknown {
  const schema = given.$ref === undefined ? given : resolved(given.$ref, root);
  const deeper = { root, dice, depth: depth + 1 };
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return dice.any(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  const choice = choices === undefined ? undefined : dice.any(choices);
  if (choice !== undefined) return made(choice, deeper);
  switch (schema.type) {
    case 'string':
      return madeText(schema, dice);
    case 'integer':
    case 'number':
      return madeNumber(schema, dice);
    case 'boolean':
      return dice.percent(50);
    case 'array': {
      const count = depth > DEPTH_MAX ? 0 : Math.max(schema.minItems ?? 0, dice.below(3));
      return Array.from({ length: count }, () => made(schema.items ?? {}, deeper));
    }
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).filter(
        ([name]) =>
          (schema.required ?? []).includes(name) || (depth <= DEPTH_MAX && dice.percent(40)),
      );
      return Object.fromEntries(fields.map(([name, part]) => [name, made(part, deeper)]));
    }
    case undefined:
      return dice.pick<unknown>([1, 'tea', true, null, ['tea']]);
    default:
      return null;
  }
}

function resolved(reference: string, root: Schema): Schema {
  return root.$defs?.[reference.replace('#/$defs/', '')] ?? root;
}

function madeText({ format }: Schema, dice: Dice): string {
  if (format === 'date-time') return `2026-11-${String(10 + dice.below(20))}T12:00:00Z`;
  if (dice.percent(20)) return dice.pick(LAYERS as unknown as readonly [string, ...string[]]);
  return Array.from({ length: 1 + dice.below(3) }, () => dice.pick(WORDS)).join(' ');
}

function madeNumber({ minimum = 0, maximum = 1_000, type }: Schema, dice: Dice): number {
  const span = Math.min(maximum - minimum, 1_000);
  const value = minimum + dice.below(span + 1);
  return type === 'number' ? value + dice.below(100) / 100 : value;
}

export interface Mutated {
  readonly input: unknown;
  /** Fields that were spoiled, such as `filter.and`. */
  readonly fields: readonly string[];
}

/** Spoils `count` places of an input. @param names of things that may be another's */
export function mutated(
  { schema }: Wanted,
  valid: Fields,
  { dice, names, count }: { dice: Dice; names: readonly string[]; count: number },
): Mutated {
  const fields: string[] = [];
  let input: unknown = valid;
  for (let at = 0; at < count; at += 1) {
    const path = placeIn(input, schema, dice);
    fields.push(path.filter((part) => typeof part === 'string').join('.'));
    input = spoiled(input, path, { dice, names });
  }
  return { input, fields };
}

/** A place that has a value, or one that the schema knows of. */
function placeIn(input: unknown, schema: Schema, dice: Dice): Path {
  const roots = Object.keys(schema.properties ?? {});
  if (dice.percent(60)) {
    const root = dice.any(roots);
    if (root !== undefined) return [root];
  }
  return dice.any(pathsOf(input, [])) ?? [];
}

function pathsOf(value: unknown, path: Path): readonly Path[] {
  if (typeof value !== 'object' || value === null || value instanceof RawJson) return [path];
  if (path.length > DEPTH_MAX) return [path];
  const inside = Object.entries(value).slice(0, 20);
  const isList = Array.isArray(value);
  const below = inside.flatMap(([key, each]) =>
    pathsOf(each, [...path, isList ? Number(key) : key]),
  );
  return [path, ...below];
}

interface Spoiling {
  readonly dice: Dice;
  readonly names: readonly string[];
}

function spoiled(value: unknown, [first, ...rest]: Path, spoiling: Spoiling): unknown {
  const { dice, names } = spoiling;
  if (first === undefined) return spoiledHere(value, spoiling);
  if (typeof value !== 'object' || value === null || value instanceof RawJson) {
    return spoiledHere(value, spoiling);
  }
  if (Array.isArray(value)) {
    return value.map((each, at) => (at === first ? spoiled(each, rest, spoiling) : each));
  }
  const fields = value as Fields;
  if (rest.length === 0 && dice.percent(15)) {
    const { [String(first)]: _, ...left } = fields;
    return left;
  }
  if (rest.length === 0 && dice.percent(10)) {
    const key = dice.percent(60) ? dice.pick(PROTOTYPE_KEYS) : `${String(first)}x`;
    return Object.fromEntries([...Object.entries(fields), [key, hostileValue(dice, names)]]);
  }
  const inside = spoiled(fields[first], rest, spoiling);
  const isText = TEXT_FIELDS.has(String(first)) && typeof inside === 'string' && inside !== '';
  return { ...fields, [first]: isText ? `${TEXT_MARK} ${inside}` : inside };
}

function spoiledHere(value: unknown, { dice, names }: Spoiling): unknown {
  const way = dice.below(10);
  if (way === 0) return [value];
  if (way === 1) return { value };
  if (way === 2) return typeof value === 'string' ? `"${value}"` : toJson(value);
  if (way === 3 && Array.isArray(value))
    return Array.from({ length: 300 }, () => value[0] as unknown);
  return hostileValue(dice, names);
}
