/** Both commands keep the folder and the installation's schedules in Temporal together. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keepFolder, withOperatorPage } from '#cli/operator/run-folder.ts';
import { createTemporalPart, createInstallationDrift } from '#cli/operator/temporal-part.ts';
import type { InstallationOutcome, ScheduleOutcome } from '#core/ports/installation-schedules.ts';
import { type MetricsPage, NO_OPERATOR_METRICS } from '#core/ports/metrics.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { isFenced } from '#operator/cluster/leader-fence.ts';
import type { Round } from '#operator/folder/watch-folder.ts';
import type { TemporalClient } from '#providers/temporal/client.ts';
import { declaredSchedules } from '#providers/temporal/schedule-definitions.ts';
import { createInstallationSchedules } from '#providers/temporal/keep-schedules.ts';
import { layerPolicy, tenant } from '../../crds/policy-files.ts';
import {
  calendar,
  changedScope,
  folderWith,
  openStore,
  stillPlatform,
} from '../../operator/policy-store.ts';
import { scheduleServer } from '../../temporal/schedule-server.ts';

describe('keeping a folder', () => {
  test('checks the schedules once without leader election, even if refreshes fail', async () => {
    const messages: string[] = [];
    const platform = stillPlatform(messages);
    const store = await openStore(platform);
    await changedScope(store, { tenant: 'acme', layer: 'user', scopeId: 'dana' }, 3);
    const dir = await folderWith({ 'a.yaml': tenant('{}') });
    const ending = new AbortController();
    const [terms, notified]: [number[], string[]] = [[], []];
    const rounds: Round[] = [];
    const temporal = {
      refreshes: {
        notify: (id: string) => {
          notified.push(id);
          return Promise.reject(new Error('nobody is there'));
        },
        end: () => Promise.resolve(null),
      },
      ensureInstallation: (term: number) => {
        terms.push(term);
        return Promise.resolve();
      },
    };
    const parts = { dir, store, platform, calendar, clusterId: 'folder', temporal };
    const onRound = (round: Round): void => void rounds.push(round);
    const running = keepFolder({ ...parts, onRound }, ending.signal);
    onTestFinished(async () => {
      ending.abort();
      await running;
    });
    await expect.poll(() => rounds.length).toBe(1);
    await writeFile(path.join(dir, 'b.yaml'), layerPolicy('layer: user\nupdateOnChanges: 1'));
    await expect.poll(() => notified).toEqual(['acme']);
    await expect.poll(() => messages.join()).toContain('refresh request not delivered');
    expect(terms).toEqual([0]);
    expect(rounds.map(({ kind }) => kind)).not.toContain('Failed');
  });

  test('joins the metrics of the store and the operator on one page', async () => {
    const pageOf = (text: string): MetricsPage => ({
      contentType: 'text/plain',
      render: (others = []) => Promise.resolve(`${text}${String(others.length)}\n`),
      snapshot: (process) => Promise.resolve({ process, metrics: [] }),
    });
    const page = withOperatorPage(pageOf('memory '), pageOf('operator '));
    const other = { process: 'worker', metrics: [] };
    expect(await page.render([other])).toBe('memory 1\noperator 0\n');
  });
});

test('a leader of an earlier term cannot change the schedules', async () => {
  const { connection, state } = scheduleServer();
  const schedules = createInstallationSchedules({
    connection,
    namespace: 'default',
    owner: 'a',
    schedules: declaredSchedules().slice(0, 1),
    searchAttributes: {},
  });
  const withAbortSignal = <T>(_: AbortSignal, work: () => Promise<T>) => work();
  const client = { schedules, client: { connection: { withAbortSignal } } };
  const part = createTemporalPart({
    connect: () => Promise.resolve(client as unknown as TemporalClient),
    metrics: NO_OPERATOR_METRICS,
    log: SILENT_LOG,
  });
  await part.ensureInstallation(5);
  const refused = await part.ensureInstallation(4).catch((error: unknown) => error);
  expect(isFenced(refused)).toBe(true);
  expect(state.writes).toBe(1);
  await expect(part.ensureInstallation(6)).resolves.toBeUndefined();
});

const CREATED: ScheduleOutcome = { kind: 'Created', schedule: 'tick' };
const KEPT: ScheduleOutcome = { kind: 'Kept', schedule: 'tick', isPaused: false };
const FOREIGN: ScheduleOutcome = { kind: 'Foreign', schedule: 'tick', owner: 'b' };
const CORRECTED: ScheduleOutcome = { kind: 'Corrected', schedule: 'tick', cause: 'Drift' };
const DECLARED: ScheduleOutcome = { kind: 'Corrected', schedule: 'tick', cause: 'Declaration' };

function look(
  outcome: ScheduleOutcome | null,
  searchAttributes: Partial<InstallationOutcome['searchAttributes']> = {},
): InstallationOutcome {
  const schedules = outcome === null ? [] : [outcome];
  return { schedules, searchAttributes: { added: [], conflicting: [], ...searchAttributes } };
}

test.each<[string, readonly ScheduleOutcome[], readonly number[]]>([
  ['none if it is created the first time', [CREATED, KEPT], [0, 0]],
  ['counted if it is created again', [CREATED, KEPT, CREATED, KEPT], [0, 0, 1, 0]],
  ['counted if it existed and is created again', [KEPT, CREATED], [0, 1]],
  ['counted each time it is created again', [KEPT, CREATED, CREATED], [0, 1, 1]],
  ['counted if someone else changed it', [KEPT, CORRECTED, CREATED], [0, 1, 1]],
  ['none if its declaration changed', [DECLARED, KEPT], [0, 0]],
  ['none if another owner had it before', [FOREIGN, CREATED], [0, 0]],
  ['none if it passed to another owner meanwhile', [KEPT, FOREIGN, CREATED], [0, 0, 0]],
])('drift of a schedule: %s', (_, outcomes, expected) => {
  const drift = createInstallationDrift();
  expect(outcomes.map((outcome) => drift.correctedIn(look(outcome)).schedules)).toEqual(expected);
});

const ADDED = { added: ['Tenant', 'Phase'] };
const UNSEEN = { conflicting: ['Temporal does not let Varve look at them.'] };

test.each<[string, readonly Partial<InstallationOutcome['searchAttributes']>[], readonly number[]]>(
  [
    ['none if they are registered the first time', [ADDED, {}], [0, 0]],
    ['counted if they are registered again', [ADDED, {}, ADDED], [0, 0, 2]],
    ['none if they could not be read before', [UNSEEN, ADDED], [0, 0]],
  ],
)('drift of search attributes: %s', (_, outcomes, expected) => {
  const drift = createInstallationDrift();
  const counted = outcomes.map(
    (outcome) => drift.correctedIn(look(null, outcome)).searchAttributes,
  );
  expect(counted).toEqual(expected);
});
