/** What an operator sees of a run: its status, its search attributes, its lines in the UI. */
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '#test/conformance/samples.ts';
import { endRun, eventually, openStack, runOf, statusOf, untilPhase } from './fixture.ts';
import { door, stubbed } from './model-stub.ts';
import { addInWindow, ANN, ROSES } from './refresh-samples.ts';

describe('what Temporal shows of a run', () => {
  it('the status shows phase, layers, pending scopes and totals', async () => {
    const held = door();
    const { model, calls } = stubbed(() => held.opened);
    await using stack = await openStack({ model });
    const { tenant } = stack;
    await addInWindow(stack);
    expect(await statusOf(stack, tenant)).toMatchObject({
      pending: 1,
      layers: ['user'],
      lastError: null,
      totals: { generated: 0 },
    });
    const flushed = stack.temporal.flush(tenant, { kind: 'Due' });
    await eventually('the call', async () => calls.length === 1);
    await flushed;
    await untilPhase(stack, tenant, 'Summarizing');
    held.open();
    await stack.settled(tenant);
    expect(await statusOf(stack, tenant)).toMatchObject({
      phase: 'Acknowledging',
      pending: 0,
      totals: { generated: 1, modelCalls: 1 },
    });
  });

  it('TMP-03: runs can be found by tenant, layer and phase', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
    await stack.add(tenant, { ...ANN, content: ROSES });
    const state = 'Layers = "user" AND Phase = "Waiting" AND PendingCount = 1';
    const query = `Tenant = "${tenant}" AND ${state} AND BudgetState = "Available"`;
    const found = await eventually('a listed run', async () => {
      for await (const run of stack.temporal.client.workflow.list({ query })) return run.workflowId;
      return null;
    });
    expect(found).toBe(`refresh/${tenant}`);
    await endRun(stack, tenant);
  });

  it('a run and each of its calls have a one-line summary of their purpose', async () => {
    await using stack = await openStack({ model: stubbed().model });
    const { tenant } = stack;
    await stack.declare(tenant);
    await stack.add(tenant, { ...ANN, content: ROSES });
    await stack.settled(tenant);
    const described = await runOf(stack, tenant).describe();
    expect(await described.staticSummary()).toBe(`Refresh of tenant ${tenant}`);
    const { events } = await runOf(stack, tenant).fetchHistory();
    const summaries = (events ?? []).flatMap(({ userMetadata, ...event }) =>
      event.activityTaskScheduledEventAttributes?.activityType?.name === 'summarizeBatch'
        ? [Buffer.from(userMetadata?.summary?.data ?? []).toString('utf8')]
        : [],
    );
    expect(summaries).toEqual([expect.stringMatching(/^"1 scope of user; \d+ tokens; metered"$/u)]);
  });
});
