/**
 * Reads the new value of a change, and the old one if it is named: "the launch moves from November
 * 17 to December 1", "tea instead of coffee". Such a sentence ends nothing that already gives the
 * new value.
 */
import { withoutSourceDate } from '../sources/source.ts';
import { monthOf, weekdayOf } from '../text/calendar-words.ts';
import { withDigits, withWeekdays } from '../text/chinese-numerals.ts';
import { HAN } from '../text/language.ts';
import { memoized } from '../text/memoized.ts';
import { cardinalOf } from '../text/number-word.ts';
import { oneOf } from '../text/pattern.ts';
import { prefilter } from '../text/prefilter.ts';
import { isContentWord } from '../text/words.ts';
import { ownSentences } from './statement.ts';

/** A few words up to the end of their clause; `1,350` and `17. November` end none. */
const VALUE = String.raw`(?:[^,.;:!?]|(?<=\d)[,.:](?=\d)|(?<=\d)\.(?=\s\p{L})){1,40}?`;
const END = String.raw`(?=[.!?…]*\s*$|[,;:!?](?!\d)|(?<!\d)\.\s|\s(?:${oneOf(`
  and, but, because, since, so, due to, after, when, now, instead, in, on, for, with, this, next,
  last, from, und, aber, weil, seit, wegen, jetzt, um\\p{L}+, ver\\p{L}+, ge\\p{L}+, erhöht, y,
  pero, porque, desde, ahora, por
`)})(?!\p{L}))`;

/** By language: words of a change, and what stands before the old and before the new value. */
const CHANGED: readonly (readonly [change: string, from: string, to: string])[] = [
  [
    `mov(?:e[sd]?|ing), chang(?:e[sd]?|ing), switch\\p{L}*, (?:goes|gone|went|going|go) (?:up|down),
    ris(?:e[sn]?|ing), rose, rais\\p{L}+, lower\\p{L}*, cut, drop\\p{L}*, fell, increas\\p{L}+,
    reduc\\p{L}+, push\\p{L}*, postpon\\p{L}+, reschedul\\p{L}+, shift\\p{L}*, slip\\p{L}*, brought,
    put, relocat\\p{L}+, migrat\\p{L}+, rebook\\p{L}*, renamed`,
    'from',
    'to(?: (?:the|my|our))?, until, till, onto',
  ],
  [
    `verschieb\\p{L}*, verschoben, verleg\\p{L}*, zieh\\p{L}*, \\p{L}*gezogen, \\p{L}*gestiegen,
    steig\\p{L}*, wechs\\p{L}*, gewechselt, erhöh\\p{L}*, senk\\p{L}*, gesenkt, sink\\p{L}*,
    gesunken, änder\\p{L}*, geändert, umgestellt, umgebucht, rutscht, gerutscht`,
    'von, vom, aus',
    `(?:auf|nach|zu|in)(?: (?:den|die|das|dem|der))?, zum, zur`,
  ],
  [
    `pas(?:a|ó|an|aron|amos|ado), muev\\p{L}+, mov\\p{L}+, cambi\\p{L}+, mud\\p{L}+, sub\\p{L}+,
    baj\\p{L}+, aplaz\\p{L}+, retras\\p{L}+, adelant\\p{L}+, traslad\\p{L}+, migr\\p{L}+`,
    'de, del, desde',
    'a(?: (?:la|los|las))?, al, hasta(?: (?:el|la))?, para(?: (?:el|la))?',
  ],
];
const CHANGED_TO = CHANGED.map(([change, from, to]) => {
  const now = String.raw`${oneOf(to)} (?<now>${VALUE})${END}`;
  const moved = String.raw`(?<!\p{L})${oneOf(change)}(?: \p{L}+){0,2}?`;
  return {
    isChange: new RegExp(String.raw`(?<!\p{L})${oneOf(change)}(?!\p{L})`, 'iu'),
    past: new RegExp(
      String.raw`(?<=${moved} ${oneOf(from)} )${VALUE}(?= ${oneOf(to)} |${END})`,
      'giu',
    ),
    fromTo: new RegExp(String.raw`(?<!\p{L})${oneOf(from)} (?<old>${VALUE}) ${now}`, 'iu'),
    to: new RegExp(String.raw`(?<!\p{L})${now}`, 'iu'),
  };
});
const CHANGED_TO_ZH = new RegExp(
  '(?:[从由自](?<old>[^，。；！？,]{1,12}?))?' +
    '(?:[改换搬挪移迁转调涨加升降减变延]|推迟|提前)[期价]?了?[到成为至去]了?' +
    '(?<now>[^，。；！？,]{1,12}?)(?=[了吧啦]*(?:$|[，。；！？,]))',
  'u',
);
/** Words before an old value. */
const BEFORE_OLD = `
  instead of, rather than, (?:up|down) from, (?:an)?statt, anstelle von, en (?:vez|lugar) de
`;
/** Names the old value only. */
const INSTEAD = new RegExp(String.raw`(?<!\p{L})${oneOf(BEFORE_OLD)} (?<old>${VALUE})${END}`, 'iu');
export const CHANGE_PATTERNS: readonly RegExp[] = [
  INSTEAD,
  ...CHANGED_TO.map(({ isChange }) => isChange),
];
const likelyPatterns = prefilter(CHANGE_PATTERNS);
/** What follows is an earlier value, in a text that gives the present one too. */
const PAST = new RegExp(
  String.raw`(?<=(?<!\p{L})${oneOf(`
    ${BEFORE_OLD}, originally, previously, formerly, initially, no longer, ursprünglich, früher,
    vorher, bisher, zuvor, nicht mehr, antes, originalmente, inicialmente, en un principio, ya no
  `)} (?:\p{L}+ (?:on|in|at|for|with|auf|für|mit|en|con|para|el) )?)${VALUE}${END}`,
  'giu',
);
const PAST_ZH =
  /(?<=原定|原来|原本|本来|原先|之前|以前|不再|[从由自])[^，。；！？,]{1,12}?(?=[改换搬挪移迁转调推提，。；！？,]|$)/gu;
const NEGATED = /(?<!\p{L})(?:not|never|\p{L}+n['’]t|nicht|kein\p{L}*|no|nunca)(?!\p{L})|[不没]/iu;
type Kind = 'number' | 'weekday' | 'month' | 'name' | 'word';

/** Comparable words, each with what it may be. */
type Words = ReadonlyMap<string, Kind>;

interface Change {
  readonly old: Words;
  /** Null if the sentence does not mark it. */
  readonly now: Words | null;
}

const READ_LAST = { entriesMax: 4_096, unitsMax: 1_024 };

/** Returns a text without its sentences whose new value an older text already gives. */
export function withoutKnownChanges(text: string, older: string): string {
  const known = changesIn(text).filter((each) => givesNewValue(older, each));
  if (known.length === 0) return text;
  return ownSentences(text)
    .filter((each) => !known.includes(each))
    .join(' ');
}

/** Returns the sentences of a text that say to what something changes. */
const changesIn = memoized((text): readonly string[] => {
  const mayBe = HAN.test(text)
    ? CHANGED_TO_ZH.test(text)
    : [...likelyPatterns(text)].some((pattern) => pattern.test(text));
  return mayBe ? ownSentences(text).filter((each) => changeIn(each) !== null) : [];
}, READ_LAST);

/** Whether an older text gives the value to which a sentence says something changes. */
export function givesNewValue(older: string, sentence: string): boolean {
  const change = changeIn(sentence);
  if (change === null) return false;
  const { old, now } = change;
  const [known, said] = [wordsIn(withoutPastValues(older)), wordsIn(sentence)];
  if (includesAll(known, old)) return false;
  // What follows the old value may be the new one: `statt Postgres SQLite`.
  if (now === null)
    return ![...old.keys()].some((word) => known.has(word)) && includesAll(said, known);
  if (old.size > 0 || !includesAll(known, now)) return includesAll(known, now);
  // Another value of the kind may be the old one: `in Lyon, an hour from Porto`.
  const kinds = new Set<Kind>([...now.values()].filter((kind) => kind !== 'word'));
  const isOther = ([word, kind]: readonly [string, Kind]): boolean =>
    kinds.has(kind) && !said.has(word);
  return kinds.size > 0 && ![...known].some(isOther);
}

/** Returns a text without the earlier values that it names: `It was moved from November 17.` */
const withoutPastValues = memoized((text): string => {
  const bare = withoutSourceDate(text);
  if (HAN.test(bare)) return bare.replace(PAST_ZH, '');
  const patterns = [PAST, ...CHANGED_TO.map(({ past }) => past)];
  return patterns.reduce((rest, past) => rest.replace(past, ''), bare);
}, READ_LAST);

const changeIn = memoized((sentence): Change | null => {
  const match = HAN.test(sentence) ? CHANGED_TO_ZH.exec(sentence) : changedTo(sentence);
  if (match === null || NEGATED.test(sentence.slice(0, match.index))) return null;
  const { old: left = '', now: said = null } = match.groups ?? {};
  const now = said === null ? null : wordsIn(said);
  return { old: new Map([...wordsIn(left)].filter(([word]) => now?.has(word) !== true)), now };
}, READ_LAST);

function changedTo(sentence: string): RegExpExecArray | null {
  const told = CHANGED_TO.filter(({ isChange }) => isChange.test(sentence));
  const both = told.map(({ fromTo }) => fromTo.exec(sentence));
  const one = told.map(({ to }) => to.exec(sentence));
  return (
    both.find((each) => each !== null) ??
    INSTEAD.exec(sentence) ??
    one.find((each) => isValue(each?.groups?.['now'] ?? '')) ??
    null
  );
}

/** Whether a text begins with a value, unlike `use Redis` in `the plan to use Redis`. */
function isValue(text: string): boolean {
  const [first] = wordsIn(text.replace(/\s.*/u, '')).values();
  return first !== undefined && first !== 'word';
}

function includesAll(many: Words, few: Words): boolean {
  return few.size > 0 && [...few.keys()].every((word) => many.has(word));
}

const WORD = new RegExp(
  String.raw`(?<number>\d+(?:[.,:]\d+)*)(?:(?<month>月)|st\b|nd\b|rd\b|th\b)?|` +
    String.raw`\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{M}])+`,
  'gu',
);
const ISO_DAY = /(?<!\d)\d{4}-(?<month>\d\d)-(?<day>\d\d)(?!\d)/gu;
/** Chinese words of a date, of which the numbers tell enough. */
const HAN_DATE = /^[日号年]$/u;

const wordsIn = memoized((text): Words => {
  const written = withDigits(withWeekdays(text)).replace(ISO_DAY, ' $<month>月$<day> ');
  return new Map(
    [...written.matchAll(WORD)].flatMap(({ 0: word, groups }) => {
      const { number, month } = groups ?? {};
      const [key, kind] =
        number === undefined ? wordOf(word) : [numberOf(number), 'number' as const];
      if (month !== undefined) return [[`${key}月`, 'month'] as const];
      return kind === 'number' || isContentWord(key) ? [[key, kind] as const] : [];
    }),
  );
}, READ_LAST);

function wordOf(word: string): readonly [string, Kind] {
  const lower = word.toLowerCase();
  const [month, weekday, number] = [monthOf(lower), weekdayOf(lower), cardinalOf(lower)];
  if (month !== undefined) return [`${String(month)}月`, 'month'];
  if (weekday !== undefined) return [`周${String(weekday)}`, 'weekday'];
  // `Ein`, `un` and `one` are mostly no numbers.
  if (number !== undefined && number > 1) return [String(number), 'number'];
  return [HAN_DATE.test(word) ? '' : lower, lower === word ? 'word' : 'name'];
}

/** Returns a number without the marks of its thousands and without full hours: `1,350`, `9:00`. */
function numberOf(said: string): string {
  return said.replace(/[.,](?=\d{3}(?!\d))/gu, '').replace(/[:.]00$|^0+(?=\d)/gu, '');
}
