/** Every field of every operation, with values that no caller would send on purpose. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { namedOperations } from '#api/operations/table.ts';
import { parseInput } from '#api/parse-input.ts';
import { VarveError } from '#core/errors.ts';

/** Where memory text could stand; no refusal may repeat it. */
const SECRET = 'Ann-has-a-secret';
const DEPTH_MAX = 3;
const nested = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => ({ a: inner }), SECRET);

const HOSTILE: Readonly<Record<string, unknown>> = {
  null: null,
  undefined,
  true: true,
  negative: -1,
  seconds: 1_764_000_000,
  fraction: 1.5,
  NaN: Number.NaN,
  infinite: Number.POSITIVE_INFINITY,
  huge: 1e21,
  empty: '',
  blank: ' \n\t',
  invisible: '\u200b',
  text: SECRET,
  long: SECRET.repeat(30_000),
  NUL: `${SECRET}\0`,
  'half a character': `${SECRET}\ud83d`,
  list: [SECRET],
  'empty list': [],
  'list of numbers': [7],
  duplicates: [SECRET, SECRET],
  'long list': Array.from({ length: 2_000 }, () => SECRET),
  object: { a: SECRET },
  'empty object': {},
  'prototype key': JSON.parse(`{"__proto__":{"a":"${SECRET}"}}`) as unknown,
  'constructor key': JSON.parse(`{"constructor":"${SECRET}","toString":1}`) as unknown,
  nested: nested(60),
  'far date': '+010000-01-01T00:00:00Z',
  'old date': '1969-01-01T00:00:00Z',
  day: '2026-11-31',
  Date: new Date(0),
  Map: new Map([['userId', SECRET]]),
  bigint: 7n,
  symbol: Symbol('a'),
  function: () => SECRET,
};

type Path = readonly (string | number)[];

function pathsOf(schema: z.core.$ZodType, before: Path = []): readonly Path[] {
  let inner = schema;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodNullable
  ) {
    inner = inner.unwrap();
  }
  if (before.length > DEPTH_MAX) return [];
  if (inner instanceof z.ZodArray) {
    return [[...before, 0], ...pathsOf(inner.element, [...before, 0])];
  }
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape as Record<string, z.core.$ZodType>).flatMap(([name, field]) => [
    [...before, name],
    ...pathsOf(field, [...before, name]),
  ]);
}

function spoiled(input: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  if (typeof name === 'number') {
    const list = Array.isArray(input) ? (input as unknown[]) : [];
    return [spoiled(list[0], rest, value), ...list.slice(1)];
  }
  const fields = (input ?? {}) as Record<string, unknown>;
  return { ...fields, [name]: spoiled(fields[name], rest, value) };
}

const CASES = namedOperations().map(([name, { input, example }]) => ({ name, input, example }));

/** Words of the schema library, which say nothing of what to do. */
const FOREIGN = /^Invalid |: Invalid |Too (?:big|small)|received|Unrecognized|<=|>=/u;
const TOLD = /expected|required|not known|is undefined|at most|unknown|name one|takes it/u;

test.each(CASES)(
  '$name refuses wrong input with helpful words that repeat no secret',
  (operation) => {
    const wrong: string[] = [];
    let refused = 0;
    for (const path of pathsOf(operation.input)) {
      for (const [kind, value] of Object.entries(HOSTILE)) {
        const told = refusalOf(operation.input, spoiled(operation.example.input, path, value));
        if (told === null) continue;
        refused += 1;
        const isHelpful = TOLD.test(told) && !FOREIGN.test(told) && !told.includes(SECRET);
        if (!isHelpful) wrong.push(`${path.join('.')} as ${kind}: ${told}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(refused > 0).toBe(pathsOf(operation.input).length > 0);
  },
);

function refusalOf(schema: z.ZodType, input: unknown): string | null {
  try {
    parseInput(schema, input);
    return null;
  } catch (error) {
    if (error instanceof VarveError && error.code === 'INVALID_INPUT') return error.message;
    throw error;
  }
}
