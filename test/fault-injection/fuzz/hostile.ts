/** Values that no field accepts, and their text as JSON, which is invalid for some of them. */
import type { Dice } from './dice.ts';

/** Stands in a value for text that JSON.stringify can't write. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** JSON, but for what is raw in it. */
export function toJson(value: unknown): string {
  const raws: string[] = [];
  const text = JSON.stringify(value, (_, each: unknown) => {
    if (!(each instanceof RawJson)) return each;
    raws.push(each.text);
    return `@raw-${String(raws.length - 1)}@`;
  });
  return (text ?? 'null').replaceAll(/"@raw-(\d+)@"/gu, (_, at: string) => raws[Number(at)] ?? '');
}

function nested(open: string, close: string, depth: number): RawJson {
  return new RawJson(`${open.repeat(depth)}1${close.repeat(depth)}`);
}

function crowd(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${String(at)}`, at]));
}

const STRINGS = [
  '',
  ' ',
  '\n',
  '\0',
  'a\0b',
  '\u{1}\u{1b}[31m\u{7f}\u{9b}',
  '\ud800',
  'a\udc00b',
  '\u{202e}\u{2066}\u{feff}\u{200b}',
  '👩‍👩‍👧‍👦'.repeat(50),
  'e\u{301}'.repeat(500),
  "' OR 1=1 --",
  '"; DROP TABLE memories; --',
  '" NEAR( * AND OR NOT ^ - : {a b}',
  '%00%ff%2e%2e',
  '../../../../etc/passwd',
  '..',
  '.',
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  '$where',
  '${7*7}{{7*7}}<script>alert(1)</script>',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e999',
  'true',
  '2026-02-30',
  '2026-13-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00.001Z',
  '0000-00-00',
  '019aa5c2-7c1e-7b52-9f0e-00000000dead',
  '[]',
  '{}',
  'a,b,,c',
  'x'.repeat(129),
  'x'.repeat(257),
  'ß'.repeat(8_193),
  'a '.repeat(20_000),
  '('.repeat(5_000),
] as const;

const OTHERS: readonly [unknown, ...unknown[]] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  -0.000_001,
  2 ** 31,
  2 ** 53,
  2 ** 64,
  Number.MAX_SAFE_INTEGER,
  -Number.MAX_VALUE,
  8.64e15 + 1,
  253_402_300_799_999,
  [],
  [[]],
  [null],
  [[[[[]]]]],
  {},
  { '': '' },
  { '\0': 1, '\ud800': 2 },
  { toJSON: 'x', valueOf: 1 },
  { length: -1 },
  { $gt: '' },
  crowd(1_000),
  Array.from({ length: 2_000 }, (_, at) => at),
  Array.from({ length: 200 }, () => 'a'),
  new RawJson('NaN'),
  new RawJson('-Infinity'),
  new RawJson('undefined'),
  new RawJson('1e999'),
  new RawJson('-0'),
  new RawJson('0x10'),
  new RawJson("'a'"),
  new RawJson('"\\ud83d"'),
  new RawJson('"\\x"'),
  new RawJson('"a\nb"'),
  new RawJson('{"__proto__":{"role":"admin","tenants":"all"}}'),
  new RawJson('{"constructor":{"prototype":{"isAdmin":true}}}'),
  new RawJson('{"a":1,"a":2}'),
  new RawJson('{"then":"x"}'),
  nested('[', ']', 100),
  nested('[', ']', 5_000),
  nested('{"a":', '}', 100),
  nested('{"a":', '}', 5_000),
  nested('{"and":[', ']}', 500),
  nested('{"not":', '}', 3_000),
];

/** Of a megabyte and more; they cost time, so they are rare. */
const HUGE: readonly [unknown, ...unknown[]] = [
  'y'.repeat(1_000_000),
  'z '.repeat(600_000),
  nested('[', ']', 400_000),
  Array.from({ length: 100_000 }, (_, at) => at),
  '語'.repeat(400_000),
];
const HUGE_PERMILLE = 8;

export const PROTOTYPE_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'then',
] as const;

/** @param names of things that may be another's */
export function hostileValue(dice: Dice, names: readonly string[]): unknown {
  if (dice.below(1_000) < HUGE_PERMILLE) return dice.pick(HUGE);
  const kind = dice.below(10);
  if (kind < 4) return dice.pick(STRINGS);
  if (kind < 6) return dice.any(names) ?? null;
  return dice.pick(OTHERS);
}
