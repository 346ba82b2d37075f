/** Scenes: a template filled with values, as sources and as true and false facts about them. */
import type { AnswerFact } from '#core/prompt/parse-answer.ts';
import type { Template } from './templates.ts';
import {
  intBetween,
  PEOPLE,
  pick,
  relativeDay,
  UNITS,
  writtenDay,
  writtenNumber,
  writtenTime,
  type Chance,
} from './values.ts';

export const MUTATIONS = [
  'number',
  'date',
  'unit',
  'negation',
  'speaker',
  'attribution',
  'swapped names',
] as const;
export type Mutation = (typeof MUTATIONS)[number];

export interface SceneSource {
  readonly id: string;
  readonly text: string;
  readonly speaker: string | null;
  readonly at: number;
}

type Value =
  | { readonly kind: 'person'; readonly name: string }
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'day'; readonly day: number }
  | { readonly kind: 'time'; readonly minutes: number }
  | { readonly kind: 'unit'; readonly family: string; readonly index: number }
  | { readonly kind: 'denied'; readonly isDenied: boolean }
  | { readonly kind: 'text'; readonly text: string };
export type Values = Readonly<Record<string, Value>>;

const DAY_MS = 86_400_000;
/** A Monday at noon; scenes lie within the year after it. */
const FIRST_DAY = Date.UTC(2026, 0, 5, 12) / DAY_MS;

/** Draws the values of a template; nobody of `taken` takes part. */
export function drawValues(template: Template, taken: Set<string>, chance: Chance): Values {
  const values: Record<string, Value> = {};
  const today = Math.floor(FIRST_DAY + intBetween(0, 330, chance));
  values['today'] = { kind: 'day', day: today };
  for (const part of template.values.split(';')) {
    const words = part.trim().split(' ');
    const names = words.filter((word) => word.length === 1);
    const [kind = '', ...rest] = words.slice(names.length);
    for (const name of names) values[name] = draw(kind, rest, { today, taken, chance });
  }
  for (const name of ['x', 'y']) values[name] = { kind: 'denied', isDenied: chance() < 0.5 };
  return values;
}

function draw(
  kind: string,
  rest: readonly string[],
  { today, taken, chance }: { today: number; taken: Set<string>; chance: Chance },
): Value {
  switch (kind) {
    case 'person': {
      const name = pick(
        PEOPLE.filter((person) => !taken.has(person)),
        chance,
      );
      taken.add(name);
      return { kind, name };
    }
    case 'int':
      return { kind: 'number', number: intBetween(Number(rest[0]), Number(rest[1]), chance) };
    case 'day':
      return { kind, day: today + intBetween(4, 90, chance) };
    case 'near':
      return { kind: 'day', day: today + pick([-4, -3, -1, 1, 3, 4, 8], chance) };
    case 'time':
      return { kind, minutes: intBetween(16, 44, chance) * 30 };
    case 'unit': {
      const family = rest[0] ?? '';
      return { kind, family, index: intBetween(0, (UNITS[family]?.length ?? 1) - 1, chance) };
    }
    default:
      return { kind: 'text', text: identifier(kind, chance) };
  }
}

function identifier(kind: string, chance: Chance): string {
  const number = String(intBetween(100, 999, chance));
  const texts: Readonly<Record<string, string>> = {
    ticket: `${pick(['OPS', 'WEB', 'CORE'], chance)}-${number}`,
    version: `v${number[0] ?? '1'}.${number[1] ?? '1'}.${number[2] ?? '1'}`,
    mail: `desk${number}@example.org`,
    path: `/plans/floor/${number}.pdf`,
  };
  return texts[kind] ?? number;
}

/** The sources of a scene; every second is later than the one before. */
export function sourcesOf(template: Template, values: Values, chance: Chance): SceneSource[] {
  const today = dayOf(values['today']);
  return template.sources.map((line, index) => {
    const spoken = /^@(\w+) /u.exec(line)?.[1] ?? null;
    const text = fill(spoken === null ? line : line.slice(spoken.length + 2), values, chance);
    const speaker = spoken === null ? null : nameOf(values[spoken]) || spoken;
    const at = (today + 0.4) * DAY_MS + index * 60_000;
    return { id: String(index), text, speaker, at: Math.round(at) };
  });
}

/** A fact of a scene, with ids of its sources as their place among them. */
export function factOf(
  line: string,
  values: Values,
  template: Template,
  chance: Chance,
): AnswerFact {
  const cited = /^\[([\d,]+)\]/u.exec(line);
  const rest = line.slice(cited?.[0].length ?? 0).replace(/^~/u, '');
  const spoken = /^([a-z])>/u.exec(rest)?.[1];
  const text = fill(spoken === undefined ? rest : rest.slice(2), values, chance);
  const sources = cited?.[1]?.split(',') ?? template.sources.map((_, index) => String(index));
  const capital = text.slice(0, 1).toUpperCase() + text.slice(1);
  const fact = { text: capital, sources };
  return spoken === undefined
    ? fact
    : { ...fact, speaker: nameOf(values['speaker'] ?? values[spoken]) };
}

const PLACE = /(?<sign>[€$]?)\{(?<key>\w+)(?<how>[?:#]?)(?<rest>[^}]*)\}/gu;

function fill(line: string, values: Values, chance: Chance): string {
  return line.replaceAll(PLACE, (_, sign: string, key: string, how: string, rest: string) => {
    if (key === 'S') return `the ${nameOf(values['role']) || rest}`;
    const digits = sign !== '' || how === '#';
    return (
      sign + written(values[key], { digits, how, rest, today: dayOf(values['today']) }, chance)
    );
  });
}

function written(
  value: Value | undefined,
  { digits, rest, today }: { digits: boolean; how: string; rest: string; today: number },
  chance: Chance,
): string {
  switch (value?.kind) {
    case 'person':
      return value.name;
    case 'number':
      return writtenNumber(value.number, digits, chance);
    case 'day':
      return rest === 'rel' ? relativeDay(value.day, today) : writtenDay(value.day, chance);
    case 'time':
      return writtenTime(value.minutes, chance);
    case 'unit':
      return pick(UNITS[value.family]?.[value.index] ?? [''], chance);
    case 'denied':
      return rest.split('|')[value.isDenied ? 0 : 1] ?? '';
    case 'text':
      return value.text;
    default:
      throw new RangeError('A place without a value.');
  }
}

export function nameOf(value: Value | undefined): string {
  if (value?.kind === 'person') return value.name;
  return value?.kind === 'text' ? value.text : '';
}

function dayOf(value: Value | undefined): number {
  return value?.kind === 'day' ? value.day : 0;
}
