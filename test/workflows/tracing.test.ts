/** Runs that several traces reach, as a collector receives them and as they replay. */
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { tracingSettingsOf } from '#cli/tracing-settings.ts';
import { HOUR_MS } from '#test/conformance/samples.ts';
import { refreshWorkflowId } from '#core/refresh/refresh-contract.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { ACTIVE_SPAN } from '#providers/node/active-span.ts';
import { openTracing } from '#providers/opentelemetry/tracing.ts';
import { startCollector } from '../cluster/collector/collector.ts';
import { openStack, testBundle } from './fixture.ts';

const FIRST = { traceId: 'a'.repeat(32), spanId: '1'.repeat(16), isSampled: true };
const SECOND = { traceId: 'b'.repeat(32), spanId: '2'.repeat(16), isSampled: true };

test('a run replayed at each step has one span with links to later callers', async () => {
  await using collector = await startCollector();
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const settings = tracingSettingsOf(endpoint, 'varve-worker');
  if (settings === null) throw new Error('An endpoint is set.');
  const tracing = openTracing(settings, { active: ACTIVE_SPAN, log: SILENT_LOG });
  const history = await (async () => {
    await using stack = await openStack({ tracing, cachedWorkflowsMax: 0 });
    const { tenant } = stack;
    const windows = { batchWindowMs: HOUR_MS };
    await stack.declare(tenant, { layers: windows });
    const say = (parent: typeof FIRST, content: string) =>
      tracing.inSpan({ name: 'memory.add', kind: 'server', parent }, () =>
        stack.add(tenant, { identifiers: { userId: 'dana' }, content }),
      );
    await say(FIRST, 'Zanzibar is warm.');
    // Asks for the end of the window, so a message comes to the run that waits.
    await tracing.inSpan({ name: 'refresh', kind: 'server', parent: SECOND }, () =>
      stack.temporal.flush(tenant, { kind: 'Stale' }),
    );
    await stack.settled(tenant);
    const run = stack.temporal.client.workflow.getHandle(refreshWorkflowId(tenant));
    return await run.fetchHistory();
  })();
  await tracing[Symbol.asyncDispose]();

  const runs = collector.spans.filter(({ name }) => name === 'RunWorkflow:tenantRefresh');
  expect(runs).toHaveLength(1);
  const [run] = runs;
  const asked = collector.spans.find(({ name }) => name.startsWith('UpdateWithStart'));
  expect(asked?.traceId).toBe(SECOND.traceId);
  expect(run).toMatchObject({
    traceId: FIRST.traceId,
    links: [{ traceId: SECOND.traceId, spanId: asked?.spanId }],
  });
  const activities = collector.spans.filter(({ name }) => name.startsWith('RunActivity:'));
  expect(activities.length).toBeGreaterThan(0);
  for (const { parentSpanId } of activities) expect(parentSpanId).toBe(run?.spanId);
  expect(collector.bodies.join('')).not.toMatch(/Zanzibar|dana/u);

  const replayed = Worker.runReplayHistories({ workflowBundle: await testBundle() }, [
    { workflowId: 'traced', history },
  ]);
  expect((await Array.fromAsync(replayed)).map(({ error }) => error)).toEqual([undefined]);
});
