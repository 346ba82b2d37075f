/** Days as people write them, and whether two names mean one day. */
import { describe, expect, test } from 'vitest';
import { dateOf, isSameDay, type NamedDay } from '#core/text/day.ts';
import { dayAt } from '#core/text/day-reader.ts';
import { tokensOf } from '#core/text/words-and-marks.ts';

/** `2026-3-5`, `?-3-5` without a year, `weekday 5 next`, `+2 week`. */
function named(day: NamedDay): string {
  if (day.kind === 'Weekday') {
    return `weekday ${String(day.weekday)} ${['last', 'any', 'next'][day.direction + 1] ?? ''}`;
  }
  if (day.kind === 'Offset') return `${day.count < 0 ? '' : '+'}${String(day.count)} ${day.unit}`;
  return [day.year, day.month, day.day].map((part) => part ?? '?').join('-');
}

/** What the text begins with; `?` behind it where it may be another word. */
function read(text: string): string {
  const day = dayAt(tokensOf(text), 0);
  if (day === null) return 'none';
  return `${day.days.map(named).join(' or ')}${day.doubtful ? ' ?' : ''}`;
}

describe('a day', () => {
  test.each([
    ['2026-03-05', '2026-3-5'],
    ['2026/03/05', '2026-3-5'],
    ['2026-12', '2026-12-?'],
    ['2026/12', 'none'],
    ['2026-13-05', 'none'],
    ['2026-03-32', 'none'],
    ['2026 -03-05', 'none'],
    ['1803-03-05', 'none'],
    ['5.3.2026', '2026-3-5'],
    ['5.3.26', '2026-3-5'],
    ['2026.03.05', '2026-3-5'],
    ['5.13.2026', 'none'],
    ['3/5/2026', '2026-3-5 or 2026-5-3'],
    ['13/5/2026', '2026-5-13'],
    ['3/5', 'none'],
    ['2026年3月5日', '2026-3-5'],
    ['2026年3月', '2026-3-?'],
    ['3月5日', '?-3-5'],
    ['3月', '?-3-?'],
    ['5 March 2026', '2026-3-5'],
    ['5 March', '?-3-5'],
    ['5th of March, 2026', '2026-3-5'],
    ['the twenty-first of March', 'none'],
    ['twenty-first of March', '?-3-21'],
    ['third of March', '?-3-3'],
    ['March 5, 2026', '2026-3-5'],
    ['March the 5th', '?-3-5'],
    ['March 2026', '2026-3-?'],
    ['March', '?-3-? ?'],
    ['April', '?-4-?'],
    ['march', '?-3-? ?'],
    ['today', '+0 day'],
    ['yesterday', '-1 day'],
    ['heute', '+0 day ?'],
    ['the day after tomorrow', '+2 day'],
    ['the day before yesterday', '-2 day'],
    ['the day of rest', 'none'],
    ['pasado mañana', '+2 day ?'],
    ['next week', '+1 week'],
    ['last month', '-1 month'],
    ['this year', '+0 year'],
    ['next Friday', 'weekday 5 next'],
    ['the following Friday', 'none'],
    ['following Friday', 'weekday 5 next ?'],
    ['in three days', '+3 day or +3 day ?'],
    ['two weeks ago', '-2 week or -14 day ?'],
    ['vor 2 Monaten', '-2 month or -60 day ?'],
    ['a week from tomorrow', '+8 day ?'],
    ['two weeks', 'none'],
    ['Friday', 'weekday 5 any'],
    ['friday', 'weekday 5 any ?'],
    ['Bergen', 'none'],
  ])('written as %j is read as %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });
});

/** A Wednesday. */
const SAID = Date.UTC(2026, 10, 18, 12);
const dayIn = (text: string): NamedDay => {
  const [day] = dayAt(tokensOf(text), 0)?.days ?? [];
  if (day === undefined) throw new Error(`${text} is no day.`);
  return day;
};

describe('on Wednesday, 18 November 2026, a fact', () => {
  test.each<[boolean, string, string]>([
    [true, '2026-11-18', 'today'],
    [true, '2026-11-19', 'tomorrow'],
    [false, '2026-11-18', 'tomorrow'],
    [true, '2026-11-20', 'Friday'],
    [true, '2026-11-13', 'Friday'],
    [false, '2026-11-27', 'Friday'],
    [true, '2026-11-20', 'next Friday'],
    [true, '2026-11-27', 'next Friday'],
    [false, '2026-11-13', 'next Friday'],
    [true, '2026-11-13', 'last Friday'],
    [false, '2026-11-20', 'last Friday'],
    [true, '2026-11-18', 'Wednesday'],
    [true, 'Friday', '20 November'],
    [false, 'Friday', '21 November'],
    [false, 'Friday', 'November'],
    [true, 'November', '20 November'],
    [false, '20 November', 'November'],
    [false, '20 November', '21 November'],
    [true, '20 November', '2026-11-20'],
    [true, '2026-11-20', '20 November'],
    [false, '2024-11-20', '20 November'],
    [true, '2027-03-05', '5 March'],
    [false, '2026-01-05', '5 January'],
    [false, '2026-11-20', '2025-11-20'],
    [true, 'November 2026', '2026-11-20'],
    [true, '2026年', 'this month'],
    [true, '2026年', 'this year'],
    [false, '2025年', 'this year'],
    [false, '2027年', 'this year'],
    [true, 'next week', '2026-11-23'],
    [true, 'next week', '2026-11-29'],
    [false, 'next week', '2026-11-22'],
    [false, 'next week', '2026-11-30'],
    [true, 'last month', '2026-10-31'],
    [false, 'last month', '2026-11-01'],
    [true, 'this year', '2026-12-31'],
    [false, 'this year', '2027-01-01'],
    [true, 'November 2026', 'this week'],
    [false, 'this week', 'November 2026'],
  ])('is supported (%s): %s by %s', (expected, fact, source) => {
    expect(isSameDay(dayIn(fact), dayIn(source), SAID)).toBe(expected);
  });

  test('has the date of its timestamp', () => {
    expect(dateOf(SAID)).toEqual({ kind: 'Date', year: 2026, month: 11, day: 18 });
  });
});
