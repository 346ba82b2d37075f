/**
 * Finds times that count from the day of a question: "yesterday", "last week", "letzten Mittwoch",
 * "el martes 3", "上上周". A week is that of the calendar, from Monday.
 */
import { DAY, preferred, type TimeWindow } from './time-window.ts';

const WEEK = 7 * DAY;

/** Names of each day of the week, from Monday. */
const WEEKDAYS = [
  'monday|montag|lunes',
  'tuesday|dienstag|martes',
  'wednesday|mittwoch|mi[eé]rcoles',
  'thursday|donnerstag|jueves',
  'friday|freitag|viernes',
  'saturday|samstag|sonnabend|s[aá]bado',
  'sunday|sonntag|domingo',
];
const WEEKDAY = `(${WEEKDAYS.join('|')})`;
const HAN_WEEK = '(?:周|星期|礼拜)';
/** Not the first word of 一直, 三次, 日程 and the like, where no day of the week is named. */
const HAN_WEEKDAY = '([一二三四五六日天](?!次|个|位|天|人|家|直|起|共|样|些|同|定|下|程|常|记|气))';

const LAST = '(?:letzte|vergangene|vorige)[rnms]?';
const LAST_WEEK = `(?:last week|${LAST} woche|vorwoche|semana pasada|pasada semana)`;
const LAST_WEEKDAY = new RegExp(
  `\\b(?:last|past|${LAST}|pasado) ${WEEKDAY}(?! of )|\\b${WEEKDAY} pasado\\b`,
  'iu',
);
const DAY_OF_LAST_WEEK = new RegExp(
  `\\b${WEEKDAY} (?:(?:of|in|de|der|in der) )?(?:la )?${LAST_WEEK}|` +
    `(?<!上)上个?${HAN_WEEK}${HAN_WEEKDAY}`,
  'iu',
);
/** A day of the week with a day of the month, but no month: "Tuesday the 3rd", "martes 3". */
const WEEKDAY_AND_DATE = new RegExp(
  `\\b${WEEKDAY},? (?:(?:the|de[nmr]|d[ií]a) (\\d{1,2})(?:st|nd|rd|th)?\\b|` +
    '(\\d{1,2})(?:st|nd|rd|th)\\b|(\\d{1,2})(?=\\.?(?:$|[?!,;])))',
  'giu',
);
const HAN_DATE_AND_WEEKDAY = new RegExp(
  `(?<![月\\d])(\\d{1,2})[日号](?:那个?|的)?${HAN_WEEK}${HAN_WEEKDAY}|` +
    `${HAN_WEEK}${HAN_WEEKDAY}[,,、]?(\\d{1,2})[日号]`,
  'gu',
);

type Match = readonly (string | undefined)[];

interface Reading {
  readonly pattern: RegExp;
  readonly windows: (match: Match, today: number, at: number) => readonly TimeWindow[];
}

/** The first reading of each group that fits counts. */
const READINGS: readonly (readonly Reading[])[] = [
  [
    {
      pattern: /\byesterday\b|\blast night\b|\bgestern\b|\bayer\b|\banoche\b|昨天|昨晚/iu,
      windows: (_, today, at) => preferred({ from: today - DAY, to: today }, at),
    },
  ],
  [
    {
      pattern: DAY_OF_LAST_WEEK,
      windows: ([, name = '', han = ''], today, at) => {
        const from = mondayOf(today) - WEEK + weekdayOf(name, han) * DAY;
        return preferred({ from, to: from + DAY }, at);
      },
    },
    { pattern: LAST_WEEKDAY, windows: ([, a, b], today, at) => lastWeekday(a ?? b, today, at) },
    {
      pattern:
        /\bweek before last\b|\bvorletzte[nr]? woche\b|\bsemana antepasada\b|上上个?(?:周|星期|礼拜)/iu,
      windows: (_, today, at) => weekBefore(2, today, at),
    },
    {
      pattern: new RegExp(`\\b${LAST_WEEK}\\b(?! (?:of|im|de)\\b)|上个?${HAN_WEEK}`, 'iu'),
      windows: (_, today, at) => weekBefore(1, today, at),
    },
  ],
  [
    {
      pattern: /\bthis week\b|\bdiese[rn]? woche\b|\besta semana\b|[这本]个?(?:周|星期|礼拜)/iu,
      windows: (_, today, at) => weekBefore(0, today, at),
    },
  ],
  [
    {
      pattern: /\bpast week\b/iu,
      windows: (_, today, at) => preferred({ from: today - WEEK, to: at }, at),
    },
  ],
  [
    {
      pattern: new RegExp(
        `\\b(?:last|past) month\\b|\\b${LAST} monat\\b|\\bmes pasado\\b|上个?月`,
        'iu',
      ),
      windows: (_, today, at) =>
        preferred({ from: monthBefore(today, 1), to: monthBefore(today, 0) }, at, 0.7),
    },
  ],
];

/**
 * Returns the windows of times that count from the day of the question.
 * @param at the asker's local time of the question
 */
export function relativeWindows(text: string, at: number): readonly TimeWindow[] {
  const today = startOfDay(at);
  return READINGS.flatMap((group) => {
    for (const { pattern, windows } of group) {
      const match = pattern.exec(text);
      if (match !== null) return windows(match, today, at);
    }
    return [];
  });
}

/** Days of the week with a day of the month: the latest such day in the last year. */
export const DATED_WEEKDAYS: readonly {
  readonly pattern: RegExp;
  readonly windows: (match: Match, at: number) => readonly TimeWindow[];
}[] = [
  {
    pattern: WEEKDAY_AND_DATE,
    windows: ([, name = '', ...dates], at) =>
      weekdayAndDate(weekdayOf(name), dates.find(Boolean), at),
  },
  {
    pattern: HAN_DATE_AND_WEEKDAY,
    windows: ([, before, a, b, after], at) =>
      weekdayAndDate(weekdayOf('', a ?? b), before ?? after, at),
  },
];

const startOfDay = (at: number): number => Math.floor(at / DAY) * DAY;

function weekdayOf(name: string, han = ''): number {
  if (han !== '') return '一二三四五六日'.indexOf(han === '天' ? '日' : han);
  return WEEKDAYS.findIndex((names) => new RegExp(`^(?:${names})$`, 'iu').test(name));
}

/** Returns the day of the week of a day, from 0 for Monday. */
const dayOfWeek = (day: number): number => (new Date(day).getUTCDay() + 6) % 7;

function mondayOf(day: number): number {
  return day - dayOfWeek(day) * DAY;
}

function weekBefore(weeks: number, today: number, at: number): readonly TimeWindow[] {
  const from = mondayOf(today) - weeks * WEEK;
  return preferred({ from, to: from + WEEK }, Math.min(at, from + 2 * WEEK));
}

/**
 * Returns the latest such day before today. If that is in this week, some people mean the one of
 * the week before, so that day counts as much.
 */
function lastWeekday(name = '', today = 0, at = 0): readonly TimeWindow[] {
  const ago = (dayOfWeek(today) - weekdayOf(name) + 6) % 7;
  const from = today - (ago + 1) * DAY;
  const windows = preferred({ from, to: from + DAY }, at);
  if (from < mondayOf(today)) return windows;
  return [...windows, ...preferred({ from: from - WEEK, to: from - WEEK + DAY }, from - DAY - 1)];
}

function weekdayAndDate(weekday: number, date = '', at = 0): readonly TimeWindow[] {
  for (let months = 0; months <= 12; months += 1) {
    const first = monthBefore(at, months);
    const from = first + (Number(date) - 1) * DAY;
    const isInMonth = from >= first && from < monthBefore(first, -1);
    if (isInMonth && from <= at && dayOfWeek(from) === weekday) {
      return preferred({ from, to: from + DAY }, from + WEEK);
    }
  }
  return [];
}

function monthBefore(day: number, months: number): number {
  const date = new Date(day);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 1);
}
