/**
 * When something recurs: five cron fields and a time zone. Patterns and CEL check them with the
 * same meaning, so that folder and cluster agree.
 */
import { z } from 'zod';
import { withRules, type CelRule } from './kubernetes-extensions.ts';
import { field, type FieldDoc } from './field-docs.ts';

// Names of time zones, with exact spelling. An API server looks them up case by case in the IANA
// database that is linked into it; JavaScript ignores case, and knows zones such as `SystemV/EST5`
// that the database dropped long ago.

/**
 * Further names of zones, which `Intl.supportedValuesOf` leaves out: the links of the file
 * `backward` of the IANA database (release 2026c), by area. If a zone is renamed later, add its new
 * name here.
 */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  Africa: 'Asmara Timbuktu',
  America:
    'Argentina/Buenos_Aires Argentina/Catamarca Argentina/ComodRivadavia Argentina/Cordoba ' +
    'Argentina/Jujuy Argentina/Mendoza Atikokan Atka Ensenada Fort_Wayne Indiana/Indianapolis ' +
    'Kentucky/Louisville Knox_IN Montreal Nipigon Nuuk Pangnirtung Porto_Acre Rainy_River ' +
    'Rosario Santa_Isabel Shiprock Thunder_Bay Virgin Yellowknife',
  Antarctica: 'South_Pole',
  Asia:
    'Ashkhabad Choibalsan Chongqing Chungking Dacca Harbin Ho_Chi_Minh Istanbul Kashgar ' +
    'Kathmandu Kolkata Macao Tel_Aviv Thimbu Ujung_Pandang Ulan_Bator Yangon',
  Atlantic: 'Faroe Jan_Mayen',
  Australia: 'ACT Canberra Currie LHI NSW North Queensland South Tasmania Victoria West Yancowinna',
  Brazil: 'Acre DeNoronha East West',
  Canada: 'Atlantic Central Eastern Mountain Newfoundland Pacific Saskatchewan Yukon',
  Chile: 'Continental EasterIsland',
  Etc: `GMT GMT0 Greenwich UCT UTC Universal Zulu ${offsets('-', 14)} ${offsets('+', 12)}`,
  Europe: 'Belfast Kyiv Nicosia Tiraspol Uzhgorod Zaporozhye',
  Mexico: 'BajaNorte BajaSur General',
  Pacific: 'Chuuk Johnston Kanton Pohnpei Samoa Yap',
  US:
    'Alaska Aleutian Arizona Central East-Indiana Eastern Hawaii Indiana-Starke Michigan ' +
    'Mountain Pacific Samoa',
};

/** About 550 names; those without an area, such as `Japan`, are left out except `UTC`. */
export const TIME_ZONES: ReadonlySet<string> = new Set([
  'UTC',
  ...Intl.supportedValuesOf('timeZone').filter((name) => name.includes('/')),
  ...Object.entries(OTHER_NAMES).flatMap(([area, names]) =>
    names.split(' ').map((name) => `${area}/${name}`),
  ),
]);

/** Returns `GMT-0 GMT-1 …` up to the given hours. */
function offsets(sign: '+' | '-', hoursMax: number): string {
  return Array.from({ length: hoursMax + 1 }, (_, hours) => `GMT${sign}${hours}`).join(' ');
}

const CRON_LENGTH_MAX = 128;
const ZONE_LENGTH_MAX = 64;
/** Further values of one field, after the first. */
const LIST_MAX = 30;
/** Names in the order that ranges use: MON-FRI, NOV-DEC. */
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const NAMES_IN_ORDER = [...DAYS, ...MONTHS].join('');

const CRON_PATTERN = new RegExp(
  `^${[
    cronField('[1-5]?[0-9]', '[1-9]|[1-5][0-9]'),
    cronField('1?[0-9]|2[0-3]', '[1-9]|1[0-9]|2[0-3]'),
    cronField('[1-9]|[12][0-9]|3[01]', '[1-9]|[12][0-9]|3[01]'),
    cronField('[1-9]|1[0-2]', '[1-9]|1[0-2]', MONTHS),
    cronField('[0-6]', '[1-7]', DAYS),
  ].join(' ')}$`,
);

const ASCENDING: CelRule = {
  rule:
    "self.findAll('[0-9]+-[0-9]+').all(r, int(r.split('-')[0]) <= int(r.split('-')[1])) && " +
    `self.findAll('[A-Z]+-[A-Z]+').all(r, '${NAMES_IN_ORDER}'.indexOf(r.split('-')[0]) <= ` +
    `'${NAMES_IN_ORDER}'.indexOf(r.split('-')[1]))`,
  message: 'expected ranges that ascend, such as 9-17 or MON-FRI',
};

/** UTC, or Area/Place with at most one more part: America/Argentina/Salta. */
const ZONE_PATTERN = /^(?:UTC|[A-Z][A-Za-z]{1,31}(?:\/[A-Z][-+_A-Za-z0-9]{0,31}){1,2})$/;
const KNOWN_ZONE: CelRule = {
  // An unknown zone is an error of the expression, which also refuses the resource.
  rule: "timestamp('2026-01-01T12:00:00Z').getFullYear(self) > 0",
  message: 'expected a time zone of the IANA database, such as Europe/Berlin',
};

export function cronField5(doc: Omit<FieldDoc, 'expected'>) {
  const cron = z
    .string()
    .max(CRON_LENGTH_MAX)
    .regex(CRON_PATTERN)
    .refine((text) => hasAscendingRanges(text));
  return field(withRules(cron, ASCENDING), {
    ...doc,
    expected:
      'five fields of cron: minute 0-59, hour 0-23, day of the month 1-31, month 1-12 or ' +
      'JAN-DEC, day of the week 0-6 or SUN-SAT',
  });
}

export function timeZoneField(doc: Omit<FieldDoc, 'expected'>) {
  const zone = z
    .string()
    .max(ZONE_LENGTH_MAX)
    .regex(ZONE_PATTERN)
    .refine((name) => TIME_ZONES.has(name));
  return field(withRules(zone, KNOWN_ZONE), {
    ...doc,
    expected: 'a time zone of the IANA database, such as Europe/Berlin, or UTC',
  });
}

/** Matches a list of `*`, values and ranges; `*` and ranges may have a step. */
function cronField(value: string, step: string, names: readonly string[] = []): string {
  const values = [value, ...(names.length === 0 ? [] : [names.join('|')])].map(
    (one) => `(?:${one})`,
  );
  const ranges = values.map((one) => `${one}-${one}`);
  const spread = [String.raw`\*`, ...ranges].join('|');
  const part = `(?:(?:${spread})(?:/(?:${step}))?|${values.join('|')})`;
  return `${part}(?:,${part}){0,${LIST_MAX}}`;
}

function hasAscendingRanges(cron: string): boolean {
  const ranges = [...cron.matchAll(/([0-9]+)-([0-9]+)|([A-Z]+)-([A-Z]+)/gu)];
  return ranges.every(([, first, last, from = '', to = '']) =>
    first === undefined
      ? NAMES_IN_ORDER.indexOf(from) <= NAMES_IN_ORDER.indexOf(to)
      : Number(first) <= Number(last),
  );
}
