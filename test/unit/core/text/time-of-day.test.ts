/** Times of day as people write them. */
import { expect, test } from 'vitest';
import { timeAt } from '#core/text/time-of-day.ts';
import { tokensOf } from '#core/text/words-and-marks.ts';

/** Whether morning or afternoon is meant, up to noon, a time alone does not say. */
function read(text: string): readonly string[] {
  const found = timeAt(tokensOf(text), 0);
  return (found?.minutes ?? []).map((minutes) => {
    const [hour, minute] = [Math.floor(minutes / 60), minutes % 60];
    return `${String(hour)}:${String(minute).padStart(2, '0')}`;
  });
}

test.each([
  ['noon', ['12:00']],
  ['midday', ['12:00']],
  ['midnight', ['0:00']],
  ['15:30', ['15:30']],
  ['3:30', ['3:30', '15:30']],
  ['12:30', ['12:30', '0:30']],
  ['12:59', ['12:59', '0:59']],
  ['13:00', ['13:00']],
  ['1:00', ['1:00', '13:00']],
  ['0:59', ['0:59']],
  ['24:00', ['24:00']],
  ['25:00', []],
  ['9:75', []],
  ['9:60', []],
  ['9: 30', []],
  ['9 :30', []],
  ['9:3', []],
  ['3pm', ['15:00']],
  ['3 am', ['3:00']],
  ['12am', ['0:00']],
  ['12pm', ['12:00']],
  ['13pm', []],
  ['3:30pm', ['15:30']],
  ['9 Uhr', ['9:00']],
  ['9.30 Uhr', ['9:30']],
  ['9.30', []],
  ["three o'clock", ['3:00', '15:00']],
  ["12 o'clock", ['12:00', '0:00']],
  ["thirteen o'clock", []],
  ['half past three', ['3:30', '15:30']],
  ['quarter to four', ['3:45', '15:45']],
  ['quarter past twelve', ['12:15', '0:15']],
  ['quarter to 11', ['10:45', '22:45']],
  ['half past thirteen', []],
  ['half past 13', []],
  ['half of three', []],
  ['quarter to', []],
  ['quarter', []],
  ['eight', []],
  ['8', []],
  ['100', []],
])('%s is read as %j', (text, expected) => {
  expect(read(text)).toEqual(expected);
});

test.each([
  ['15:30 in the hall', 3],
  ['15:30:10 in the hall', 5],
  ['15:30:10.250 in the hall', 5],
  ['15:30: in the hall', 3],
  ['8:45:59 pm in the hall', 6],
  ['9.30 Uhr im Saal', 2],
  ['3pm in the hall', 2],
  ['half past three in the hall', 3],
  ['noon in the hall', 1],
])('the time in %s has %i tokens', (text, expected) => {
  expect(timeAt(tokensOf(text), 0)?.length).toBe(expected);
});
