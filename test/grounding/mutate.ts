/** Makes a false fact of a true one by changing one value that it names. */
import type { Mutation, Values } from './scene.ts';
import { nameOf } from './scene.ts';
import { intBetween, pick, UNITS, type Chance } from './values.ts';

/** The values of a false fact, or null where the line names nothing to change so. */
export function mutatedValues(
  mutation: Mutation,
  line: string,
  { values, others, chance }: { values: Values; others: readonly string[]; chance: Chance },
): Values | null {
  const keys = [...line.matchAll(/\{(\w+)/gu)].map((match) => match[1] ?? '');
  const ofKind = (kind: string): string[] => keys.filter((key) => values[key]?.kind === kind);
  const change = (key: string | undefined, value: Values[string]): Values | null =>
    key === undefined ? null : { ...values, [key]: value };
  const people = [...new Set(ofKind('person'))];
  switch (mutation) {
    case 'number': {
      const key = ofKind('number')[0];
      const old = values[key ?? ''];
      if (old?.kind !== 'number') return null;
      return change(key, { kind: 'number', number: otherNumber(old.number, values, chance) });
    }
    case 'date': {
      const key = [...ofKind('day'), ...ofKind('time')][0];
      const moved = otherMoment(values[key ?? ''], chance);
      return moved === null ? null : change(key, moved);
    }
    case 'unit': {
      const key = ofKind('unit')[0];
      const old = values[key ?? ''];
      if (old?.kind !== 'unit') return null;
      const size = UNITS[old.family]?.length ?? 1;
      const index = (old.index + intBetween(1, size - 1, chance)) % size;
      return change(key, { ...old, index });
    }
    case 'negation': {
      const key = ofKind('denied')[0];
      const old = values[key ?? ''];
      if (old?.kind !== 'denied') return null;
      return change(key, { kind: 'denied', isDenied: !old.isDenied });
    }
    case 'speaker': {
      const role = /\{S:(\w+)\}/u.exec(line)?.[1];
      if (role !== undefined) {
        return { ...values, role: { kind: 'text', text: role === 'user' ? 'assistant' : 'user' } };
      }
      const spoken = /(?:^|\])([a-z])>/u.exec(line)?.[1];
      const wrong = others.filter((name) => name !== nameOf(values[spoken ?? '']));
      if (spoken === undefined || wrong.length === 0) return null;
      return { ...values, speaker: { kind: 'person', name: pick(wrong, chance) } };
    }
    case 'attribution': {
      const wrong = others.filter((name) => !people.some((key) => nameOf(values[key]) === name));
      if (people.length === 0 || wrong.length === 0) return null;
      return change(pick(people, chance), { kind: 'person', name: pick(wrong, chance) });
    }
    case 'swapped names': {
      const [one, other] = people;
      if (one === undefined || other === undefined || line.includes('~')) return null;
      return {
        ...values,
        [one]: values[other] ?? { kind: 'text', text: '' },
        [other]: values[one] ?? { kind: 'text', text: '' },
      };
    }
    default:
      return mutation satisfies never;
  }
}

function otherMoment(old: Values[string] | undefined, chance: Chance): Values[string] | null {
  if (old?.kind === 'time') {
    return { kind: 'time', minutes: (old.minutes + pick([60, 150, 210], chance)) % 1440 };
  }
  if (old?.kind !== 'day') return null;
  return { kind: 'day', day: old.day + pick([1, -1, 2, 10, 31, -45], chance) };
}

function otherNumber(old: number, values: Values, chance: Chance): number {
  const taken = Object.values(values).flatMap((value) =>
    value.kind === 'number' ? value.number : [],
  );
  const made = [old + 1, old * 10, old - 1, old + intBetween(2, 9, chance), old * 2, old + 100];
  return pick(
    made.filter((number) => number > 1 && !taken.includes(number)),
    chance,
  );
}
