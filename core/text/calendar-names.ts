/** Names of months and weekdays, as parts of patterns. */
import { oneOf } from './pattern.ts';

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
