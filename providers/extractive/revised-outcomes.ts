/**
 * Finds outcomes of a conversation that a later one about the same thing replaces: "the price is 25
 * euros" before "the price is 29 euros, final". Strict on purpose: the later one says that it is a
 * decision, a change or a correction, and both name the same thing in the same words.
 */
import { contentStems } from '#core/text/words.ts';
import type { Spoken } from './conversation-outcome.ts';
import { acknowledges, saysInstead } from './refers-back.ts';
import {
  changes,
  type NamedValue,
  revises,
  settles,
  statementKind,
  topicOf,
  valuesIn,
} from './statement-kind.ts';

/** Only this many of the latest outcomes are compared with each new one. */
const COMPARED_MAX = 100;

/** "Scratch that" means one of the sentences right before it. */
const TAKEN_BACK_WITHIN = 3;

interface Outcome {
  readonly order: number;
  readonly topic: ReadonlySet<string>;
  readonly values: readonly NamedValue[];
  readonly settles: boolean;
  readonly changes: boolean;
  readonly revises: boolean;
}

interface RevisedOutcomes {
  /** Orders of outcomes that a later one replaces. */
  readonly replaced: ReadonlySet<number>;
  /** Outcomes by the order of a later one that names only the new value: "29 euros, final". */
  readonly completedBy: ReadonlyMap<number, number>;
}

/** Returns the outcomes that a later one revises. */
export function revisedOutcomes(
  talk: readonly Spoken[],
  stem: (word: string) => string,
): RevisedOutcomes {
  const revised = new Set<number>();
  const completedBy = new Map<number, number>();
  const standing: Outcome[] = [];
  for (const spoken of talk) {
    const newer = outcomeOf(spoken, stem);
    if (newer === null) continue;
    const others = standing
      .slice(-COMPARED_MAX)
      .filter((older) => !revised.has(older.order) && hasOtherValue(newer, older));
    for (const { order } of replacedBy(newer, others)) revised.add(order);
    const meant = meantBy(newer, standing);
    if (meant !== undefined) completedBy.set(meant.order, newer.order);
    standing.push(newer);
  }
  return { replaced: revised, completedBy };
}

/** Returns the outcomes that a later sentence takes back: "Scratch that, Postgres is enough". */
export function takenBack(talk: readonly Spoken[]): ReadonlySet<number> {
  const orders = talk.flatMap(({ raw }, place) => {
    if (!saysInstead(raw)) return [];
    const before = talk.slice(Math.max(0, place - TAKEN_BACK_WITHIN), place);
    return before.findLast(isDecision)?.candidate.order ?? [];
  });
  return new Set(orders);
}

function isDecision({ said, raw }: Spoken): boolean {
  return statementKind(said) === 'Outcome' && !acknowledges(raw);
}

/** Returns the last decision before one that has a value but no topic, if it has such a value. */
function meantBy(newer: Outcome, standing: readonly Outcome[]): Outcome | undefined {
  if (newer.topic.size > 0 || !newer.settles) return undefined;
  const last = standing.findLast((each) => each.settles && each.topic.size > 0);
  return last !== undefined && hasOtherValue(newer, last) ? last : undefined;
}

/** `Room 12 is free`: the number is part of a name. */
const NUMBERED = /^(?:(?:the|our|der|die|das|el|la) )?\p{L}+ \d+(?= \p{Ll})/giu;

function outcomeOf(
  { candidate: { order }, said, raw }: Spoken,
  stem: (word: string) => string,
): Outcome | null {
  if (statementKind(said) !== 'Outcome') return null;
  const all = valuesIn(said.replace(NUMBERED, ' '));
  const amounts = all.filter(({ kind }) => kind === 'amount');
  const last = amounts.at(-1);
  const values = all.filter((each) => each.kind !== 'amount' || each === last);
  if (values.length === 0) return null;
  // "Room 12 seats 4 people": only the last amount is a value, others say what it is the value of.
  const names = [...(said.match(NUMBERED) ?? []), ...amounts.slice(0, -1).map(({ text }) => text)];
  const stems = contentStems(topicOf(said), stem);
  return {
    order,
    topic: new Set([...stems, ...names.map((name) => name.toLowerCase())]),
    values,
    settles: settles(said),
    changes: changes(said),
    revises: revises(raw),
  };
}

/** Whether the newer one gives every kind of value that the older one gives, and one is another. */
function hasOtherValue(newer: Outcome, older: Outcome): boolean {
  const kinds = [...new Set(older.values.map(({ kind }) => kind))];
  const pairs = kinds.map((kind) => [valuesOf(newer, kind), valuesOf(older, kind)] as const);
  const isSame = ([now, then]: (typeof pairs)[number]): boolean => then.isSubsetOf(now);
  const isOther = ([now, then]: (typeof pairs)[number]): boolean =>
    now.size > 0 && then.isDisjointFrom(now);
  return pairs.some(isOther) && pairs.every((pair) => isSame(pair) || isOther(pair));
}

function valuesOf({ values }: Outcome, kind: NamedValue['kind']): ReadonlySet<string> {
  return new Set(values.filter((each) => each.kind === kind).map(({ text }) => text));
}

function replacedBy(newer: Outcome, others: readonly Outcome[]): readonly Outcome[] {
  if (newer.topic.size === 0 || !(newer.settles || newer.revises)) return [];
  const same = others.filter(
    ({ topic }) => topic.size === newer.topic.size && topic.isSubsetOf(newer.topic),
  );
  if (same.length > 0) return same;
  // "The budget" after "the travel budget" and "the office budget" may be any of the two.
  const wider = others.filter((older) => isWider(newer, older));
  return wider.length === 1 ? wider : [];
}

/** Whether a decision changes what the older one says in more or fewer words. */
function isWider(newer: Outcome, older: Outcome): boolean {
  if (older.topic.size === 0) return false;
  if (newer.topic.isSubsetOf(older.topic)) return newer.changes || (newer.settles && older.settles);
  return newer.settles && older.settles && older.topic.isSubsetOf(newer.topic);
}
