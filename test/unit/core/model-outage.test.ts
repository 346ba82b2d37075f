import { expect, test } from 'vitest';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { modelOutage, type OutageRecords } from '#core/refresh/model-outage.ts';
import { NOW } from '#test/conformance/samples.ts';
import { settledScope } from './scope-records.ts';

type Hold = NonNullable<ScopeRecord['hold']>;

const holdOf = (code: string, since: number): Hold => ({
  since,
  until: NOW + 60_000,
  code,
  dueAt: NOW,
  exhaustion: null,
});

const isDueBy =
  (until: number | undefined) =>
  ({ hold }: ScopeRecord): boolean =>
    (hold?.until ?? 0) <= (until ?? NOW);

function recordsOf(checks: readonly object[], holds: readonly Hold[]): OutageRecords {
  const scopes = holds.map((hold) => settledScope({ hold }));
  return {
    modelProviders: {
      list: () => Promise.resolve(checks.map((check) => ({ check }))),
    } as unknown as OutageRecords['modelProviders'],
    scopes: {
      dueTenants: ({ now }) => Promise.resolve(scopes.some(isDueBy(now)) ? ['a'] : []),
      due: (_, { until }) => Promise.resolve(scopes.filter(isDueBy(until))),
    },
  };
}

const AWAY = { state: 'Unavailable', code: 'TIMEOUT', since: NOW - 70 };
const THERE = { state: 'Available', code: null, since: NOW - 900 };

test.each([
  ['no scope waits', [THERE, null], [], null],
  ['a provider is unavailable', [THERE, AWAY], [], { code: 'TIMEOUT', since: NOW - 70 }],
  [
    'a scope has waited longer',
    [AWAY],
    [holdOf('FORBIDDEN', NOW - 80)],
    { code: 'FORBIDDEN', since: NOW - 80 },
  ],
  ['a scope waits for its budget', [], [holdOf('BUDGET_EXHAUSTED', NOW - 80)], null],
])('modelOutage reports the longest outage if %s', async (_, checks, holds, outage) => {
  expect(await modelOutage(recordsOf(checks as object[], holds), NOW)).toEqual(outage);
});
