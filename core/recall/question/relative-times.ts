/**
 * Finds times that count from the day of a question: "yesterday", "three weeks ago", "recently",
 * "last week", "letzten Mittwoch", "el martes 3", "上上周". A week is that of the calendar, from
 * Monday.
 */
import { DAY_MS } from '../../duration.ts';
import { WEEKDAYS, weekdayOf } from '../../text/calendar-words.ts';
import { dayNumber, mondayOf } from '../../text/day.ts';
import { weightedWindows, type Reading, type TimeWindow } from './time-window.ts';

const WEEK_MS = 7 * DAY_MS;

const WEEKDAY = `(${WEEKDAYS.en}|${WEEKDAYS.de}|${WEEKDAYS.es})`;
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

/** The first reading of each group that fits counts. */
const READINGS: readonly (readonly Reading[])[] = [
  [
    {
      pattern: /\byesterday\b|\blast night\b|\bgestern\b|\bayer\b|\banoche\b|昨天|昨晚/iu,
      windows: (_, at) =>
        weightedWindows({ from: startOfDay(at) - DAY_MS, to: startOfDay(at) }, at),
    },
  ],
  [
    {
      pattern: DAY_OF_LAST_WEEK,
      windows: ([, name, han], at) => {
        const from = startOfWeek(at) - WEEK_MS + fromMonday(name, han) * DAY_MS;
        return weightedWindows({ from, to: from + DAY_MS }, at);
      },
    },
    { pattern: LAST_WEEKDAY, windows: ([, a, b], at) => lastWeekday(a ?? b, at) },
    {
      pattern:
        /\bweek before last\b|\bvorletzte[nr]? woche\b|\bsemana antepasada\b|上上个?(?:周|星期|礼拜)/iu,
      windows: (_, at) => weekBefore(2, at),
    },
    {
      pattern: new RegExp(`\\b${LAST_WEEK}\\b(?! (?:of|im|de)\\b)|上个?${HAN_WEEK}`, 'iu'),
      windows: (_, at) => weekBefore(1, at),
    },
  ],
  [
    {
      pattern: /\bthis week\b|\bdiese[rn]? woche\b|\besta semana\b|[这本]个?(?:周|星期|礼拜)/iu,
      windows: (_, at) => weekBefore(0, at),
    },
  ],
  [
    {
      pattern: /\bpast week\b/iu,
      windows: (_, at) => weightedWindows({ from: startOfDay(at) - WEEK_MS, to: at }, at),
    },
  ],
  [
    {
      pattern: new RegExp(
        `\\b(?:last|past) month\\b|\\b${LAST} monat\\b|\\bmes pasado\\b|上个?月`,
        'iu',
      ),
      windows: (_, at) =>
        weightedWindows({ from: monthBefore(at, 1), to: monthBefore(at, 0) }, at, 0.7),
    },
  ],
];

/** Words for a window from a number of days before the question up to the question. */
const SINCE: readonly (readonly [pattern: RegExp, days: number, weight: number])[] = [
  [/\btoday\b|\bthis morning\b|\bheute\b|\bhoy\b(?! en d[ií]a)|今天/iu, 1, 0.7],
  [
    new RegExp(
      '\\b(?:the other day|recently|lately|few days ago)\\b|' +
        '\\b(?:neulich|vor ein paar tagen)\\b|\\bkürzlich\\b|' +
        '\\b(?:hace unos d[ií]as|el otro d[ií]a)\\b|前几天|最近|前些天',
      'iu',
    ),
    21,
    0.5,
  ],
];

/**
 * Returns the windows of times that count from the day of the question.
 * @param at the asker's local time of the question
 */
export function relativeWindows(text: string, at: number): readonly TimeWindow[] {
  const named = READINGS.flatMap((group) => {
    for (const { pattern, windows } of group) {
      const match = pattern.exec(text);
      if (match !== null) return windows(match, at);
    }
    return [];
  });
  const since = SINCE.flatMap(([pattern, days, weight]) =>
    pattern.test(text) ? [{ from: at - days * DAY_MS, to: at, weight }] : [],
  );
  return [...named, ...since];
}

const AGO = /\b(\d{1,3}|two|three|four|five|six|seven|eight|nine|ten) (day|week|month)s? ago\b/giu;
const COUNTS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30 };

/** A count of days, weeks or months before the question: "three weeks ago". */
export const COUNTED_AGO: Reading = {
  pattern: AGO,
  windows: ([, count, unit], at) => [ago(count, unit, at)],
};

function ago(count = '1', unit = 'day', at = 0): TimeWindow {
  const days = UNIT_DAYS[unit.toLowerCase()] ?? 1;
  const number = Number(count) || COUNTS.indexOf(count.toLowerCase()) + 2;
  const moment = at - number * days * DAY_MS;
  return { from: moment - 1.5 * days * DAY_MS, to: moment + 1.5 * days * DAY_MS, weight: 1 };
}

/** Days of the week with a day of the month: the latest such day in the last year. */
export const DATED_WEEKDAYS: readonly Reading[] = [
  {
    pattern: WEEKDAY_AND_DATE,
    windows: ([, name, ...dates], at) => weekdayAndDate(fromMonday(name), dates.find(Boolean), at),
  },
  {
    pattern: HAN_DATE_AND_WEEKDAY,
    windows: ([, before, a, b, after], at) =>
      weekdayAndDate(fromMonday('', a ?? b), before ?? after, at),
  },
];

const startOfDay = (at: number): number => dayNumber(at) * DAY_MS;
const startOfWeek = (at: number): number => mondayOf(dayNumber(at)) * DAY_MS;

/** Returns the place of a day in its week, from 0 for Monday. */
function fromMonday(name = '', han = ''): number {
  if (han !== '') return '一二三四五六日'.indexOf(han === '天' ? '日' : han);
  return ((weekdayOf(name.toLowerCase()) ?? 0) + 6) % 7;
}

function weekBefore(weeks: number, at: number): readonly TimeWindow[] {
  const from = startOfWeek(at) - weeks * WEEK_MS;
  return weightedWindows({ from, to: from + WEEK_MS }, Math.min(at, from + 2 * WEEK_MS));
}

/**
 * Returns the latest such day before today. If that is in this week, some people mean the one of
 * the week before, so that day counts as much.
 */
function lastWeekday(name: string | undefined, at: number): readonly TimeWindow[] {
  const thisWeek = startOfWeek(at) + fromMonday(name) * DAY_MS;
  const from = thisWeek < startOfDay(at) ? thisWeek : thisWeek - WEEK_MS;
  const windows = weightedWindows({ from, to: from + DAY_MS }, at);
  if (from < startOfWeek(at)) return windows;
  const before = { from: from - WEEK_MS, to: from - WEEK_MS + DAY_MS };
  return [...windows, ...weightedWindows(before, from - DAY_MS - 1)];
}

function weekdayAndDate(weekday: number, date = '', at = 0): readonly TimeWindow[] {
  for (let months = 0; months <= 12; months += 1) {
    const first = monthBefore(at, months);
    const from = first + (Number(date) - 1) * DAY_MS;
    const isInMonth = from >= first && from < monthBefore(first, -1);
    if (isInMonth && from <= at && startOfWeek(from) + weekday * DAY_MS === from) {
      return weightedWindows({ from, to: from + DAY_MS }, from + WEEK_MS);
    }
  }
  return [];
}

function monthBefore(day: number, months: number): number {
  const date = new Date(day);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 1);
}

/**
 * Returns a question without the times that count from its day: a text of last week need not say
 * "last week".
 */
export function withoutRelativeTimes(question: string): string {
  const named = READINGS.flatMap(
    (group) => group.find(({ pattern }) => pattern.test(question))?.pattern ?? [],
  );
  return [...named, ...SINCE.map(([pattern]) => pattern), AGO].reduce(
    (text, pattern) => text.replace(pattern, ' '),
    question,
  );
}
