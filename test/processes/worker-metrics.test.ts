import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readConfig } from '#cli/config.ts';
import { askMetrics } from '#cli/stack/worker-child.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { createPrometheusMetrics } from '#providers/prometheus/metrics-exporter.ts';

const CHILD = fileURLToPath(new URL('counting-child.ts', import.meta.url));

async function countingChild() {
  const child = fork(CHILD, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  const ended = once(child, 'exit');
  await once(child, 'message');
  return {
    child,
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const { page } = createPrometheusMetrics({
  storageSizes: () => Promise.resolve([]),
  oldestStaleAge: () => Promise.resolve(0),
  modelOutageAge: () => Promise.resolve(0),
  timer: () => 0,
  log: SILENT_LOG,
});

test.each<[string | undefined, number | null]>([
  [undefined, null],
  ['', null],
  ['9464', 9_464],
])(
  'CONF-01: VARVE_METRICS_PORT=%s sets the metrics port of a standalone worker to %s',
  (set, port) => {
    expect(readConfig({ VARVE_METRICS_PORT: set }, {}).metricsPort).toBe(port);
  },
);

describe('the metrics of a worker', () => {
  test('are read from the child process, also by concurrent callers', async () => {
    await using fixture = await countingChild();
    const answers = await Promise.all([askMetrics(fixture.child), askMetrics(fixture.child)]);
    for (const answer of answers) {
      expect(await page.render(answer)).toContain(
        'memory_operations_total{operation="add",process="worker"} 3',
      );
    }
    expect(fixture.child.listenerCount('message')).toBe(0);
  });

  test('are empty without an error once the worker has ended', async () => {
    await using fixture = await countingChild();
    fixture.child.kill('SIGKILL');
    const asked = askMetrics(fixture.child);
    await fixture.ended;
    expect([await asked, await askMetrics(fixture.child)]).toEqual([[], []]);
    expect(await page.render([])).not.toContain('process=');
  });

  test('do not keep the worker process alive', async () => {
    await using fixture = await countingChild();
    fixture.child.send('end');
    expect(await fixture.ended).toEqual([0, null]);
  });
});
