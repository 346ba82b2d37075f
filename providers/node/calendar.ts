/** Days and times of a time zone, by Node's zone data, and times of cron expressions, by croner. */
import { keepNewest } from '#core/keep-newest.ts';
import { Cron } from 'croner';
import { VarveError } from '#core/errors.ts';
import type { Calendar } from '#core/ports/calendar.ts';

/**
 * Time zones whose formatter is cached; making one takes longer than using it a hundred times. No
 * installation is expected to use more zones at once. The oldest formatter is dropped first.
 */
const ZONES_KEPT_MAX = 64;

/** Five fields, without `?`, which croner reads as the time of the call. */
const FIVE_FIELDS = /^[0-9A-Za-z*,/-]+(?: [0-9A-Za-z*,/-]+){4}$/u;

export function createCalendar(): Calendar {
  const formats = new Map<string, Intl.DateTimeFormat>();
  const formatOf = (timeZone: string): Intl.DateTimeFormat => {
    const known = formats.get(timeZone);
    if (known !== undefined) return known;
    const made = makeFormat(timeZone);
    keepNewest(formats, ZONES_KEPT_MAX, [timeZone, made]);
    return made;
  };
  return {
    dayOf: (at, timeZone) => wallTime(formatOf(timeZone), at).day,
    timeOf: (at, timeZone) => wallTime(formatOf(timeZone), at).time,
    nextTime(cron, timeZone, after) {
      // Check the zone first, so that the message names what is wrong.
      formatOf(timeZone);
      return nextRun(cron, timeZone, after);
    },
  };
}

function nextRun(cron: string, timezone: string, after: number): number | null {
  if (!FIVE_FIELDS.test(cron)) throw badCron(cron);
  try {
    // Lists and ranges of hours also follow the wall clock, not only single hours.
    const options = { timezone, mode: '5-part', fixedTimeRule: 'no-wildcard' } as const;
    return new Cron(cron, { ...options, paused: true }).nextRun(new Date(after))?.getTime() ?? null;
  } catch (cause) {
    throw badCron(cron, cause);
  }
}

function makeFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
  } catch (cause) {
    const message =
      'The time zone is not known. Give one of the IANA database, such as Europe/Berlin, or UTC.';
    throw new VarveError('INVALID_INPUT', message, { details: { timeZone }, cause });
  }
}

function wallTime(format: Intl.DateTimeFormat, at: number): { day: string; time: string } {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const [year = '', month = '', day = '', hour = '', minute = ''] = [
    parts.get('year'),
    parts.get('month'),
    parts.get('day'),
    parts.get('hour'),
    parts.get('minute'),
  ];
  return { day: `${year}-${month}-${day}`, time: `${hour}:${minute}` };
}

function badCron(cron: string, cause?: unknown): VarveError {
  const message =
    'This is not a cron expression. Give five fields: minute, hour, day of the month, month, ' +
    'day of the week.';
  return new VarveError('INVALID_INPUT', message, { details: { cron }, cause });
}
