/**
 * Words of the calendar: months and weekdays, once as words that readers of dates look up, and once
 * as parts of patterns; and the words that point from one day to another.
 */
import { oneOf } from './pattern.ts';
import { byWord, numberByWord, wordSet } from './word-lists.ts';

// Words that a reader looks up, in lower case.

/** From January on. Lines: English, short English, German, French, Spanish, others. */
const MONTH_ROWS = `
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
januar februar märz april mai juni juli august september oktober november dezember
jänner feber mär april mai juni juli aug sept okt nov dez
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
enero febrero marzo abril mayo junio julio agosto setiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
`;
/** From Sunday on. */
const WEEKDAY_ROWS = `
sunday monday tuesday wednesday thursday friday saturday
sundays mondays tuesdays wednesdays thursdays fridays saturdays
sun mon tue wed thu fri sat
sun mon tues wed thurs fri sat
sonntag montag dienstag mittwoch donnerstag freitag samstag
sonntags montags dienstags mittwochs donnerstags freitags sonnabend
dimanche lundi mardi mercredi jeudi vendredi samedi
domingo lunes martes miércoles jueves viernes sábado
domingo lunes martes miercoles jueves viernes sabado
domingos lunes martes miércoles jueves viernes sábados
dom lun mar mié jue vie sáb
`;
/** Words with a more common other meaning: they count only beside a number or a preposition. */
const DOUBTFUL = wordSet(
  'may march mar dom sol vie lun jun mai mars mayo mei sun sat mon wed fri thu tue dec jan',
);

/** Words for times of a day, and for days off. */
export const TIMES_OF_DAY = wordSet(`
  noon midnight morning mornings afternoon afternoons evening evenings night nights weekend
  weekends uhr früh morgen morgens vormittag vormittags mittag mittags nachmittag nachmittags abend
  abends nachts wochenende mañana mañanas tarde tardes noche noches
`);

/** Which way a word points from the day of a text. */
export const DIRECTIONS = numberByWord({
  1: `
    next, coming, following, nächste, nächsten, nächster, nächstem, kommenden, kommendem,
    kommender, próximo, próxima, nächstes, kommende, 下, 下个
  `,
  '-1': `
    last, past, previous, letzte, letzten, letzter, pasado, pasada, letztes, vergangene,
    vergangenen, 上, 上个
  `,
  0: 'this, diese, diesen, dieser',
});
/** The span of time that a word after a direction means. */
export const SPANS = byWord({
  day: 'morning, afternoon, evening, night',
  week: 'weekend, week, semana, 周, 星期, woche',
  month: 'mes, 月, month, monat',
  year: 'año, year, jahr',
});

const MONTH_NUMBERS = numbered(MONTH_ROWS, 1);
const WEEKDAY_NUMBERS = numbered(WEEKDAY_ROWS, 0);

/** Returns the number of a month, 1 for January. */
export function monthOf(word: string): number | undefined {
  return MONTH_NUMBERS.get(word);
}

/** Returns the number of a weekday, 0 for Sunday. */
export function weekdayOf(word: string): number | undefined {
  return WEEKDAY_NUMBERS.get(word);
}

/** Whether a word names a month or a weekday. */
export function isOfCalendar(word: string): boolean {
  return MONTH_NUMBERS.has(word) || WEEKDAY_NUMBERS.has(word);
}

export function isDoubtfulDay(word: string): boolean {
  return DOUBTFUL.has(word);
}

function numbered(table: string, first: number): ReadonlyMap<string, number> {
  const rows = table.trim().split('\n');
  return new Map(
    rows.flatMap((row) => row.split(' ').map((word, index) => [word, index + first] as const)),
  );
}

// Parts of patterns, as rules write them.

export const MONTHS = {
  en: oneOf(`
    January, February, March, April, May, June, July, August, September, October, November, December
  `),
  de: oneOf(`
    Januar, Jänner, Februar, März, April, Mai, Juni, Juli, August, September, Oktober, November,
    Dezember
  `),
  es: oneOf(`
    enero, febrero, marzo, abril, mayo, junio, julio, agosto, sep?tiembre, octubre, noviembre,
    diciembre
  `),
} as const;

export const WEEKDAYS = {
  en: '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day',
  de: '(?:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag)',
  es: '(?:lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo)',
} as const;

/** Of all three languages, in patterns that ignore case. */
export const ANY_MONTH = `(?:${MONTHS.en}|${MONTHS.de}|${MONTHS.es})`;
export const ANY_WEEKDAY = `(?:${WEEKDAYS.en}|${WEEKDAYS.de}|${WEEKDAYS.es})s?`;
export const SHORT_MONTH = '(?:jan|feb|mar|apr|jun|jul|aug|sept?|o[ck]t|nov|de[cz])';
