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

export function wallAt(at: number, timeZone: string): Wall {
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

/** The first time after `after` within `days`, null where there is none. */
export function slowNextTime(
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
