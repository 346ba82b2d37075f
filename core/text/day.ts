/** Days as texts name them, and their dates once the day of the text is known. */
import { DAY_MS } from '../duration.ts';
import { localTime, type SaidAt } from '../said-at.ts';

/** Parts of a date; what the text leaves out is absent. */
export interface NamedDate {
  readonly kind: 'Date';
  readonly year?: number;
  readonly month?: number;
  readonly day?: number;
}

/** `Friday` (in either direction), `next Friday`, `last Friday`; Sunday is 0. */
interface NamedWeekday {
  readonly kind: 'Weekday';
  readonly weekday: number;
  /** 1 is ahead, -1 is back, 0 is either. */
  readonly direction: number;
}

/** `tomorrow` is one day on, `last month` one month back. */
interface DayOffset {
  readonly kind: 'Offset';
  readonly unit: 'day' | 'week' | 'month' | 'year';
  readonly count: number;
}

export type NamedDay = NamedDate | NamedWeekday | DayOffset;

/** Days since the epoch; both ends are inclusive. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** A date without a year means the one near the text: at most this many days away. */
const PAST_DAYS_MAX = 300;
const FUTURE_DAYS_MAX = 340;
/** A date without a year is past if that is so many times nearer than the next one. */
const PAST_NEARNESS = 2;

/** Whether the day that a source names, read at the source's time, is in the span of the fact's. */
export function isSameDay(fact: NamedDay, source: NamedDay, at: number): boolean {
  if (fact.kind === 'Date' && source.kind === 'Date') return isSameDate(fact, source, at);
  if (fact.kind === 'Weekday' && source.kind === 'Date') return isOnWeekday(fact, source, at);
  const stated = spansOf(source, at);
  return spansOf(fact, at).some((wide) =>
    stated.some(({ from, to }) => wide.from <= from && to <= wide.to),
  );
}

/** Cache of the last printed day: consecutive texts are mostly from one day. */
const printed = { day: Number.NaN, text: '' };

/** Returns the UTC day, counted from the epoch. */
export function dayNumber(at: number): number {
  return Math.floor(at / DAY_MS);
}

/** Returns the UTC day as texts print it: `2026-11-03`. */
export function utcDayText(at: number): string {
  const day = dayNumber(at);
  if (day !== printed.day) {
    printed.text = new Date(at).toISOString().slice(0, 10);
    printed.day = day;
  }
  return printed.text;
}

/** Returns the day since the epoch on which something is said or asked, by that clock. */
export function dayOf(said: SaidAt): number {
  return dayNumber(localTime(said));
}

/** As `dayOf`, as texts print it. */
export function dayTextOf(said: SaidAt): string {
  return utcDayText(localTime(said));
}

/** Returns the day of a time, as a date in UTC. */
export function dateOf(at: number): NamedDate {
  const date = new Date(at);
  return {
    kind: 'Date',
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
  };
}

/**
 * Returns the first day that a name means and that is ahead at the time of its text, or null. A
 * date without a year may also be past: `as of June` in October.
 * @param isAhead whether it is ahead for certain
 */
export function firstDayAhead(named: NamedDay, at: number, isAhead: boolean): number | null {
  const today = dayNumber(at);
  const spans = spansOf(named, at);
  const next = Math.min(...spans.map(({ from }) => from).filter((from) => from > today));
  if (!Number.isFinite(next)) return null;
  if (named.kind !== 'Date') return next;
  const last = Math.max(...spans.flatMap(({ from, to }) => (from > today ? [] : [to])));
  const isNearer = (today - last) * PAST_NEARNESS < next - today;
  return last >= today || (isNearer && !isAhead) ? null : next;
}

function isSameDate(fact: NamedDate, source: NamedDate, at: number): boolean {
  if (fact.month !== undefined && fact.month !== source.month) return false;
  if (fact.day !== undefined && fact.day !== source.day) return false;
  if (fact.year === undefined || fact.year === source.year) return true;
  if (source.year !== undefined || source.month === undefined) return false;
  return isNear({ ...source, year: fact.year }, at);
}

function isNear(date: NamedDate, at: number): boolean {
  const days = firstDay(date) - dayNumber(at);
  return days >= -PAST_DAYS_MAX && days <= FUTURE_DAYS_MAX;
}

function isOnWeekday(fact: NamedWeekday, source: NamedDate, at: number): boolean {
  if (source.day === undefined) return false;
  return yearsOf(source, at).some((date) => weekdayOfDay(firstDay(date)) === fact.weekday);
}

/** Returns all spans that a day's name may mean in a text of that time. */
function spansOf(named: NamedDay, at: number): readonly Span[] {
  const today = dayNumber(at);
  switch (named.kind) {
    case 'Date':
      return yearsOf(named, at).map(spanOfDate);
    case 'Weekday':
      return weekdaySpans(named, today);
    case 'Offset':
      return [offsetSpan(named, at)];
    default:
      return named satisfies never;
  }
}

function yearsOf(date: NamedDate, at: number): readonly NamedDate[] {
  if (date.year !== undefined) return [date];
  const year = new Date(at).getUTCFullYear();
  return [year - 1, year, year + 1]
    .map((near) => ({ ...date, year: near }))
    .filter((near) => isNear(near, at));
}

function spanOfDate(date: NamedDate): Span {
  const from = firstDay(date);
  if (date.day !== undefined) return { from, to: from };
  const { year = 0, month } = date;
  const end = month === undefined ? Date.UTC(year + 1, 0) : Date.UTC(year, month);
  return { from, to: end / DAY_MS - 1 };
}

function firstDay({ year = 0, month = 1, day = 1 }: NamedDate): number {
  return Date.UTC(year, month - 1, day) / DAY_MS;
}

/** Returns the weekday of a day; the epoch began on a Thursday. */
function weekdayOfDay(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

/** Returns the Monday of a day's week, in days since the epoch. */
export function mondayOf(day: number): number {
  return day - ((weekdayOfDay(day) + 6) % 7);
}

/** Returns all days that may be meant: on a Monday, `next Friday` may be 4 or 11 days ahead. */
function weekdaySpans({ weekday, direction }: NamedWeekday, today: number): readonly Span[] {
  const ahead = (weekday - weekdayOfDay(today) + 7) % 7;
  const monday = mondayOf(today);
  const next = today + (ahead === 0 ? 7 : ahead);
  const last = next - 7 === today ? today - 7 : next - 7;
  const days: number[] = [];
  if (direction === 0 && ahead === 0) days.push(today);
  if (direction >= 0) days.push(next);
  if (direction === 1 && (next < monday + 7 || next <= today + 2)) days.push(next + 7);
  if (direction <= 0) days.push(last);
  if (direction === -1 && (last >= monday || last >= today - 2)) days.push(last - 7);
  return days.map((day) => ({ from: day, to: day }));
}

function offsetSpan({ unit, count }: DayOffset, at: number): Span {
  const today = dayNumber(at);
  const date = new Date(at);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  switch (unit) {
    case 'day':
      return { from: today + count, to: today + count };
    case 'week': {
      const monday = mondayOf(today) + count * 7;
      return { from: monday, to: monday + 6 };
    }
    case 'month':
      return monthSpan(year, month + count, 1);
    case 'year':
      return monthSpan(year + count, 0, 12);
    default:
      return unit satisfies never;
  }
}

function monthSpan(year: number, month: number, months: number): Span {
  return {
    from: Date.UTC(year, month) / DAY_MS,
    to: Date.UTC(year, month + months) / DAY_MS - 1,
  };
}
