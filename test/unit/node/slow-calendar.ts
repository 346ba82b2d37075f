/**
 * The times of cron reckoned slowly: minute after minute, by what the clock on the wall shows.
 * Fields are `*`, `*` with a step, and lists of numbers and of ranges.
 */
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

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

/** The first time after `after` within `days`, null where there is none. */
export function slowNextTime(
  cron: string,
  timeZone: string,
  { after, days }: { after: number; days: number },
): number | null {
  const fields = cron.split(' ');
  const isFixed = fields.slice(0, 2).every((field) => !/[*/]/u.test(field));
  const matches = (minutes: number): boolean => isMatch(fields, minutes);
  const first = Math.floor(after / MINUTE_MS) - DAY_MINUTES;
  let latest = wallAt(first * MINUTE_MS, timeZone).minutes;
  let before = latest;
  for (let minute = first + 1; minute <= first + (days + 1) * DAY_MINUTES; minute += 1) {
    const at = minute * MINUTE_MS;
    const { minutes } = wallAt(at, timeZone);
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

function isMatch(fields: readonly string[], minutes: number): boolean {
  const wall = new Date(minutes * MINUTE_MS);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const ofMonth = isIn(day, wall.getUTCDate(), 1);
  const ofWeek = isIn(weekday, wall.getUTCDay(), 0);
  const isDay = day !== '*' && weekday !== '*' ? ofMonth || ofWeek : ofMonth && ofWeek;
  return (
    isIn(minute, wall.getUTCMinutes(), 0) &&
    isIn(hour, wall.getUTCHours(), 0) &&
    isIn(month, wall.getUTCMonth() + 1, 1) &&
    isDay
  );
}

function isIn(field: string, value: number, first: number): boolean {
  return field.split(',').some((part) => {
    const [range = '', step = '1'] = part.split('/');
    const [from = '', to = from] = range === '*' ? [String(first), '99'] : range.split('-');
    const isWithin = value >= Number(from) && value <= Number(to);
    return isWithin && (value - Number(from)) % Number(step) === 0;
  });
}
