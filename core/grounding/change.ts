/** Changes: what went from one value to another, and whether a fact turns one round. */
import { isSameDay } from './day.ts';
import { dayAt, type ReadDay } from './day-reader.ts';
import { quantityAt, type Quantity } from './quantity.ts';
import { readOnce } from './read-once.ts';
import { stemOf } from './stem.ts';
import { timeAt, type ReadTime } from './time-of-day.ts';
import { lowerAt, type Token } from './token.ts';

type Value =
  | { readonly kind: 'Day'; readonly read: ReadDay }
  | { readonly kind: 'Time'; readonly read: ReadTime }
  | { readonly kind: 'Quantity'; readonly read: Quantity }
  | { readonly kind: 'Word'; readonly read: { readonly stem: string; readonly length: 1 } };

interface Change {
  readonly before: Value;
  readonly after: Value;
}

/** A text in tokens, beside the time that its relative days count from. */
export interface TimedTokens {
  readonly tokens: readonly Token[];
  readonly at: number;
}

/** How many words may stand between `from` or `to` and its value. */
const LEAD_TOKENS_MAX = 2;
/** How far behind the first value the second may stand. */
const GAP_TOKENS_MAX = 4;
const CHANGING = new Set(
  (
    'move change reschedule postpone shift push rename went go drop rise grow fall raise ' +
    'increase decrease reduce lower cut improve jump climb delay bump switch upgrade migrate ' +
    'correct'
  )
    .split(' ')
    .map((word) => stemOf(word)),
);
/** A fact with one of these may name what was before. */
const PAST = new Set(
  (
    'was were had from originally initially previously formerly first old earlier former until ' +
    'before instead not no used than rather since'
  ).split(' '),
);

/** A fact says that something went from where its source says that it went to. */
export function isTurnedRound(fact: TimedTokens, sources: readonly TimedTokens[]): boolean {
  const told = sources.flatMap((each) =>
    changesOf(each.tokens).map((change) => ({ change, each })),
  );
  return changesOf(fact.tokens).some(({ before, after }) => {
    const same = (value: Value, { change, each }: (typeof told)[number], side: keyof Change) =>
      isSame(value, change[side], each.at);
    return (
      told.some((each) => same(before, each, 'after') && same(after, each, 'before')) &&
      !told.some((each) => same(before, each, 'before') && same(after, each, 'after'))
    );
  });
}

/** A fact names as it stands now what its sources have only as what was before a change. */
export function isOutdated(fact: TimedTokens, sources: readonly TimedTokens[]): boolean {
  if (fact.tokens.some(({ lower }) => PAST.has(lower) || lower.endsWith("n't"))) return false;
  const own = valuesOf(fact.tokens);
  return sources.some(({ tokens, at }) => {
    const changes = changesOf(tokens);
    if (changes.length === 0 || !isChanging(tokens)) return false;
    return changes.some(({ before, after }) => {
      const told = valuesOf(tokens).filter((each) => isSame(before, each, at)).length;
      return (
        told === 1 &&
        own.some((value) => isSame(value, before, at)) &&
        !own.some((value) => isSame(value, after, at))
      );
    });
  });
}

const isChanging = readOnce((tokens: readonly Token[]) =>
  tokens.some(({ lower }) => CHANGING.has(stemOf(lower))),
);

const changesOf = readOnce((tokens: readonly Token[]): readonly Change[] => {
  return tokens.flatMap(({ lower }, index) => {
    const isArrow = isArrowAt(tokens, index);
    if (lower !== 'from' && !isArrow) return [];
    const before = isArrow ? endingAt(tokens, index) : valueAfter(tokens, index + 1);
    if (before === null) return [];
    const to = isArrow ? index : linkAfter(tokens, before.end);
    if (to === null) return [];
    const next = to + (lower === '-' ? 2 : 1);
    const after = before.value.kind === 'Word' ? wordAt(tokens, next) : valueAfter(tokens, next);
    return after === null ? [] : [{ before: before.value, after: after.value }];
  });
});

/** Where the `to` of `from … to` stands. */
function linkAfter(tokens: readonly Token[], start: number): number | null {
  for (let at = start; at <= start + GAP_TOKENS_MAX; at += 1) {
    if (lowerAt(tokens, at) === 'to') return at;
  }
  return null;
}

function isArrowAt(tokens: readonly Token[], index: number): boolean {
  const text = lowerAt(tokens, index);
  return text === '→' || (text === '-' && lowerAt(tokens, index + 1) === '>');
}

interface Placed {
  readonly value: Value;
  readonly end: number;
}

function valueAfter(tokens: readonly Token[], start: number): Placed | null {
  for (let at = start; at <= start + LEAD_TOKENS_MAX; at += 1) {
    const value = valueAt(tokens, at);
    if (value !== null) return { value, end: at + Math.max(1, value.read.length) };
    if (lowerAt(tokens, at) === 'to') break;
  }
  return wordAt(tokens, start);
}

/** A thing, without its article. */
function wordAt(tokens: readonly Token[], start: number): Placed | null {
  const first = /^(?:the|a|an|my|our)$/u.test(lowerAt(tokens, start)) ? start + 1 : start;
  if (tokens[first]?.kind !== 'Word') return null;
  const read = { stem: stemOf(lowerAt(tokens, first)), length: 1 as const };
  return { value: { kind: 'Word', read }, end: first + 1 };
}

/** What stands in front of an arrow. */
function endingAt(tokens: readonly Token[], end: number): Placed | null {
  for (let at = Math.max(0, end - GAP_TOKENS_MAX); at < end; at += 1) {
    const value = valueAt(tokens, at);
    if (value !== null && at + value.read.length === end) return { value, end };
  }
  return null;
}

function valueAt(tokens: readonly Token[], index: number): Value | null {
  const day = dayAt(tokens, index);
  if (day !== null && day.length > 0) return { kind: 'Day', read: day };
  const time = timeAt(tokens, index);
  if (time !== null) return { kind: 'Time', read: time };
  const read = quantityAt(tokens, index);
  return read === null ? null : { kind: 'Quantity', read };
}

const valuesOf = readOnce((tokens: readonly Token[]): readonly Value[] => {
  const values: Value[] = [];
  for (let index = 0; index < tokens.length;) {
    const value = valueAt(tokens, index);
    if (value !== null) values.push(value);
    index += Math.max(1, value?.read.length ?? 0);
  }
  return values;
});

function isSame(one: Value, other: Value, at: number): boolean {
  if (one.kind === 'Day' && other.kind === 'Day') {
    return one.read.days.some((day) => other.read.days.some((each) => isSameDay(day, each, at)));
  }
  if (one.kind === 'Time' && other.kind === 'Time') {
    return one.read.minutes.some((minute) => other.read.minutes.includes(minute));
  }
  if (one.kind === 'Word' && other.kind === 'Word') return one.read.stem === other.read.stem;
  if (one.kind !== 'Quantity' || other.kind !== 'Quantity') return false;
  return one.read.values.some((value) => other.read.values.includes(value));
}
