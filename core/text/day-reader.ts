/** Finds the days that a text names: dates in words and digits, weekdays, relative days. */
import { DIRECTIONS, isDoubtfulDay, monthOf, SPANS, weekdayOf } from './calendar-words.ts';
import type { NamedDate, NamedDay } from './day.ts';
import { cardinalOf, ordinalOf } from './number-word.ts';
import { lowerAt, type Token } from './words-and-marks.ts';
import { byWord, numberByWord } from './word-lists.ts';

export interface ReadDay {
  /** Several if the text is ambiguous, as `3/4/2026` is. */
  readonly days: readonly NamedDay[];
  /** Number of its tokens. */
  readonly length: number;
  /** Whether it may be no day at all (`may`): it can support a fact, but not refute one. */
  readonly doubtful: boolean;
}

type Reader = (tokens: readonly Token[], index: number) => ReadDay | null;

const READERS: readonly Reader[] = [
  isoDate,
  dottedDate,
  slashedDate,
  unspacedDate,
  dayThenMonth,
  monthThenDay,
  relativeDay,
  directedDay,
  daysAway,
  weekday,
];

/** Returns the day that begins at a token, or null. */
export function dayAt(tokens: readonly Token[], index: number): ReadDay | null {
  for (const reader of READERS) {
    const read = reader(tokens, index);
    if (read !== null) return read;
  }
  return null;
}

function date(year: number, month: number, day: number): NamedDate | null {
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  return { kind: 'Date', year: year < 100 ? year + 2000 : year, month, day };
}

function dateIn(month: number, day: number, year: number | undefined): NamedDate {
  return { kind: 'Date', month, day, ...(year === undefined ? {} : { year }) };
}

function sure(days: readonly (NamedDay | null)[], length: number): ReadDay | null {
  const known = days.filter((day) => day !== null);
  return known.length === 0 ? null : { days: known, length, doubtful: false };
}

function digits(token: Token | undefined, pattern = /^\d{1,2}$/u): number {
  return token !== undefined && pattern.test(token.text) ? Number(token.text) : Number.NaN;
}

const YEAR = /^(?:19|20|21)\d\d$/u;

function isoDate(tokens: readonly Token[], index: number): ReadDay | null {
  const year = digits(tokens[index], YEAR);
  const mark = tokens[index + 1];
  if (Number.isNaN(year) || (mark?.text !== '-' && mark?.text !== '/') || !mark.glued) return null;
  const month = digits(tokens[index + 2], /^\d\d$/u);
  if (Number.isNaN(month) || tokens[index + 2]?.glued !== true || month > 12) return null;
  if (lowerAt(tokens, index + 3) === mark.text) {
    const day = digits(tokens[index + 4]);
    return Number.isNaN(day) ? null : sure([date(year, month, day)], 5);
  }
  return mark.text === '-' ? sure([{ kind: 'Date', year, month }], 3) : null;
}

function dottedDate(tokens: readonly Token[], index: number): ReadDay | null {
  const text = tokens[index]?.text ?? '';
  const whole = /^(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})$/u.exec(text);
  if (whole !== null) return sure([date(Number(whole[3]), Number(whole[2]), Number(whole[1]))], 1);
  const turned = /^(\d{4})\.(\d{2})\.(\d{2})$/u.exec(text);
  if (turned === null) return null;
  return sure([date(Number(turned[1]), Number(turned[2]), Number(turned[3]))], 1);
}

function slashedDate(tokens: readonly Token[], index: number): ReadDay | null {
  const [one, first, two, second, three] = tokens.slice(index, index + 5);
  if (first?.text !== '/' || second?.text !== '/' || !first.glued || !second.glued) return null;
  const parts = [digits(one), digits(two), digits(three, /^(?:\d{4}|\d{2})$/u)] as const;
  if (parts.some((part) => Number.isNaN(part))) return null;
  return sure([date(parts[2], parts[0], parts[1]), date(parts[2], parts[1], parts[0])], 5);
}

/** Reads `2026年3月3日` and `3月3日`. */
function unspacedDate(tokens: readonly Token[], index: number): ReadDay | null {
  const marks = [1, 3, 5].map((offset) => lowerAt(tokens, index + offset)[0] ?? '');
  const first = digits(tokens[index], /^\d{1,4}$/u);
  const second = digits(tokens[index + 2]);
  const third = digits(tokens[index + 4]);
  if (Number.isNaN(first)) return null;
  if (/[年년]/u.test(marks[0] ?? '')) {
    if (!/[月월]/u.test(marks[1] ?? '')) return sure([{ kind: 'Date', year: first }], 1);
    const { kind, year, month } = { kind: 'Date' as const, year: first, month: second };
    if (!/[日일]/u.test(marks[2] ?? ''))
      return sure([{ kind, year, month }], 3 + lone(tokens, index + 3));
    return sure([date(year, month, third)], 5 + lone(tokens, index + 5));
  }
  if (!/[月월]/u.test(marks[0] ?? '') || first > 12) return null;
  if (!/[日일]/u.test(marks[1] ?? '')) {
    const isWhole = Number.isNaN(second);
    return isWhole ? sure([{ kind: 'Date', month: first }], 1 + lone(tokens, index + 1)) : null;
  }
  return sure([{ kind: 'Date', month: first, day: second }], 3 + lone(tokens, index + 3));
}

/** Returns 1 if a mark is a token of its own, and 0 if it begins a word. */
function lone(tokens: readonly Token[], index: number): number {
  return lowerAt(tokens, index).length === 1 ? 1 : 0;
}

interface DayOfMonth {
  readonly day: number;
  readonly length: number;
  readonly ordinal: boolean;
}

/** Reads `3`, `3rd`, `3.`, `third`, `twenty-first`. */
function dayOfMonth(tokens: readonly Token[], index: number): DayOfMonth | null {
  const token = tokens[index];
  if (token === undefined) return null;
  const day = digits(token);
  if (day >= 1 && day <= 31) {
    const next = tokens[index + 1];
    const suffix = next?.glued === true && /^(?:st|nd|rd|th|\.|er|º)$/u.test(next.lower);
    return { day, length: suffix ? 2 : 1, ordinal: suffix && next.lower !== '.' };
  }
  const tens = cardinalOf(token.lower);
  const dash = lowerAt(tokens, index + 1) === '-' ? 2 : 1;
  const ones = ordinalOf(lowerAt(tokens, index + dash));
  if ((tens === 20 || tens === 30) && ones !== undefined && ones < 10) {
    return { day: tens + ones, length: dash + 1, ordinal: true };
  }
  const word = ordinalOf(token.lower);
  return word !== undefined && word >= 1 && word <= 31
    ? { day: word, length: 1, ordinal: true }
    : null;
}

/** Reads a year after a month, with an optional comma or `of` between. */
function yearAfter(tokens: readonly Token[], index: number): { year?: number; length: number } {
  const skipped = /^(?:,|of|de|del)$/u.test(lowerAt(tokens, index)) ? 1 : 0;
  const year = digits(tokens[index + skipped], YEAR);
  return Number.isNaN(year) ? { length: 0 } : { year, length: skipped + 1 };
}

function dayThenMonth(tokens: readonly Token[], index: number): ReadDay | null {
  const day = dayOfMonth(tokens, index);
  if (day === null) return null;
  let next = index + day.length;
  if (/^(?:of|de)$/u.test(lowerAt(tokens, next))) next += 1;
  const month = monthOf(lowerAt(tokens, next));
  if (month === undefined) return null;
  const named = lowerAt(tokens, next + 1) === '.' && tokens[next + 1]?.glued === true ? 1 : 0;
  const year = yearAfter(tokens, next + 1 + named);
  const length = next + 1 + (year.length === 0 ? 0 : named + year.length) - index;
  return sure([dateIn(month, day.day, year.year)], length);
}

function monthThenDay(tokens: readonly Token[], index: number): ReadDay | null {
  const token = tokens[index];
  const month = token === undefined ? undefined : monthOf(token.lower);
  if (token === undefined || month === undefined) return null;
  let next = index + 1;
  if (lowerAt(tokens, next) === '.' && tokens[next]?.glued === true && token.text.length < 5)
    next += 1;
  const straight = yearAfter(tokens, next);
  if (straight.year !== undefined) {
    return sure([{ kind: 'Date', month, year: straight.year }], next + straight.length - index);
  }
  const article = lowerAt(tokens, next) === 'the' ? 1 : 0;
  const day = dayOfMonth(tokens, next + article);
  // A capital makes it a certain date; `may 3` without one stays doubtful.
  if (day !== null && /^\p{Lu}/u.test(token.text)) {
    next += article + day.length;
    const year = yearAfter(tokens, next);
    return sure([dateIn(month, day.day, year.year)], next + year.length - index);
  }
  const led = /^(?:in|of|by|until|till|since|from|next|last|this|early|late|mid|during|im|ab)$/u;
  const clear = /^\p{Lu}/u.test(token.text) && led.test(lowerAt(tokens, index - 1));
  const isLed = token.text.length >= MONTH_CHARS_MIN && LED_BARE.test(lowerAt(tokens, index - 1));
  const isWord = isDoubtfulDay(token.lower) || !/^\p{Lu}/u.test(token.text);
  return { days: [{ kind: 'Date', month }], length: 1, doubtful: isWord && !clear && !isLed };
}

/** Words before Spanish months, which have no capital; the short ones are also other words. */
const LED_BARE = /^(?:en|desde|hasta|de|para|durante)$/u;
const MONTH_CHARS_MIN = 4;

const RELATIVE = numberByWord({
  0: 'today, tonight, heute, hoy, 今日, 今天, 今晚',
  1: 'tomorrow, demain, 明日, 明天, mañana, morgen',
  '-1': 'yesterday, gestern, ayer, hier, 昨日, 昨天, 昨晚, anoche',
  '-2': 'vorgestern, 前天, anteayer',
  2: 'übermorgen, 后天',
});
/** English words for days; those of other languages are too often other words to be certain. */
const SURE_RELATIVE = new Set(['today', 'tonight', 'tomorrow', 'yesterday']);

function relativeDay(tokens: readonly Token[], index: number): ReadDay | null {
  const word = lowerAt(tokens, index).replace(/'s$/u, '');
  const count = RELATIVE.get(word);
  if (count !== undefined) {
    return {
      days: [{ kind: 'Offset', unit: 'day', count }],
      length: 1,
      doubtful: !SURE_RELATIVE.has(word),
    };
  }
  if (word === 'pasado' && lowerAt(tokens, index + 1) === 'mañana') {
    return { days: [{ kind: 'Offset', unit: 'day', count: 2 }], length: 2, doubtful: true };
  }
  if (word !== 'the' || lowerAt(tokens, index + 1) !== 'day') return null;
  const side = lowerAt(tokens, index + 2);
  const day = lowerAt(tokens, index + 3);
  if (side === 'after' && day === 'tomorrow')
    return sure([{ kind: 'Offset', unit: 'day', count: 2 }], 4);
  if (side === 'before' && day === 'yesterday')
    return sure([{ kind: 'Offset', unit: 'day', count: -2 }], 4);
  return null;
}

/** Directions that count from the time of a story, not of the text. */
const STORY = new Set(['following', 'previous', 'past']);

/** Reads `next week`, `last Friday`, `this morning`. */
function directedDay(tokens: readonly Token[], index: number): ReadDay | null {
  const word = lowerAt(tokens, index);
  const direction = DIRECTIONS.get(word);
  if (direction === undefined) return null;
  const next = lowerAt(tokens, index + 1).replace(/'s$/u, '');
  const doubtful = STORY.has(word);
  const day = weekdayOf(next);
  if (day !== undefined) {
    return { days: [{ kind: 'Weekday', weekday: day, direction }], length: 2, doubtful };
  }
  const unit = SPANS.get(next);
  if (unit === undefined) return null;
  return { days: [{ kind: 'Offset', unit, count: direction }], length: 2, doubtful };
}

const AWAY_UNITS = byWord({
  day: 'day, days, tag, tage, tagen, día, días, 天, 日',
  week: 'week, weeks, woche, wochen, semana, semanas, 周, 星期, 个星期',
  month: 'month, months, monat, monate, monaten, mes, meses, 月, 个月',
  year: 'year, years, jahr, jahre, jahren, año, años, 年',
});

/** Words before an amount such as `two weeks`, for the future and for the past. */
const AHEAD = /^(?:in|en|dentro de|heute in|nach)$/u;
const BACK_LED = /^(?:vor|hace)$/u;

/** Reads `in three days`, `two weeks ago`: doubtful, as the amount is also judged as a number. */
function daysAway(tokens: readonly Token[], index: number): ReadDay | null {
  const first = lowerAt(tokens, index);
  const isAhead = AHEAD.test(first) || (first === 'dentro' && lowerAt(tokens, index + 1) === 'de');
  const isBack = BACK_LED.test(first);
  let at = index + (isAhead || isBack ? (first === 'dentro' ? 2 : 1) : 0);
  if (/^(?:exactly|about|genau|exactamente)$/u.test(lowerAt(tokens, at))) at += 1;
  const word = lowerAt(tokens, at);
  const count = /^\d{1,3}$/u.test(word)
    ? Number(word)
    : /^(?:an?|eine[rmn]?|una?)$/u.test(word)
      ? 1
      : (cardinalOf(word) ?? 0);
  const unit = lowerAt(tokens, at + 1);
  const known = AWAY_UNITS.get(unit);
  if (count === 0 || known === undefined) return null;
  const behind = lowerAt(tokens, at + 2);
  const from = behind === 'from' ? lowerAt(tokens, at + 3) : '';
  const days = { day: 1, week: 7, month: 30, year: 365 }[known];
  if (from === 'tomorrow' || from === 'today' || from === 'now') {
    const ahead = count * days + (from === 'tomorrow' ? 1 : 0);
    return { days: [{ kind: 'Offset', unit: 'day', count: ahead }], length: 0, doubtful: true };
  }
  const isPast = isBack || /^(?:ago|以?前|之前)$/u.test(behind);
  const isDuration = /^(?:has|have|had|been|for|seit|desde)$/u.test(lowerAt(tokens, index - 1));
  if (!isAhead && !isPast && !/^(?:以?后|之后)$/u.test(behind) && !isDuration) return null;
  const signs = isDuration ? [-1, 1] : [isPast ? -1 : 1];
  const named = signs.flatMap((sign): NamedDay[] => [
    { kind: 'Offset', unit: known, count: sign * count },
    { kind: 'Offset', unit: 'day', count: sign * count * days },
  ]);
  return { days: named, length: 0, doubtful: true };
}

function weekday(tokens: readonly Token[], index: number): ReadDay | null {
  const token = tokens[index];
  const word = token?.lower.replace(/'s$/u, '') ?? '';
  const day = weekdayOf(word);
  if (token === undefined || day === undefined) return null;
  const doubtful = isDoubtfulDay(word) || !/^\p{Lu}/u.test(token.text);
  return { days: [{ kind: 'Weekday', weekday: day, direction: 0 }], length: 1, doubtful };
}
