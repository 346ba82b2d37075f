import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import {
  DONE,
  type ReconcileRequest,
  type ReconcileResult,
  DURING_OUTAGE_MS,
  GROWING_ATTEMPTS_MAX,
  withBoundedRetries,
} from '#operator/queue/reconcile-result.ts';
import { Workqueue, type WorkqueueOptions } from '#operator/queue/workqueue.ts';
import { createLog } from '#providers/node/log.ts';
import { virtualTime } from '../virtual-time.ts';

const MINUTE_MS = 60_000;

type Reconcile = (request: ReconcileRequest) => Promise<ReconcileResult>;

/** A queue over time by hand, with what it counted by name of metric and label. */
function fixture(reconcile: Reconcile, options: Partial<WorkqueueOptions> = {}) {
  const time = virtualTime();
  const counts: Record<string, number> = {};
  const noted: OperatorMetrics = {
    count: (name, labels, by = 1) => {
      const key = [name, ...Object.values(labels).slice(1)].join(' ');
      counts[key] = (counts[key] ?? 0) + by;
    },
    observe: () => undefined,
    set: () => undefined,
  };
  const runs: { readonly key: string; readonly at: number; readonly attempt: number }[] = [];
  const queue = new Workqueue({
    name: 'memorytenant',
    workers: 2,
    timers: time.timers(),
    log: SILENT_LOG,
    metrics: noted,
    ...options,
    reconcile: (request) => {
      runs.push({ key: request.key, at: time.now(), attempt: request.attempt });
      return reconcile(request);
    },
  });
  const leading = new AbortController();
  return { time, counts, queue, runs, leading, start: () => queue.start(leading.signal) };
}

function failure(details: Readonly<Record<string, unknown>> = {}): VarveError {
  return new VarveError('PROVIDER_ERROR', 'It failed.', { details });
}

const retry = (): Promise<ReconcileResult> => Promise.resolve({ kind: 'Retry', error: failure() });
const for10Seconds = (time: { timers(): { wait: WorkqueueOptions['timers']['wait'] } }) =>
  time.timers().wait(10_000, new AbortController().signal);

describe('a workqueue', () => {
  test('keys wait until leading begins and then run', async () => {
    const { time, queue, runs, start } = fixture(() => Promise.resolve(DONE));
    queue.add('a');
    queue.add('b');
    await time.pass(1_000);
    expect(runs).toEqual([]);
    start();
    await time.settle();
    expect(runs.map(({ key, at }) => [key, at])).toEqual([
      ['a', 1_000],
      ['b', 1_000],
    ]);
  });

  test('a failure is retried after 5, 10, 20 ms and so on, up to 1,000 s', async () => {
    const { time, queue, runs, start } = fixture(retry);
    start();
    queue.add('a');
    await time.pass(2 * 3_600_000);
    const pauses = runs.slice(1).map(({ at }, index) => at - (runs[index]?.at ?? 0));
    expect(pauses.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(pauses.slice(-2)).toEqual([1_000_000, 1_000_000]);
    expect(runs.slice(0, 3).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  });

  test('keys that fail together are retried at different times', async () => {
    const chances = [0, 0.5, 0.9];
    const time = virtualTime();
    const timers = time.timers({ random: () => chances.shift() ?? 0 });
    const ends: number[] = [];
    const queue = new Workqueue({
      name: 'memorytenant',
      workers: 3,
      timers,
      log: SILENT_LOG,
      metrics: { count: () => undefined, observe: () => undefined, set: () => undefined },
      reconcile: ({ attempt }) => {
        if (attempt === 2) ends.push(time.now());
        return attempt === 1 ? retry() : Promise.resolve(DONE);
      },
    });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    queue.start(new AbortController().signal);
    await time.pass(1_000);
    expect(ends).toHaveLength(3);
    expect(new Set(ends).size).toBe(3);
  });

  test('at most ten failed keys a second are retried, after a first hundred', async () => {
    const { time, queue, runs, start } = fixture(
      ({ attempt }) => (attempt === 1 ? retry() : Promise.resolve(DONE)),
      { workers: 200 },
    );
    start();
    for (let n = 0; n < 150; n += 1) queue.add(String(n));
    await time.pass(1_000);
    expect(runs.filter(({ attempt }) => attempt === 2)).toHaveLength(110);
    await time.pass(4_000);
    expect(runs.filter(({ attempt }) => attempt === 2)).toHaveLength(150);
  });

  test('a retry waits as long as the other side asked', async () => {
    const asked: ReconcileResult = { kind: 'Retry', error: failure({ retryAfterMs: 30_000 }) };
    const { time, queue, runs, start } = fixture(() => Promise.resolve(asked));
    start();
    queue.add('a');
    await time.pass(29_999);
    expect(runs).toHaveLength(1);
    await time.pass(1);
    expect(runs).toHaveLength(2);
  });

  test.each<[string, ReconcileResult, readonly number[], Readonly<Record<string, number>>]>([
    ['Done ends the work on a key', DONE, [0], { 'controller_runtime_reconcile_total success': 1 }],
    [
      'RequeueAfter runs the key again',
      { kind: 'RequeueAfter', ms: MINUTE_MS },
      [0, MINUTE_MS, 2 * MINUTE_MS],
      { 'controller_runtime_reconcile_total requeue_after': 3 },
    ],
  ])('%s', async (_, result, times, counted) => {
    const { time, counts, queue, runs, start } = fixture(() => Promise.resolve(result));
    start();
    queue.add('a');
    await time.pass(2.5 * MINUTE_MS);
    expect(runs.map(({ at }) => at)).toEqual(times);
    expect(counts).toEqual({ ...counted, workqueue_adds_total: 1 });
  });

  test('a success resets the pauses', async () => {
    let calls = 0;
    const { time, queue, runs, start } = fixture(() => {
      calls += 1;
      return calls === 3 ? Promise.resolve(DONE) : retry();
    });
    start();
    queue.add('a');
    await time.pass(1_000);
    queue.add('a');
    await time.pass(5);
    expect(runs.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 1, 2]);
  });

  test('an exception is counted and retried, and the other keys go on', async () => {
    const { time, counts, queue, runs, start } = fixture(({ key, attempt }) => {
      if (key === 'bad' && attempt < 3) throw new TypeError('a mistake');
      return Promise.resolve(DONE);
    });
    start();
    queue.add('bad');
    queue.add('good');
    await time.pass(1_000);
    expect(runs.map(({ key }) => key)).toEqual(['bad', 'good', 'bad', 'bad']);
    expect(counts['controller_runtime_reconcile_panics_total']).toBe(2);
    expect(counts['controller_runtime_reconcile_errors_total']).toBe(2);
  });

  test('a reconcile past its time is aborted, and its key never runs beside it', async () => {
    const ends: (() => void)[] = [];
    const aborts: number[] = [];
    const { time, counts, queue, runs, start } = fixture(({ signal }) => {
      signal.addEventListener('abort', () => aborts.push(time.now()));
      return new Promise((resolve) => {
        ends.push(() => resolve(DONE));
      });
    });
    start();
    queue.add('a');
    await time.pass(1_000);
    queue.add('a');
    await time.pass(6 * MINUTE_MS);
    expect([aborts, runs.length]).toEqual([[5 * MINUTE_MS], 1]);
    expect(counts['controller_runtime_reconcile_timeouts_total']).toBe(1);
    expect(queue.stuck(MINUTE_MS)).toEqual([{ key: 'a', forMs: 6 * MINUTE_MS + 1_000 }]);
    ends[0]?.();
    await time.settle();
    expect(runs).toHaveLength(2);
    expect(queue.stuck(MINUTE_MS)).toEqual([]);
  });

  test('a stop lets running reconciles end, starts no more, and reports a drained queue', async () => {
    const { time, queue, runs, start } = fixture(async ({ signal }) => {
      await for10Seconds(time);
      expect(signal.aborted).toBe(false);
      return DONE;
    });
    start();
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await time.settle();
    const stopped = queue.stop();
    await time.pass(10_000);
    expect(await stopped).toEqual({ isDrained: true });
    await time.pass(10_000);
    expect(runs.map(({ key }) => key)).toEqual(['a', 'b']);
  });

  test('a stop waits at most 30 s', async () => {
    const { time, queue, start } = fixture(() => new Promise(() => undefined));
    start();
    queue.add('a');
    await time.settle();
    const stopped = queue.stop();
    await time.pass(30_000);
    expect(await stopped).toEqual({ isDrained: false });
  });

  test('the end of leading aborts all running reconciles at once and starts no more', async () => {
    const aborted: string[] = [];
    const { time, queue, runs, leading, start } = fixture(({ key, signal }) => {
      signal.addEventListener('abort', () => aborted.push(key));
      return new Promise(() => undefined);
    });
    start();
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await time.settle();
    leading.abort();
    queue.add('d');
    await time.pass(MINUTE_MS);
    expect([aborted, runs.length]).toEqual([['a', 'b'], 2]);
  });

  test('a reconcile that ends because it was aborted does not count as an error', async () => {
    const { time, counts, queue, leading, start } = fixture(async ({ signal }) => {
      await time.timers().wait(MINUTE_MS, signal);
      return DONE;
    });
    start();
    queue.add('a');
    await time.settle();
    leading.abort();
    await time.pass(MINUTE_MS);
    expect(counts).toEqual({ workqueue_adds_total: 1 });
    expect(queue.running()).toEqual([]);
  });

  test('a full queue asks for a new listing once it is half empty', async () => {
    let listings = 0;
    const stood = fixture(() => Promise.resolve(DONE), {
      keysMax: 4,
      onRoom: () => {
        listings += 1;
        for (let n = 0; n < 4; n += 1) stood.queue.add(String(n), { priority: 'Listed' });
      },
    });
    const { time, counts, queue, runs, start } = stood;
    for (let n = 0; n < 9; n += 1) queue.add(String(n));
    start();
    await time.settle();
    expect([counts['workqueue_refusals_total'], listings]).toEqual([5, 1]);
    expect(runs.length).toBeGreaterThanOrEqual(6);
  });

  test('metrics that throw are logged and delay no key', async () => {
    const logged: unknown[] = [];
    const broken = (): void => {
      throw new TypeError('a mistake of the metrics');
    };
    const { time, queue, runs, start } = fixture(
      ({ attempt }) => (attempt === 1 ? retry() : Promise.resolve(DONE)),
      {
        workers: 1,
        metrics: { count: broken, observe: broken, set: broken },
        log: { ...SILENT_LOG, error: (fields) => logged.push(fields) },
      },
    );
    start();
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await time.pass(1_000);
    expect(runs.map(({ key }) => key).toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
    expect(queue.running()).toEqual([]);
    expect(await queue.stop()).toEqual({ isDrained: true });
    expect(logged).toContainEqual(expect.objectContaining({ metric: 'workqueue_depth' }));
  });

  test('a listing that throws is logged and tried again', async () => {
    const logged: unknown[] = [];
    let listings = 0;
    const stood = fixture(() => Promise.resolve(DONE), {
      workers: 1,
      keysMax: 4,
      log: { ...SILENT_LOG, error: (fields) => logged.push(fields) },
      onRoom: () => {
        listings += 1;
        if (listings === 1) throw new TypeError('a mistake of the listing');
        stood.queue.add('refused');
      },
    });
    const { time, queue, runs, start } = stood;
    for (const key of ['a', 'b', 'c', 'd', 'refused']) queue.add(key);
    start();
    await time.settle();
    expect(runs.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd', 'refused']);
    expect(listings).toBe(2);
    expect(logged).toContainEqual(
      expect.objectContaining({ error: expect.objectContaining({ name: 'TypeError' }) }),
    );
  });

  test('a key always runs alone, and its last change is always seen', async () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      afterMs: fc.nat(50),
      lastsMs: fc.nat(40),
      end: fc.constantFrom('Done', 'Retry', 'Throw', 'RequeueAfter' as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        const versions = new Map<string, number>();
        const seen = new Map<string, number>();
        const running = new Set<string>();
        const ends = [...steps];
        const { time, queue, start } = fixture(async ({ key }) => {
          expect(running.has(key)).toBe(false);
          running.add(key);
          const version = versions.get(key) ?? 0;
          const { lastsMs, end } = ends.shift() ?? { lastsMs: 0, end: 'Done' };
          await time.timers().wait(lastsMs, new AbortController().signal);
          running.delete(key);
          if (end === 'Throw') throw new TypeError('a mistake');
          if (end === 'Retry') return { kind: 'Retry', error: failure() };
          seen.set(key, version);
          return end === 'RequeueAfter' ? { kind: 'RequeueAfter', ms: 10 } : DONE;
        });
        start();
        for (const { key, afterMs } of steps) {
          versions.set(key, (versions.get(key) ?? 0) + 1);
          queue.add(key);
          await time.pass(afterMs);
        }
        await time.pass(1_000_000);
        expect(seen).toEqual(versions);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the log of a workqueue', () => {
  const ENDS: Readonly<Record<string, Reconcile>> = {
    'that fails': retry,
    'that throws': () => Promise.reject(failure()),
    'that takes too long': () => new Promise(() => undefined),
  };
  test.each(Object.entries(ENDS))('names the object of a reconcile %s', async (_, reconcile) => {
    const lines: string[] = [];
    const destination = { write: (line: string) => lines.push(line) };
    const log = createLog({ level: 'warn', destination });
    const { time, queue, start } = fixture(reconcile, { log, reconcileMsMax: 1_000 });
    queue.add('team-a/acme');
    start();
    await time.pass(2_000);
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({
      controller: 'memorytenant',
      resource: 'team-a/acme',
      namespace: 'team-a',
      name: 'acme',
    });
  });
});

const AWAY = new VarveError('PROVIDER_ERROR', 'The server does not answer.');
const REFUSED = new VarveError('FORBIDDEN', 'The server does not allow it.');

function failing(thrown: VarveError, attempt: number, log = SILENT_LOG) {
  const reconcile = withBoundedRetries(() => Promise.reject(thrown), log);
  return reconcile({ key: 'a/b', attempt, signal: new AbortController().signal });
}

test('the first failures are left to the queue and its growing pauses', async () => {
  await expect(failing(AWAY, GROWING_ATTEMPTS_MAX)).rejects.toBe(AWAY);
});

test('the pauses stop growing in a lasting outage', async () => {
  const result = await failing(AWAY, GROWING_ATTEMPTS_MAX + 1);
  expect(result).toEqual({ kind: 'RequeueAfter', ms: DURING_OUTAGE_MS, isFailing: true });
});

test('a lasting outage is retried every half minute, without short pauses in between', async () => {
  const away = withBoundedRetries(() => Promise.reject(AWAY), SILENT_LOG);
  const { time, queue, runs, start } = fixture(away);
  start();
  queue.add('a');
  await time.pass(10 * MINUTE_MS);
  const pauses = runs.slice(1).map(({ at }, index) => at - (runs[index]?.at ?? 0));
  const lasting = pauses.slice(GROWING_ATTEMPTS_MAX);
  expect(lasting.length).toBeGreaterThan(10);
  expect(Math.min(...lasting)).toBeGreaterThanOrEqual(DURING_OUTAGE_MS);
  expect(runs.at(-1)?.attempt).toBe(runs.length);
});

test('a failure that does not pass by itself is left to the queue', async () => {
  await expect(failing(REFUSED, GROWING_ATTEMPTS_MAX + 1)).rejects.toBe(REFUSED);
});

test('the log of a lasting outage names the object whose reconcile fails', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', destination: { write: (line) => lines.push(line) } });
  await failing(AWAY, GROWING_ATTEMPTS_MAX + 1, log);
  const told = { resource: 'a/b', namespace: 'a', name: 'b', code: 'PROVIDER_ERROR' };
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([expect.objectContaining(told)]);
});
