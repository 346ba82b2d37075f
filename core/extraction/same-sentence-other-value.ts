/**
 * Compares the values of two sentences, given as tokens: they may be the same sentence with another
 * number, day or thing in one place, or count other numbers of the same things.
 */
import { monthOf, TIMES_OF_DAY, weekdayOf } from '../text/calendar-words.ts';
import { cardinalOf } from '../text/number-word.ts';
import { oneOf } from '../text/pattern.ts';
import { isContentWord } from '../text/words.ts';
import type { CorrectionBook } from './correction-book.ts';

/** If a longer part differs, the sentences say different things. */
const VALUE_TOKENS_MAX = 6;
const SAME_TOKENS_MIN = 2;

/** What a value is. */
export type Kind = 'number' | 'weekday' | 'month' | 'clock';

/** Without the number of a day: `June 9` replaces no `9 euros`. */
export function kindsOfDay(tokens: readonly string[]): ReadonlySet<Kind> {
  const kinds = kindsIn(tokens);
  return kinds.has('month') ? kinds.difference(new Set<Kind>(['number'])) : kinds;
}

/** Returns the kinds of all values among tokens. */
export function kindsIn(tokens: readonly string[]): ReadonlySet<Kind> {
  return new Set(tokens.flatMap((token, at) => kindsOf(token, tokens[at + 1] ?? '')));
}

/**
 * Returns the kinds of a value; none if the token is no value.
 * @param next the token behind it
 */
export function kindsOf(token: string, next: string): readonly Kind[] {
  if (weekdayOf(token) !== undefined || token === '周') return ['weekday'];
  if (monthOf(token) !== undefined || token === '月') return ['month'];
  if (token === '点' || (/^\d/u.test(token) && /^[ap]m$|^uhr$/u.test(next))) return ['clock'];
  const isNumber =
    cardinalOf(token) !== undefined || /^\d|[两二三四五六七八九十百千万]/u.test(token);
  return isNumber ? ['number'] : [];
}

/** Whether two sentences differ only in a value of one kind, in any order of their words. */
function isRevalued(older: readonly string[], newer: readonly string[]): boolean {
  const before = older.filter((token) => !newer.includes(token));
  const after = newer.filter((token) => !older.includes(token));
  const isSame = older.length - before.length > SAME_TOKENS_MIN;
  if (!isSame || before.length === 0 || after.length === 0) return false;
  const isValue = (token: string): boolean => kindsOf(token, '').length > 0;
  return [...before, ...after].every(isValue) && !kindsIn(before).isDisjointFrom(kindsIn(after));
}

/** A verb of state, behind what a sentence is about. */
const STATE = new RegExp(
  `^${oneOf(`
    is, are, was, were, has, have, ist, sind, war, waren, hat, haben, es, son, está, están, fue,
    era, tiene, tienen
  `)}$`,
  'u',
);

/** Whether both name a thing by number, and another one: `The printer in room 5 is broken`. */
function namesOtherItem(older: readonly string[], newer: readonly string[]): boolean {
  const [before, after] = [itemIn(older), itemIn(newer)];
  return before !== null && after !== null && before !== after;
}

/** Returns the number that names the subject of a sentence, behind a noun and before the verb. */
function itemIn(tokens: readonly string[]): string | null {
  const verb = tokens.findIndex((token) => STATE.test(token));
  const [noun, number] = [tokens[verb - 2] ?? '', tokens[verb - 1] ?? ''];
  const isItem = isContentWord(noun) && kindsOf(noun, '').length === 0 && /^\p{N}/u.test(number);
  return isItem ? number : null;
}

/** Says who counts: the speaker. */
const COUNTER = /^(?:i|we|ich|wir|tengo|tenemos|somos)$/u;

/** Whether the speaker gives another number of the same things: `We have 15 vans and a truck`. */
export function isRecounted(older: readonly string[], newer: readonly string[]): boolean {
  const [before, after] = [countsIn(older), countsIn(newer)];
  const isOther = [...after].some(([thing, count]) => (before.get(thing) ?? count) !== count);
  const isOfSpeaker = newer.some((token) => COUNTER.test(token));
  return isOther && isOfSpeaker && [older, newer].every(hasSomething);
}

const HAVING =
  /^(?:have|has|got|are|haben|habe|hat|sind|tiene|tengo|tenemos|somos|employ|run|own|need)$/u;

function hasSomething(tokens: readonly string[]): boolean {
  return tokens.some((token) => HAVING.test(token));
}

/** Returns the number that stands before each thing, by thing. */
function countsIn(tokens: readonly string[]): ReadonlyMap<string, string> {
  const counted = tokens.flatMap((token, at) => {
    const thing = tokens[at + 1] ?? '';
    const isCounted = kindsOf(token, thing).includes('number') && isContentWord(thing);
    return isCounted && kindsOf(thing, '').length === 0 ? [[thing, token] as const] : [];
  });
  return new Map(counted);
}

/**
 * Whether two sentences differ in one value only, which may be of any kind.
 * @param capitals the words of the newer sentence that have a capital, in lower case
 */
export function isFramed(
  older: readonly string[],
  newer: readonly string[],
  capitals: ReadonlySet<string>,
  book: CorrectionBook,
): boolean {
  if (namesOtherItem(older, newer)) return false;
  if (isRevalued(older, newer)) return true;
  let start = 0;
  while (start < older.length && older[start] === newer[start]) start += 1;
  let same = 0;
  while (
    same < Math.min(older.length, newer.length) - start &&
    older.at(-1 - same) === newer.at(-1 - same)
  ) {
    same += 1;
  }
  const before = older.slice(start, older.length - same);
  const after = newer.slice(start, newer.length - same);
  if (start < SAME_TOKENS_MIN || before.length === 0 || after.length === 0) return false;
  if (Math.max(before.length, after.length) > VALUE_TOKENS_MAX) return false;
  const [kinds, others] = [kindsIn(after), kindsIn(before)];
  if (kinds.size + others.size > 0) return !kinds.isDisjointFrom(others) && isCount(before, after);
  if (AT.test(before[0] ?? '') && !isThing(after, capitals)) return false;
  // `I teach in the afternoon` says nothing of where.
  const isTimed = (tokens: readonly string[]): boolean =>
    tokens.some((token) => TIMES_OF_DAY.has(token));
  if (isTimed(before) !== isTimed(after)) return false;
  return book.slots.has(newer[start - 1] ?? '');
}

export const CAPITALIZED = /\p{Lu}[\p{L}\p{M}]*/gu;
/** A word before a place or a time: `im` before `dritten Stock`. */
const AT = /^(?:i[nm]|a[tnm]|on|auf|um|bei|beim|by|near|en|cerca)$/u;
/** An article, a preposition or an owner, after which a place, a time or a thing follows. */
const BEFORE_THING = new RegExp(
  `^${oneOf(`
    an?, the, my, our, in, at, on, by, near, to, from, with, der, die, das, ein\\p{L}*,
    mein\\p{L}*, unser\\p{L}*, im, am, um, auf, bei, beim, zu, zum, zur, ab, nach, vor, el, la, los,
    las, una?, mi, nuestr[oa], en, a, al, de, del, por, desde, cerca
  `)}$`,
  'u',
);

/** Whether words name a place, a time or a thing: not `gestrichen`, which says how a thing is. */
function isThing(tokens: readonly string[], capitals: ReadonlySet<string>): boolean {
  return tokens.some((token) => BEFORE_THING.test(token) || capitals.has(token));
}

/** Words after which a sentence narrows what it is about: `80 euros rent for the garage`. */
const FOR: ReadonlySet<string> = new Set(['for', 'für', 'para', 'por']);

/**
 * Whether both count one thing: `eight people` and `six`, not `two sisters` and `one brother`, nor
 * `12 euros for Netflix` and `11 euros for Spotify`.
 */
function isCount(before: readonly string[], after: readonly string[]): boolean {
  const [mine, theirs] = [before, after].map(
    (tokens) =>
      new Set(tokens.filter((token) => kindsOf(token, '').length === 0 && isContentWord(token))),
  );
  if (mine === undefined || theirs === undefined) return false;
  const isNarrower = after.some((token) => FOR.has(token) && !before.includes(token));
  return !isNarrower && (mine.size === 0 || theirs.isSubsetOf(mine));
}
