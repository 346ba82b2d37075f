/** DeepDreams on a real API server: from the resource to its schedule in the store and back. */
import { expect, test } from 'vitest';
import type { DreamSchedule } from '#core/records/dream-schedule.ts';
import { DEEP_DREAM, MEMORY_TENANT } from '#crds/resource-types.ts';
import { timeText, PAUSED_ANNOTATION } from '#operator/tenant/metadata-and-conditions.ts';
import { describeUnless } from '../cluster/needs.ts';
import { missingForKubernetes } from '../cluster/test-kubernetes.ts';
import { calendar } from '../unit/operator/policy-store.ts';
import { openFixture, PATIENCE, seenAs, type OperatorFixture } from './operator-fixture.ts';
import { openOperatorServer } from './operator-server.ts';
import { shared } from '#test/shared-fixture.ts';

/** Once a year, so that no test runs into one. */
const NEW_YEAR = '30 3 1 1 *';
const MIDSUMMER = '0 4 24 6 *';
const nextOf = (cron: string): number | null => calendar.nextTime(cron, 'UTC', Date.now());

describeUnless(await missingForKubernetes())('dreams on an API server', () => {
  const server = shared(openOperatorServer);

  const declare = (it: OperatorFixture, spec: object, annotations: Record<string, string> = {}) =>
    it.apply(DEEP_DREAM, {
      name: 'nightly',
      spec: { tenantRef: { name: 'acme' }, ...spec },
      annotations,
    });
  const ready = (it: OperatorFixture, verdict: string) =>
    expect.poll(() => it.condition(DEEP_DREAM, 'nightly', 'Ready'), PATIENCE).toBe(verdict);
  const stored = (it: OperatorFixture) => it.store.dreamSchedules.get('acme', 'nightly');
  const statusOf = async (it: OperatorFixture) => (await it.get(DEEP_DREAM, 'nightly'))?.['status'];

  /** A tenant with one dream, which comes at New Year. */
  async function scheduled(differing: Parameters<OperatorFixture['start']>[0] = {}) {
    const it = await openFixture(server());
    await it.apply(MEMORY_TENANT, { name: 'acme' });
    await declare(it, { cron: NEW_YEAR });
    const running = it.start(differing);
    await ready(it, 'True Scheduled');
    await running.lookAgain();
    return { it, running };
  }

  async function changed(it: OperatorFixture, differing: Partial<DreamSchedule>): Promise<void> {
    const record = await stored(it);
    if (record === null) throw new Error('There is no schedule.');
    await it.store.dreamSchedules.put({ ...record, ...differing, version: record.version + 1 });
  }

  test('an applied dream is in the policy and the store, and its status shows its next time', async () => {
    const { it } = await scheduled();
    const at = nextOf(NEW_YEAR) ?? 0;
    expect((await it.store.policies.get('acme'))?.policy.dreams).toMatchObject([
      { name: 'nightly', cron: NEW_YEAR, agents: ['*'], users: ['*'] },
    ]);
    expect(await stored(it)).toMatchObject({ nextAt: at, last: null, policyGeneration: 1 });
    expect(await statusOf(it)).toMatchObject({
      observedGeneration: 1,
      nextDreamTime: timeText(at),
    });
    expect(await it.condition(DEEP_DREAM, 'nightly', 'Accepted')).toBe('True Accepted');
  });

  test('a new cron changes the next time in the store and in the status', async () => {
    const { it } = await scheduled();
    await declare(it, { cron: MIDSUMMER });
    const at = nextOf(MIDSUMMER) ?? 0;
    await expect.poll(async () => (await stored(it))?.nextAt, PATIENCE).toBe(at);
    await expect
      .poll(() => statusOf(it), PATIENCE)
      .toMatchObject({ observedGeneration: 2, nextDreamTime: timeText(at) });
    await ready(it, 'True Scheduled');
  });

  test('a dream that is invalid in this version keeps the last good one', async () => {
    const it = await openFixture(server());
    let isBroken = false;
    const broken = seenAs(server().api, (object) =>
      isBroken && object.kind === 'DeepDream'
        ? { ...object, spec: { tenantRef: { name: 'acme' }, cron: 'soon' } }
        : object,
    );
    await it.apply(MEMORY_TENANT, { name: 'acme' });
    await declare(it, { cron: NEW_YEAR });
    const running = it.start({ api: broken });
    await ready(it, 'True Scheduled');
    const before = [await it.store.policies.get('acme'), await stored(it)];
    isBroken = true;
    await declare(it, { cron: MIDSUMMER });
    await ready(it, 'False InvalidSpec');
    const message = await it.message(DEEP_DREAM, 'nightly', 'Accepted');
    expect(message).toContain('spec.cron: expected five fields of cron');
    expect(message).toContain(`kubectl edit deepdream nightly -n ${it.namespace}`);
    await running.lookAgain();
    expect([await it.store.policies.get('acme'), await stored(it)]).toEqual(before);
    isBroken = false;
    await declare(it, { cron: MIDSUMMER, lookbackDays: 2 });
    await ready(it, 'True Scheduled');
    expect((await stored(it))?.nextAt).toBe(nextOf(MIDSUMMER));
  });

  test('a paused dream keeps what was applied until it is resumed', async () => {
    const { it, running } = await scheduled();
    await declare(it, { cron: MIDSUMMER }, { [PAUSED_ANNOTATION]: 'true' });
    await ready(it, 'False Paused');
    await running.lookAgain();
    expect((await stored(it))?.nextAt).toBe(nextOf(NEW_YEAR));
    await declare(it, { cron: MIDSUMMER });
    await ready(it, 'True Scheduled');
    expect((await stored(it))?.nextAt).toBe(nextOf(MIDSUMMER));
  });

  test('the status of a dream shows that it never comes or has no tenant', async () => {
    const it = await openFixture(server());
    await declare(it, { cron: '0 0 30 2 *' });
    it.start();
    await ready(it, 'False TenantNotFound');
    await it.apply(MEMORY_TENANT, { name: 'acme' });
    await ready(it, 'False NeverComes');
    expect(await statusOf(it)).not.toHaveProperty('nextDreamTime');
  });

  test('a deleted dream leaves the policy and the store', async () => {
    const { it } = await scheduled();
    await it.api.delete(DEEP_DREAM, { namespace: it.namespace, name: 'nightly' });
    await expect.poll(() => stored(it), PATIENCE).toBeNull();
    expect((await it.store.policies.get('acme'))?.policy).not.toHaveProperty('dreams');
  });

  test('a change by another writer in the store is corrected and counted', async () => {
    const { it, running } = await scheduled();
    const before = await stored(it);
    expect(running.counted('drift_corrected_total', 'dream')).toBe(0);
    await it.store.dreamSchedules.remove('acme', 'nightly', 1);
    await running.lookAgain();
    expect(await stored(it)).toEqual(before);
    expect(running.counted('drift_corrected_total', 'dream')).toBe(1);
    await changed(it, { nextAt: (before?.nextAt ?? 0) + 1_000 });
    await running.lookAgain();
    expect(await stored(it)).toMatchObject({ nextAt: before?.nextAt });
    expect(running.counted('drift_corrected_total', 'dream')).toBe(2);
    await running.lookAgain();
    expect(running.counted('drift_corrected_total', 'dream')).toBe(2);
  });

  test('the status shows how the last round ended, and kubectl shows it too', async () => {
    const { it, running } = await scheduled();
    const at = Date.UTC(2026, 0, 1, 3, 30);
    const outcomes = { Dreamed: 12, Failed: 1 };
    const times = { at, startedAt: at, endedAt: at + 60_000 };
    await changed(it, { last: { ...times, started: 13, outcomes, counted: [] } });
    // Counters of a status are written once a minute, a new finding at once.
    await running.lookAgain();
    await ready(it, 'False LastDreamFailed');
    expect(await statusOf(it)).toMatchObject({
      lastDreamTime: '2026-01-01T03:31:00Z',
      lastOutcome: '1 failed, 12 dreamed',
    });
    const shown = await server().cluster.kubectl(['get', 'dd', '-n', it.namespace]);
    expect(shown.stdout).toMatch(
      /nightly\s+acme\s+False\s.*LastDreamFailed\s+30 3 1 1 \*\s.*1 failed, 12 dreamed\s/u,
    );
  });

  test('an unchanged status or record is not written again', async () => {
    const { it, running } = await scheduled();
    const version = async () => (await it.get(DEEP_DREAM, 'nightly'))?.metadata.resourceVersion;
    const before = [await version(), await stored(it)];
    for (let round = 0; round < 3; round += 1) await running.lookAgain();
    expect([await version(), await stored(it)]).toEqual(before);
  });
});
