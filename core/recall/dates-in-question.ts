/**
 * Finds the time that a question asks about: "on May 4th", "last week", "im Juni", "el martes
 * pasado", "上周". People mention an event on its day or in the days after, so windows extend past
 * the day.
 */
import { withDigits } from '../text/digits.ts';

const DAY = 86_400_000;

export interface TimeWindow {
  /** Both inclusive, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** How much a turn inside is preferred, 0 to 1. Weights of overlapping windows add up. */
  readonly weight: number;
}

/** Maximum windows; a question names few times, and the rest is ignored. */
const WINDOWS_MAX = 16;

/** Names of each month in the supported languages. */
const MONTHS: readonly RegExp[] = [
  'jan(?:uary|uar)?|enero',
  'feb(?:ruary|ruar)?|febrero',
  'mar(?:ch)?|märz|marzo',
  'apr(?:il)?|abril',
  'may|mai|mayo',
  'june?|juni|junio',
  'july?|juli|julio',
  'aug(?:ust)?|agosto',
  'sept?(?:ember)?|septiembre|setiembre',
  'o[ck]t(?:ober)?|octubre',
  'nov(?:ember)?|noviembre',
  'de[cz](?:ember)?|diciembre',
].map((names) => new RegExp(`^(?:${names})$`, 'iu'));

const MONTH =
  '(?:jan(?:uary|uar)?|enero|feb(?:ruary|ruar|rero)?|mar(?:ch|zo)?|märz|apr(?:il)?|abril|mayo?|' +
  'mai|june?|juni[o]?|july?|juli[o]?|aug(?:ust)?|agosto|sept?(?:ember|iembre)?|setiembre|' +
  'o[ck]t(?:ober|ubre)?|nov(?:ember|iembre)?|de[cz](?:ember)?|diciembre)';

const ISO_DAY = /(\d{4})-(\d{2})-(\d{2})/gu;
const DAY_MONTH = new RegExp(
  `\\b(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s?(?:of |de )?(${MONTH})\\b\\.?(?:,? (?:de )?(\\d{4}))?`,
  'giu',
);
const MONTH_DAY = new RegExp(
  `\\b(${MONTH})\\.? (?:the )?(\\d{1,2})(?:st|nd|rd|th)?\\b(?!\\d)(?:,? (\\d{4}))?`,
  'giu',
);
const HAN_DATE =
  /(?:(\d{4})年)?(\d{1,2}|[一二三四五六七八九十]{1,2})月(?:(\d{1,2}|[一二三四五六七八九十]{1,3})[日号])?/gu;
const WHOLE_MONTH = new RegExp(
  '\\b(?:in|during|of|since|early|late|mid|last|this|im|seit|anfang|ende|mitte|letzten|en|de|' +
    `desde|durante)[- ](${MONTH})\\b`,
  'giu',
);
const AGO = /\b(\d{1,3}|two|three|four|five|six|seven|eight|nine|ten) (day|week|month)s? ago\b/giu;
const COUNTS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30 };

/** Words for a window from a number of days before the question up to the question. */
const SINCE: readonly (readonly [pattern: RegExp, days: number, weight: number])[] = [
  [/\byesterday\b|\blast night\b|\bgestern\b|\bayer\b|\banoche\b|昨天|昨晚/iu, 3, 1],
  [/\btoday\b|\bthis morning\b|\bheute\b|\bhoy\b(?! en d[ií]a)|今天/iu, 1, 0.7],
  [
    new RegExp(
      '\\b(?:last|past|this) week\\b|\\b(?:letzte|vergangene|diese)[nr]? woche\\b|' +
        '\\b(?:semana pasada|esta semana)\\b|上个?(?:周|星期|礼拜)|这周|' +
        '\\blast (?:mon|tues|wednes|thurs|fri|satur|sun)day\\b|' +
        '\\bletzte[nrm]? (?:mittwoch|(?:mon|diens|donners|frei|sams|sonn)tag)|' +
        '\\b(?:lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo) pasado',
      'iu',
    ),
    14,
    1,
  ],
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
  [/\b(?:last|past) month\b|\b(?:letzten|vergangenen) monat\b|\bmes pasado\b|上个?月/iu, 62, 0.7],
];

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
    ...SINCE.flatMap(([pattern, days, weight]) =>
      pattern.test(text) ? [{ from: at - days * DAY, to: at, weight }] : [],
    ),
    ...SEASONS.flatMap(([pattern, month]) => (pattern.test(text) ? [season(month, at)] : [])),
  ];
  return windows.slice(0, WINDOWS_MAX);
}

interface Reading {
  readonly pattern: RegExp;
  readonly windows: (match: readonly (string | undefined)[]) => readonly TimeWindow[];
}

/** Returns the windows of named times. Later patterns skip text that an earlier one matched. */
function namedWindows(text: string, at: number): readonly TimeWindow[] {
  const day = (year: string | undefined, month: number, date: string | undefined) =>
    aroundDay(momentOf({ year, month, day: Number(withDigits(date ?? '1')) }, at));
  const month = (year: string | undefined, number: number) =>
    aroundMonth(momentOf({ year, month: number, day: 1 }, at));
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
      windows: ([, year, number = '', date]) =>
        date === undefined
          ? month(year, Number(withDigits(number)) - 1)
          : day(year, Number(withDigits(number)) - 1, date),
    },
    { pattern: WHOLE_MONTH, windows: ([, name]) => month(undefined, monthNumber(name)) },
    { pattern: AGO, windows: ([, count, unit]) => [ago(count, unit, at)] },
  ];
  const taken: { from: number; to: number }[] = [];
  const windows: TimeWindow[] = [];
  for (const { pattern, windows: read } of readings) {
    for (const match of text.matchAll(pattern)) {
      const { index } = match;
      if (taken.some(({ from, to }) => index >= from && index < to)) continue;
      taken.push({ from: index, to: index + match[0].length });
      windows.push(...read(match));
    }
  }
  return windows;
}

function monthNumber(name = ''): number {
  return MONTHS.findIndex((pattern) => pattern.test(name));
}

function momentOf(
  { year, month, day }: { year: string | undefined; month: number; day: number },
  at: number,
): number {
  const asked = new Date(at).getUTCFullYear();
  const moment = Date.UTC(year === undefined ? asked : Number(year), month, day);
  return year === undefined && moment > at ? Date.UTC(asked - 1, month, day) : moment;
}

function aroundDay(moment: number): readonly TimeWindow[] {
  return [
    { from: moment - DAY, to: moment + 2 * DAY, weight: 0.4 },
    { from: moment - DAY, to: moment + 15 * DAY, weight: 0.6 },
  ];
}

function aroundMonth(moment: number): readonly TimeWindow[] {
  const begun = new Date(moment);
  const end = Date.UTC(begun.getUTCFullYear(), begun.getUTCMonth() + 1, 1);
  return [{ from: moment - 3 * DAY, to: end + 10 * DAY, weight: 0.6 }];
}

function ago(count = '1', unit = 'day', at = 0): TimeWindow {
  const days = UNIT_DAYS[unit.toLowerCase()] ?? 1;
  const number = Number(count) || COUNTS.indexOf(count.toLowerCase()) + 2;
  const moment = at - number * days * DAY;
  return { from: moment - 1.5 * days * DAY, to: moment + 1.5 * days * DAY, weight: 1 };
}

function season(month: number, at: number): TimeWindow {
  const begun = momentOf({ year: undefined, month, day: 1 }, at);
  return { from: begun - 5 * DAY, to: begun + SEASON_DAYS * DAY, weight: 0.4 };
}
