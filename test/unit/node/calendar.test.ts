import { describe, expect, it } from 'vitest';
import { createCalendar } from '#providers/node/calendar.ts';

const calendar = createCalendar();

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

describe('days and times', () => {
  it.each([
    ['2026-11-21T23:30:00Z', 'UTC', '2026-11-21', '23:30'],
    ['2026-11-21T23:30:00Z', 'Europe/Berlin', '2026-11-22', '00:30'],
    ['2026-11-21T18:14:59Z', 'Asia/Kathmandu', '2026-11-21', '23:59'],
    ['2026-11-21T18:15:00Z', 'Asia/Kathmandu', '2026-11-22', '00:00'],
    ['2026-11-21T03:00:00Z', 'America/New_York', '2026-11-20', '22:00'],
    ['2024-02-29T12:00:00Z', 'UTC', '2024-02-29', '12:00'],
    ['2026-03-29T00:59:59Z', 'Europe/Berlin', '2026-03-29', '01:59'],
    ['2026-03-29T01:00:00Z', 'Europe/Berlin', '2026-03-29', '03:00'],
    ['2026-10-25T00:30:00Z', 'Europe/Berlin', '2026-10-25', '02:30'],
    ['2026-10-25T01:30:00Z', 'Europe/Berlin', '2026-10-25', '02:30'],
  ])('%s in %s is on the day %s at %s', (at, timeZone, day, time) => {
    expect(calendar.dayOf(Date.parse(at), timeZone)).toBe(day);
    expect(calendar.timeOf(Date.parse(at), timeZone)).toBe(time);
  });

  it.each(['Mars/Olympus', '', 'Europe/berlin/'])('%j is not a zone', (timeZone) => {
    const refused = { code: 'INVALID_INPUT', details: { timeZone } };
    for (const ask of [
      () => calendar.dayOf(0, timeZone),
      () => calendar.timeOf(0, timeZone),
      () => calendar.nextTime('0 3 * * *', timeZone, 0),
    ]) {
      expect(ask).toThrow(expect.objectContaining(refused));
    }
  });
});

describe('cron times', () => {
  it.each([
    // The time itself is not after itself.
    ['0 3 * * *', 'UTC', '2026-01-31T03:00:00.000Z', '2026-02-01T03:00:00.000Z'],
    ['0 3 * * *', 'UTC', '2026-01-31T02:59:59.999Z', '2026-01-31T03:00:00.000Z'],
    // Spring: 02:30 is left out.
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-30T00:30:00.000Z'],
    ['30 2,14 * * *', 'Europe/Berlin', '2026-03-28T13:30:00Z', '2026-03-29T01:00:00.000Z'],
    // Autumn: 02:30 is twice.
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00.000Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00.000Z'],
    ['*/30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25T01:00:00.000Z'],
    ['0 0 * * *', 'Asia/Kathmandu', '2026-01-31T00:00:00Z', '2026-01-31T18:15:00.000Z'],
    // Leap years, of which 2100 is none.
    ['0 3 29 2 *', 'UTC', '2026-10-25T00:00:00Z', '2028-02-29T03:00:00.000Z'],
    ['0 3 29 2 *', 'UTC', '2096-03-01T00:00:00Z', '2104-02-29T03:00:00.000Z'],
    ['0 0 31 * *', 'UTC', '2026-01-31T00:00:00Z', '2026-03-31T00:00:00.000Z'],
    // Either day will do.
    ['0 3 13 * 5', 'UTC', '2026-11-21T00:00:00Z', '2026-11-27T03:00:00.000Z'],
    ['0 3 1 * MON-WED', 'UTC', '2026-11-26T00:00:00Z', '2026-11-30T03:00:00.000Z'],
    ['0 0 31 2 *', 'UTC', '2026-01-01T00:00:00Z', null],
    ['0 0 31 2 *', 'Europe/Berlin', '2026-01-01T00:00:00Z', null],
    ['0 3 31 4,6,9,11 *', 'UTC', '2026-01-01T00:00:00Z', null],
  ])('the next time of %s in %s after %s is %s', (cron, timeZone, after, expected) => {
    const next = calendar.nextTime(cron, timeZone, Date.parse(after));
    expect(iso(next)).toBe(expected);
  });

  it.each(['', '0 3 * *', '0 0 3 * * *', '99 3 * * *', '? 3 * * *', '@daily', '0 3 * * FUNDAY'])(
    '%j is not a cron expression',
    (cron) => {
      const refused = { code: 'INVALID_INPUT', details: { cron } };
      expect(() => calendar.nextTime(cron, 'UTC', 0)).toThrow(expect.objectContaining(refused));
    },
  );
});
