/** What of an installation was deleted behind the back of its operator. */
import { expect, test } from 'vitest';
import { createInstallationDrift } from '#cli/operator/temporal-part.ts';
import type { InstallationOutcome, ScheduleOutcome } from '#core/ports/installation-schedules.ts';

const CREATED: ScheduleOutcome = { kind: 'Created', schedule: 'tick' };
const KEPT: ScheduleOutcome = { kind: 'Kept', schedule: 'tick', isPaused: false };
const FOREIGN: ScheduleOutcome = { kind: 'Foreign', schedule: 'tick', owner: 'b' };
const MENDED: ScheduleOutcome = { kind: 'Mended', schedule: 'tick', cause: 'Drift' };
const DECLARED: ScheduleOutcome = { kind: 'Mended', schedule: 'tick', cause: 'Declaration' };

function look(
  outcome: ScheduleOutcome | null,
  searchAttributes: Partial<InstallationOutcome['searchAttributes']> = {},
): InstallationOutcome {
  const schedules = outcome === null ? [] : [outcome];
  return { schedules, searchAttributes: { added: [], conflicting: [], ...searchAttributes } };
}

test.each<[string, readonly ScheduleOutcome[], readonly number[]]>([
  ['made for the first time is none', [CREATED, KEPT], [0, 0]],
  ['made anew was deleted', [CREATED, KEPT, CREATED, KEPT], [0, 0, 1, 0]],
  ['found and then made anew was deleted', [KEPT, CREATED], [0, 1]],
  ['deleted each time is counted each time', [KEPT, CREATED, CREATED], [0, 1, 1]],
  ['that another changed is drift', [KEPT, MENDED, CREATED], [0, 1, 1]],
  ['declared anew is none', [DECLARED, KEPT], [0, 0]],
  ['of another that went is none', [FOREIGN, CREATED], [0, 0]],
  ['that passed to another and went is none', [KEPT, FOREIGN, CREATED], [0, 0, 0]],
])('drift of a schedule: one %s', (_, outcomes, expected) => {
  const drift = createInstallationDrift();
  expect(outcomes.map((outcome) => drift.look(look(outcome)).schedules)).toEqual(expected);
});

const ADDED = { added: ['Tenant', 'Phase'] };
const UNSEEN = { conflicting: ['Temporal does not let Varve look at them.'] };

test.each<[string, readonly Partial<InstallationOutcome['searchAttributes']>[], readonly number[]]>(
  [
    ['registered for the first time are none', [ADDED, {}], [0, 0]],
    ['registered again were removed', [ADDED, {}, ADDED], [0, 0, 2]],
    ['that could not be looked at before are none', [UNSEEN, ADDED], [0, 0]],
  ],
)('drift of search attributes: those %s', (_, outcomes, expected) => {
  const drift = createInstallationDrift();
  const counted = outcomes.map((outcome) => drift.look(look(null, outcome)).searchAttributes);
  expect(counted).toEqual(expected);
});
