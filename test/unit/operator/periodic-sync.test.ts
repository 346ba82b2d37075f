/** When outside state that belongs to no resource is looked at, by a leader or beside a folder. */
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { NO_OPERATOR_METRICS, type OperatorMetrics } from '#core/ports/operator-metrics.ts';
import { lookNowAndThen, SCHEDULES_MS, schedulesStep } from '#operator/cluster/periodic-sync.ts';
import { stillPlatform } from './policy-store.ts';
import { virtualTime } from './virtual-time.ts';

/** Looks that end as the test says, and at which times they were made. */
function looking(look: (count: number) => Promise<void>) {
  const time = virtualTime();
  const messages: string[] = [];
  const { log } = stillPlatform(messages);
  const controller = new AbortController();
  const looks: number[] = [];
  const counted = (): Promise<void> => {
    looks.push(time.now());
    return look(looks.length);
  };
  const gauge: string[] = [];
  const outcomes: boolean[] = [];
  const metrics: OperatorMetrics = {
    ...NO_OPERATOR_METRICS,
    set: (name, labels, value) => gauge.push([name, ...Object.values(labels), value].join(' ')),
  };
  const parts = { timers: time.timers(), log, metrics };
  const step = schedulesStep(counted, (isAnswered) => outcomes.push(isAnswered));
  const running = lookNowAndThen(step, parts, controller.signal);
  return { time, messages, looks, gauge, outcomes, running, end: () => controller.abort() };
}

describe('looking now and then', () => {
  test('at once, and of Temporal every minute until the signal', async () => {
    const { time, looks, running, end } = looking(() => Promise.resolve());
    await time.pass(2 * SCHEDULES_MS);
    expect(looks).toEqual([0, SCHEDULES_MS, 2 * SCHEDULES_MS]);
    end();
    await running;
    await time.pass(SCHEDULES_MS);
    expect(looks).toHaveLength(3);
  });

  test('what does not answer is looked at again half a minute later', async () => {
    const away = new VarveError('PROVIDER_ERROR', 'No Temporal server answers.');
    const { time, looks, messages, gauge, outcomes, end, running } = looking((count) =>
      count === 1 ? Promise.reject(away) : Promise.resolve(),
    );
    await time.pass(30_000);
    expect(looks).toEqual([0, 30_000]);
    expect(messages).toEqual([expect.stringContaining('No Temporal server answers.')]);
    const failing = 'installation_step_failing schedules';
    expect(gauge).toEqual([`${failing} 1`, `${failing} 0`]);
    expect(outcomes).toEqual([false, true]);
    end();
    await running;
  });

  test('a Temporal that another installation is at work in is not away', async () => {
    const contested = new VarveError('CONFLICT', 'Something else keeps changing the schedule.');
    const { time, gauge, outcomes, end, running } = looking(() => Promise.reject(contested));
    await time.pass(1_000);
    expect(gauge).toEqual(['installation_step_failing schedules 0']);
    expect(outcomes).toEqual([true]);
    end();
    await running;
  });

  test('a mistake of the program is not looked past', async () => {
    const { running } = looking(() => Promise.reject(new TypeError('not a function')));
    await expect(running).rejects.toThrow(TypeError);
  });
});
