/** Upkeep of what belongs to no resource: each step at its own interval, and none delays a stop. */
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { NO_OPERATOR_METRICS, type OperatorMetrics } from '#core/ports/metrics.ts';
import { isReleased } from '#core/records/policy.ts';
import {
  AFTER_FAILURE_MS,
  SCHEDULES_MS,
  checkPeriodically,
  schedulesStep,
} from '#operator/cluster/installation-upkeep.ts';
import { firstEpoch } from '#operator/leader/lease.ts';
import { NOW, stillPlatform } from '../policy-store.ts';
import { virtualTime } from '../virtual-time.ts';
import { operatorFixture } from './operator-fixture.ts';
import { observation, OWNER, recordOf, tenantObject } from './resources.ts';

const GONE = { ...OWNER, name: 'gone', uid: 'uid-gone' };
const FORBIDDEN = new VarveError('FORBIDDEN', 'Temporal does not allow it.');

/** The labels that a counter was counted with, in order. */
function counting(counter: 'installation_failures_total' | 'workqueue_adds_total') {
  const counted: string[] = [];
  const metrics: OperatorMetrics = {
    ...NO_OPERATOR_METRICS,
    count: (name, labels) => {
      if (name === counter) counted.push(Object.values(labels).join(' '));
    },
  };
  return { counted, metrics };
}

describe('the upkeep of an installation', () => {
  test.each<[string, () => Promise<void>, number]>([
    ['fails in every round', () => Promise.reject(FORBIDDEN), 3],
    ['hangs', () => new Promise(() => undefined), 0],
  ])('releases tenants even if Temporal %s', async (...row) => {
    const [, ensureInstallation, told] = row;
    const { counted, metrics } = counting('installation_failures_total');
    const fixture = await operatorFixture({ options: { ensureInstallation, metrics } });
    const { policy } = recordOf(observation(tenantObject()));
    await fixture.store.policies.put(
      GONE,
      { ...policy, tenant: 'gone' },
      { hash: 'gone', now: NOW },
    );
    fixture.run();
    await fixture.time.pass(2 * AFTER_FAILURE_MS + 1_000);
    expect(isReleased(await fixture.store.policies.get('gone'))).toBe(true);
    expect(counted).toEqual(Array.from({ length: told }, () => 'schedules'));
    const warnings = fixture.messages.filter((text) =>
      text.includes('search attributes of Temporal'),
    );
    expect(warnings).toHaveLength(told);
  });

  test('keeps the schedules even if the store fails', async () => {
    let kept = 0;
    const { counted, metrics } = counting('installation_failures_total');
    const fixture = await operatorFixture({
      isStoreAway: () => true,
      options: { metrics, ensureInstallation: async () => void (kept += 1) },
    });
    fixture.run();
    await fixture.time.pass(AFTER_FAILURE_MS + 1_000);
    expect(kept).toBe(1);
    expect(counted.toSorted()).toEqual(['providers', 'providers', 'tenants', 'tenants']);
    await fixture.time.pass(SCHEDULES_MS);
    expect(kept).toBe(2);
  });

  test('keeps the schedules under the epoch of the term', async () => {
    const epochs: number[] = [];
    const ensureInstallation = async (epoch: number) => void epochs.push(epoch);
    const fixture = await operatorFixture({ options: { ensureInstallation } });
    fixture.run();
    await fixture.time.pass(1_000);
    expect(epochs).toEqual([firstEpoch(NOW)]);
  });
});

describe('the end of a term', () => {
  test('does not wait for a hanging Temporal, aborts its call and gives the Lease back', async () => {
    const seen: AbortSignal[] = [];
    const ensureInstallation = (_: number, signal: AbortSignal) => {
      seen.push(signal);
      return new Promise<void>(() => undefined);
    };
    const { counted, metrics } = counting('workqueue_adds_total');
    const fixture = await operatorFixture({ options: { ensureInstallation, metrics } });
    fixture.run();
    await fixture.time.pass(1_000);
    expect(seen.map(({ aborted }) => aborted)).toEqual([false]);
    fixture.stop.abort();
    await fixture.time.pass(1_000);
    expect(fixture.outcome()).toBe('Stopped');
    expect(seen.map(({ aborted }) => aborted)).toEqual([true]);
    expect(fixture.lease.read()?.['spec']).not.toHaveProperty('holderIdentity');
    for (const queue of fixture.operator.queues) queue.add('team-a/acme');
    expect(counted).toEqual([]);
  });

  test('after a program error ends the queues and gives the Lease back', async () => {
    const { counted, metrics } = counting('workqueue_adds_total');
    const ensureInstallation = () => Promise.reject(new TypeError('a mistake'));
    const fixture = await operatorFixture({ options: { ensureInstallation, metrics } });
    fixture.run();
    await fixture.time.pass(1_000);
    expect(fixture.outcome()).toContain('a mistake');
    for (const queue of fixture.operator.queues) queue.add('team-a/acme');
    expect(counted).toEqual([]);
    expect(fixture.lease.read()?.['spec']).not.toHaveProperty('holderIdentity');
  });
});

/** Looks that end as the test says, and at which times they were made. */
function checking(check: (count: number) => Promise<void>) {
  const time = virtualTime();
  const messages: string[] = [];
  const { log } = stillPlatform(messages);
  const controller = new AbortController();
  const reads: number[] = [];
  const counted = (): Promise<void> => {
    reads.push(time.now());
    return check(reads.length);
  };
  const gauge: string[] = [];
  const outcomes: boolean[] = [];
  const metrics: OperatorMetrics = {
    ...NO_OPERATOR_METRICS,
    set: (name, labels, value) => gauge.push([name, ...Object.values(labels), value].join(' ')),
  };
  const parts = { timers: time.timers(), log, metrics };
  const step = schedulesStep(counted, (isAnswered) => outcomes.push(isAnswered));
  const running = checkPeriodically(step, parts, controller.signal);
  return { time, messages, reads, gauge, outcomes, running, end: () => controller.abort() };
}

describe('periodic checks', () => {
  test('run at once and then every minute until the signal', async () => {
    const { time, reads, running, end } = checking(() => Promise.resolve());
    await time.pass(2 * SCHEDULES_MS);
    expect(reads).toEqual([0, SCHEDULES_MS, 2 * SCHEDULES_MS]);
    end();
    await running;
    await time.pass(SCHEDULES_MS);
    expect(reads).toHaveLength(3);
  });

  test('run again half a minute after a failure', async () => {
    const away = new VarveError('PROVIDER_ERROR', 'No Temporal server answers.');
    const { time, reads, messages, gauge, outcomes, end, running } = checking((count) =>
      count === 1 ? Promise.reject(away) : Promise.resolve(),
    );
    await time.pass(30_000);
    expect(reads).toEqual([0, 30_000]);
    expect(messages).toEqual([
      expect.stringMatching(/^failed to check .*: No Temporal server answers\.$/u),
    ]);
    const failing = 'installation_step_failing schedules';
    expect(gauge).toEqual([`${failing} 1`, `${failing} 0`]);
    expect(outcomes).toEqual([false, true]);
    end();
    await running;
  });

  test('do not report Temporal as unavailable on a conflict with another installation', async () => {
    const contested = new VarveError('CONFLICT', 'Something else keeps changing the schedule.');
    const { time, gauge, outcomes, end, running } = checking(() => Promise.reject(contested));
    await time.pass(1_000);
    expect(gauge).toEqual(['installation_step_failing schedules 0']);
    expect(outcomes).toEqual([true]);
    end();
    await running;
  });

  test('end with a program error', async () => {
    const { running } = checking(() => Promise.reject(new TypeError('not a function')));
    await expect(running).rejects.toThrow(TypeError);
  });
});
