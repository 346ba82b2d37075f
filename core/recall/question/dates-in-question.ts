/**
 * Finds the time that a question asks about: "on May 4th", "last week", "im Juni", "el martes
 * pasado", "上周". People mention an event on its day or in the days after, so windows extend past
 * the day.
 */
import { DAY_MS } from '../../duration.ts';
import { ANY_MONTH, SHORT_MONTH, monthOf } from '../../text/calendar-words.ts';
import { withDigits } from '../../text/chinese-numerals.ts';
import { COUNTED_AGO, DATED_WEEKDAYS, relativeWindows } from './relative-times.ts';
import { weightedWindows, type Reading, type TimeWindow } from './time-window.ts';

/** Maximum windows; a question names few times, and the rest is ignored. */
const WINDOWS_MAX = 16;

const MONTH = `(?:${ANY_MONTH}|${SHORT_MONTH})`;
const ISO_DAY = /(\d{4})-(\d{2})-(\d{2})/gu;
const DAY_MONTH = new RegExp(
  `\\b(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s?(?:of |de )?(${MONTH})\\b\\.?(?:,? (?:de )?(\\d{4}))?`,
  'giu',
);
const MONTH_DAY = new RegExp(
  `\\b(${MONTH})\\.? (?:the )?(\\d{1,2})(?:st|nd|rd|th)?\\b(?!\\d)(?:,? (\\d{4}))?`,
  'giu',
);
const HAN_DATE = new RegExp(
  '(?:(\\d{4})年)?(\\d{1,2}|[一二三四五六七八九十]{1,2})月' +
    '(?:(\\d{1,2}|[一二三四五六七八九十]{1,3})[日号]|' +
    '(初|上旬)|(中旬?(?![国午间文秋学餐]))|([底末]|下旬))?',
  'gu',
);
const PART_OF_MONTH = new RegExp(
  '\\b(?:(early|anfang|(?:beginning|start) of|(?:principios|comienzos|inicios) de)|' +
    '(mid|mitte|middle of|mediados de)|(late|ende|end of|fin(?:al)?es de))' +
    `[- ](${MONTH})\\b`,
  'giu',
);
/** Days of the month on which its parts end. */
const EARLY_UNTIL = 10;
const MIDDLE_UNTIL = 20;
const WHOLE_MONTH = new RegExp(
  `\\b(?:in|during|of|since|last|this|im|seit|letzten|en|de|desde|durante)[- ](${MONTH})\\b`,
  'giu',
);
/** Nouns with a number that is no day of a month: "am 17. Geburtstag". */
const NOT_OF_MONTH_DE =
  'geburtstag|hochzeitstag|jahrestag|stock|platz|tag|mal|versuch|rang|kapitel|woche|monat|loch';
/** A day without its month: "on the 17th", "am 17.", "el día 17", "17号". */
const DAY_ALONE = new RegExp(
  String.raw`\b(?:on |by |since |until |till |from |before |after )?the ` +
    String.raw`(\d{1,2})(?:st|nd|rd|th)\b` +
    String.raw`(?! (?:floor|street|avenue|time|birthday|anniversary|century|place|grade|` +
    String.raw`edition))|` +
    String.raw`\b(?:am|vom|zum|bis zum|seit dem|ab dem) (\d{1,2})\.` +
    String.raw`(?!\d| (?:${NOT_OF_MONTH_DE}))|` +
    String.raw`\b(?:el|del|al) (?:día )?(\d{1,2})(?![\d.,:]|\s*(?:%|\p{L}))|` +
    String.raw`\bel día (\d{1,2})(?!\d)|` +
    String.raw`(?<![\d月])(\d{1,2}|[一二三四五六七八九十]{1,3})[号日](?!线|楼|门|馆|店|房|常|子|期)`,
  'giu',
);
/** Words of what is to come: such a question means the next day of its number. */
const TO_COME = new RegExp(
  String.raw`\b(?:will|going to|shall|upcoming|next|coming|(?:do|does) (?:i|we|he|she|they) have|` +
    String.raw`(?:am|are|is) (?:i|we|you|he|she|they|\p{L}+) \p{L}+ing|wird|werden?|steht|` +
    String.raw`kommende[nrms]?|(?:habe ich|haben wir)(?=.* (?:vor|termine?)(?!\p{L}))|` +
    String.raw`muss|müssen|voy a|vamos a|va a|tengo|tenemos|próxim[oa]|que viene)(?!\p{L})|` +
    '[将要]|会(?![议面])|打算|安排',
  'iu',
);
/** Seasons of the northern hemisphere, by their first month. */
const SEASONS: readonly (readonly [pattern: RegExp, month: number])[] = [
  [/\b(?:this|last|in|over|the) spring\b|\bfrüh(?:jahr|ling)\b|\bprimavera\b|春天/iu, 2],
  [/\b(?:this|last|in|over) (?:the )?summer\b|\bsommer\b|\bverano\b|夏天/iu, 5],
  [/\b(?:this|last|in|over) (?:the )?(?:autumn|fall)\b|\bherbst\b|\boto[ñn]o\b|秋天/iu, 8],
  [/\b(?:this|last|in|over) (?:the )?winter\b|\binvierno\b|冬天/iu, 11],
];
const SEASON_DAYS = 105;

/**
 * Returns the windows of a question.
 * @param at the asker's local time of the question; a day without a year means the latest such day
 */
export function questionWindows(question: string, at: number): readonly TimeWindow[] {
  const text = question.normalize('NFC');
  const windows = [
    ...namedWindows(text, at),
    ...relativeWindows(text, at),
    ...SEASONS.flatMap(([pattern, month]) => (pattern.test(text) ? [season(month, at)] : [])),
  ];
  return windows.slice(0, WINDOWS_MAX);
}

/** Returns the windows of named times. Later patterns skip text that an earlier one matched. */
function namedWindows(text: string, at: number): readonly TimeWindow[] {
  const day = (year: string | undefined, month: number, date: string | undefined) =>
    aroundDay(momentOf({ year, month, day: Number(withDigits(date ?? '1')) }, at));
  const month = (year: string | undefined, number: number, parts: readonly unknown[] = []) =>
    aroundMonth(momentOf({ year, month: number, day: 1 }, at), parts.findIndex(Boolean));
  const readings: readonly Reading[] = [
    { pattern: ISO_DAY, windows: ([, year, number, date]) => day(year, Number(number) - 1, date) },
    {
      pattern: DAY_MONTH,
      windows: ([, date, name, year]) => day(year, monthNumber(name), date),
    },
    {
      pattern: MONTH_DAY,
      windows: ([, name, date, year]) => day(year, monthNumber(name), date),
    },
    {
      pattern: HAN_DATE,
      windows: ([, year, number = '', date, ...parts]) =>
        date === undefined
          ? month(year, Number(withDigits(number)) - 1, parts)
          : day(year, Number(withDigits(number)) - 1, date),
    },
    ...DATED_WEEKDAYS,
    {
      pattern: PART_OF_MONTH,
      windows: ([, early, middle, late, name]) =>
        month(undefined, monthNumber(name), [early, middle, late]),
    },
    { pattern: WHOLE_MONTH, windows: ([, name]) => month(undefined, monthNumber(name)) },
    { pattern: DAY_ALONE, windows: ([, ...dates]) => dayAlone(dates.find(Boolean), text, at) },
    COUNTED_AGO,
  ];
  const taken: { from: number; to: number }[] = [];
  const windows: TimeWindow[] = [];
  for (const { pattern, windows: read } of readings) {
    for (const match of text.matchAll(pattern)) {
      const { index } = match;
      const end = index + match[0].length;
      if (taken.some(({ from, to }) => index < to && end > from)) continue;
      taken.push({ from: index, to: end });
      windows.push(...read(match, at));
    }
  }
  return windows;
}

function monthNumber(name = ''): number {
  return (monthOf(name.toLowerCase()) ?? 0) - 1;
}

function momentOf(
  { year, month, day }: { year: string | undefined; month: number; day: number },
  at: number,
): number {
  const asked = new Date(at).getUTCFullYear();
  const moment = Date.UTC(year === undefined ? asked : Number(year), month, day);
  return year === undefined && moment > at ? Date.UTC(asked - 1, month, day) : moment;
}

/** Returns the latest such day up to the question, or the next one if it asks of what comes. */
function dayAlone(date = '', question: string, at: number): readonly TimeWindow[] {
  const day = Number(withDigits(date));
  const asked = new Date(at);
  const step = TO_COME.test(question) ? 1 : -1;
  for (let months = 0; months <= 2; months += 1) {
    const month = asked.getUTCMonth() + months * step;
    const moment = Date.UTC(asked.getUTCFullYear(), month, day);
    const isThere = day > 0 && new Date(moment).getUTCDate() === day;
    const isOnSide = step < 0 ? moment <= at : moment + DAY_MS > at;
    if (isThere && isOnSide) return aroundDay(moment);
  }
  return [];
}

function aroundDay(moment: number): readonly TimeWindow[] {
  return weightedWindows({ from: moment, to: moment + DAY_MS }, moment + 15 * DAY_MS);
}

/** @param part 0 for the early days of the month, 1 for the middle, 2 for the late, -1 for all */
function aroundMonth(moment: number, part = -1): readonly TimeWindow[] {
  const begun = new Date(moment);
  const dayAt = (month: number, day: number) =>
    Date.UTC(begun.getUTCFullYear(), begun.getUTCMonth() + month, day);
  const bounds = [moment, dayAt(0, EARLY_UNTIL + 1), dayAt(0, MIDDLE_UNTIL + 1), dayAt(1, 1)];
  const [from = moment, to = moment] =
    part === -1 ? [bounds[0], bounds[3]] : bounds.slice(part, part + 2);
  return weightedWindows({ from, to }, dayAt(1, 11), part === -1 ? 0.6 : 0.9);
}

function season(month: number, at: number): TimeWindow {
  const begun = momentOf({ year: undefined, month, day: 1 }, at);
  return { from: begun - 5 * DAY_MS, to: begun + SEASON_DAYS * DAY_MS, weight: 0.4 };
}
