/** Days, times and cron of all zones, beside what the clock on the wall shows. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createCalendar } from '#providers/node/calendar.ts';

const calendar = createCalendar();
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const RUNS = 200;
/** How far the slow reckoning walks. */
const DAYS = 3;
/** Of every kind: an hour at night, at midnight, half an hour, two hours, quarters, and none. */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'America/Havana',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Asia/Kathmandu',
  'UTC',
] as const;
const FROM = Date.UTC(2026, 0, 1);

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

it('every zone that Node knows has days and times', () => {
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    const at = Date.UTC(2026, 6, 1, 23, 59);
    const { day, time } = wallAt(at, timeZone);
    expect([calendar.dayOf(at, timeZone), calendar.timeOf(at, timeZone)]).toEqual([day, time]);
  }
});

it('cron times equal those of a slow computation', () => {
  const changes = new Map(ZONES.map((timeZone) => [timeZone, changesOf(timeZone)]));
  let found = 0;
  const property = fc.property(QUESTION, CRON, ({ timeZone, change, offset }, cron) => {
    const times = changes.get(timeZone) ?? [];
    const after = (times[change % Math.max(1, times.length)] ?? FROM) + offset;
    const next = calendar.nextTime(cron, timeZone, after);
    const slow = slowNextTime(cron, timeZone, { after, days: DAYS });
    if (slow !== null) found += 1;
    if (slow === null) expect(next ?? Infinity).toBeGreaterThan(after + (DAYS - 1) * DAY_MS);
    else expect(iso(next)).toBe(iso(slow));
  });
  fc.assert(property, { numRuns: RUNS });
  expect(found).toBeGreaterThan(RUNS / 4);
});

/** When a zone puts its clocks forward or back within a year. */
function changesOf(timeZone: string): readonly number[] {
  const offsetAt = (at: number) => wallAt(at, timeZone).minutes - at / 60_000;
  const isChanged = (at: number, span: number) => offsetAt(at) !== offsetAt(at - span);
  const days = Array.from({ length: 365 }, (_, n) => FROM + n * DAY_MS);
  return days
    .filter((day) => isChanged(day, DAY_MS))
    .flatMap((day) => Array.from({ length: 24 }, (_, n) => day - n * HOUR_MS))
    .filter((at) => isChanged(at, HOUR_MS));
}

/** Mostly within a day before and after a change, also between the minutes. */
const QUESTION = fc.record({
  timeZone: fc.constantFrom(...ZONES),
  change: fc.nat(9),
  offset: fc.integer({ min: -DAY_MS, max: DAY_MS }),
});

const number = (min: number, max: number) => fc.integer({ min, max }).map(String);
const list = (min: number, max: number) =>
  fc.uniqueArray(number(min, max), { minLength: 1, maxLength: 3 }).map((all) => all.join(','));
const range = (min: number, max: number) =>
  fc
    .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
    .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);

const CRON = fc
  .tuple(
    fc.oneof(list(0, 59), range(0, 59), fc.constantFrom('*', '*/7', '*/30', '0')),
    // What daylight saving leaves out and repeats is most often of these hours.
    fc.oneof(list(0, 4), range(0, 23), fc.constantFrom('*', '*/2', '1-3/2')),
    fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, { weight: 1, arbitrary: list(1, 31) }),
    fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, { weight: 1, arbitrary: range(1, 12) }),
    fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, { weight: 1, arbitrary: list(0, 6) }),
  )
  .map((fields) => fields.join(' '));

/**
 * The times of cron reckoned slowly: minute after minute, by what the clock on the wall shows.
 * Fields are `*`, `*` with a step, and lists of numbers and of ranges.
 */
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** Clocks are put forward and back at whole quarters of an hour, in every zone since 1972. */
const QUARTER_MINUTES = 15;

export interface Wall {
  readonly day: string;
  readonly time: string;
  /** Minutes since 1970 as if the zone were UTC. */
  readonly minutes: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function wallAt(at: number, timeZone: string): Wall {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', formOf(timeZone));
  formats.set(timeZone, format);
  const [day = '', time = ''] = format.format(at).split(' ');
  return { day, time, minutes: Date.parse(`${day}T${time}Z`) / MINUTE_MS };
}

/** Minutes since 1970 as the clock on the wall counts them; formatted once a quarter of an hour. */
function wallMinutes(timeZone: string): (minute: number) => number {
  const shifts = new Map<number, number>();
  return (minute) => {
    const quarter = Math.floor(minute / QUARTER_MINUTES) * QUARTER_MINUTES;
    const shift = shifts.get(quarter) ?? wallAt(quarter * MINUTE_MS, timeZone).minutes - quarter;
    shifts.set(quarter, shift);
    return minute + shift;
  };
}

/** The first time after `after` within `days`, null if there is none. */
function slowNextTime(
  cron: string,
  timeZone: string,
  { after, days }: { after: number; days: number },
): number | null {
  const isFixed = !/[*/]/u.test(cron.split(' ', 2).join(' '));
  const matches = matcherOf(cron);
  const minutesAt = wallMinutes(timeZone);
  const first = Math.floor(after / MINUTE_MS) - DAY_MINUTES;
  let latest = minutesAt(first);
  let before = latest;
  for (let minute = first + 1; minute <= first + (days + 1) * DAY_MINUTES; minute += 1) {
    const at = minute * MINUTE_MS;
    const minutes = minutesAt(minute);
    const leftOut = isFixed ? between(before + 1, minutes) : [];
    const isRepeated = isFixed && minutes <= latest;
    const comes = leftOut.some(matches) || (!isRepeated && matches(minutes));
    if (comes && at > after) return at;
    before = minutes;
    latest = Math.max(latest, minutes);
  }
  return null;
}

function formOf(timeZone: string): Intl.DateTimeFormatOptions {
  const two = '2-digit';
  return { timeZone, year: 'numeric', month: two, day: two, hour: two, minute: two };
}

function between(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n);
}

/** Whether a minute of the wall is one that the fields name. */
function matcherOf(cron: string): (minutes: number) => boolean {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(' ');
  const [ofHour, ofDay] = [valuesOf(minute, 0), valuesOf(hour, 0)];
  const [ofMonth, ofYear, ofWeek] = [valuesOf(day, 1), valuesOf(month, 1), valuesOf(weekday, 0)];
  const isEither = day !== '*' && weekday !== '*';
  return (minutes) => {
    const wall = new Date(minutes * MINUTE_MS);
    const [isOfMonth, isOfWeek] = [ofMonth.has(wall.getUTCDate()), ofWeek.has(wall.getUTCDay())];
    const isDay = isEither ? isOfMonth || isOfWeek : isOfMonth && isOfWeek;
    const isTime = ofHour.has(wall.getUTCMinutes()) && ofDay.has(wall.getUTCHours());
    return isTime && isDay && ofYear.has(wall.getUTCMonth() + 1);
  };
}

/** The numbers that a field names, of which the least is `first`. */
function valuesOf(field: string, first: number): ReadonlySet<number> {
  const named = field.split(',').flatMap((part) => {
    const [range = '', step = '1'] = part.split('/');
    const [from = '', to = from] = range === '*' ? [String(first), '59'] : range.split('-');
    const all = Array.from({ length: Number(to) - Number(from) + 1 }, (_, n) => Number(from) + n);
    return all.filter((_, n) => n % Number(step) === 0);
  });
  return new Set(named);
}
