import { expect, test } from 'vitest';
import { schedulesText } from '#cli/commands/dream-schedules.ts';

const AT = Date.parse('2026-11-21T02:00:00Z');
const SCHEDULE = {
  name: 'nightly-of-everybody-who-works-at-the-office-in-oslo',
  cron: '0 3 * * *',
  timeZone: 'America/Argentina/ComodRivadavia',
  nextAt: AT + 86_400_000,
};

test('times and outcomes of DeepDreams are whole, in words', () => {
  const last = { at: AT, started: 7, outcomes: { Dreamed: 5, Waiting: 2 }, endedAt: AT + 9 };
  const text = schedulesText([{ ...SCHEDULE, last }]);
  expect(text).toContain(SCHEDULE.name);
  expect(text).toMatch(
    /2026-11-22T02:00Z +2026-11-21T02:00Z +5 written, 2 waiting for a person$/mu,
  );
});

test.each([
  [{ at: AT, started: 3, outcomes: {}, endedAt: null }, /3 dreams started$/mu],
  [{ at: AT, started: 0, outcomes: {}, endedAt: AT }, /none was due$/mu],
  [null, / never$/mu],
])('of a last time %j it says %j', (last, said) => {
  expect(schedulesText([{ ...SCHEDULE, last }])).toMatch(said);
});

test('where none is declared it is said what to do', () => {
  expect(schedulesText([])).toMatch(/varve dream run/u);
});
