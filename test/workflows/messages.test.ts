/** What an operator sends to a run and sees of it, and what starts a run that was lost. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FLUSH_NOW_UPDATE, TASK_QUEUE, type FlushMessage } from '#core/refresh/refresh-contract.ts';
import { BATCHES_PER_CLAIM_MAX } from '#core/refresh/plan-batches.ts';
import { HOUR_MS } from '#test/conformance/samples.ts';
import { eventually, openStack, runOf, statusOf, untilPhase, type Stack } from './fixture.ts';
import { door, mentions, stubbed } from './model-stub.ts';
import { addInWindow, ANN, openWithinCall, ROSES } from './refresh-samples.ts';

describe('flushNow', () => {
  it('REFRESH-5: closes the window and returns the ids of its batches', async () => {
    const held = door();
    const { model, calls } = stubbed(() => held.opened);
    await using stack = await openStack({ model });
    const { tenant } = stack;
    await addInWindow(stack);
    const batches = await stack.temporal.flush(tenant, { kind: 'Due' });
    const leased = (await stack.scopes(tenant)).flatMap(({ lease }) => lease?.batchId ?? []);
    expect(batches).toEqual(leased);
    held.open();
    expect(await stack.settled(tenant)).toMatchObject({ generated: 1 });
    expect(calls).toHaveLength(1);
  });

  it('REFRESH-6: takes scopes that are stale but not due, without a waiting run', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant, { layers: { updateOnChanges: 5 } });
    await stack.add(tenant, { ...ANN, content: ROSES });
    expect(await stack.temporal.flush(tenant, { kind: 'Due' })).toEqual([]);
    expect(await stack.temporal.flush(tenant, { kind: 'Stale' })).toHaveLength(1);
    expect(await stack.settled(tenant)).toMatchObject({ generated: 1 });
  });

  it('REFRESH-7: during a batch returns its own claim and not the running one', async () => {
    await using stack = await openWithinCall();
    const { tenant } = stack;
    const [atWork] = (await stack.scopes(tenant)).flatMap(({ lease }) => lease?.batchId ?? []);
    await stack.add(tenant, { identifiers: { userId: 'bob' }, content: 'Bob repairs clocks.' });
    const flushed = await runOf(stack, tenant).startUpdate<string[], [FlushMessage]>(
      FLUSH_NOW_UPDATE,
      { args: [{ kind: 'Stale' }], waitForStage: 'ACCEPTED' },
    );
    stack.release();
    const batches = await flushed.result();
    expect(batches).toHaveLength(1);
    expect(batches).not.toContain(atWork);
    expect(await stack.settled(tenant)).toMatchObject({ generated: 2 });
  });

  it('REFRESH-8: returns no batch for a tenant with nothing to do, every time', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant);
    for (let n = 0; n < 5; n += 1) {
      expect(await stack.temporal.flush(tenant, { kind: 'Stale' })).toEqual([]);
    }
  });
});

describe('pause and resume', () => {
  it('REFRESH-9: a paused run calls no model even after its window, and goes on when resumed', async () => {
    const { model, calls } = stubbed();
    await using stack = await openStack({ model });
    const { tenant } = stack;
    await addInWindow(stack);
    await runOf(stack, tenant).signal('pause', { forMs: HOUR_MS });
    await untilPhase(stack, tenant, 'Paused');
    stack.advance(HOUR_MS);
    await stack.temporal.notify(tenant, { urgent: false });
    await untilPhase(stack, tenant, 'Paused');
    expect(calls).toHaveLength(0);
    await runOf(stack, tenant).signal('resume');
    expect(await stack.settled(tenant)).toMatchObject({ generated: 1 });
  });

  it('REFRESH-9: incomplete messages do no harm', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await addInWindow(stack);
    await runOf(stack, tenant).signal('stale');
    await runOf(stack, tenant).signal('pause');
    await untilPhase(stack, tenant, 'Paused');
    await runOf(stack, tenant).signal('resume');
    const wrong = { kind: 'Everything' };
    const asked = runOf(stack, tenant).executeUpdate(FLUSH_NOW_UPDATE, { args: [wrong] });
    await expect(asked).rejects.toThrow('Update failed');
    await stack.temporal.flush(tenant, { kind: 'Due' });
    expect(await stack.settled(tenant)).toMatchObject({ generated: 1 });
  });

  it('REFRESH-10: a pause ends on its own', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await addInWindow(stack);
    stack.advance(HOUR_MS);
    await runOf(stack, tenant).signal('pause', { forMs: 500 });
    expect(await stack.settled(tenant)).toMatchObject({ generated: 1 });
  });
});

describe('continue-as-new', () => {
  it('REFRESH-11: a run limited to one round continues as new until nothing is due', async () => {
    const OWNERS = BATCHES_PER_CLAIM_MAX + 2;
    const { model } = stubbed();
    await using stack = await openStack({ model, settings: { roundsMax: 1 } });
    const { tenant } = stack;
    await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
    for (let n = 0; n < OWNERS; n += 1) {
      // Scopes of users never share a call, so each is a batch.
      await stack.add(tenant, { identifiers: { userId: `user-${String(n)}` }, content: ROSES });
    }
    const first = await runOf(stack, tenant).describe();
    stack.advance(HOUR_MS);
    await stack.temporal.notify(tenant, { urgent: false });
    expect(await stack.settled(tenant)).toMatchObject({ generated: OWNERS, batches: OWNERS });
    const last = await runOf(stack, tenant).describe();
    expect(last.runId).not.toBe(first.runId);
  });
});

describe('a reset', () => {
  it('to any step of a finished run costs nothing and loses nothing', async () => {
    const { model, calls } = stubbed();
    await using stack = await openStack({ model });
    const { tenant, temporal } = stack;
    await stack.declare(tenant);
    await stack.add(tenant, { ...ANN, content: ROSES });
    await stack.settled(tenant);
    const { runId } = await runOf(stack, tenant).describe();
    const workflowExecution = { workflowId: `refresh/${tenant}`, runId };
    const { events } = await temporal.client.workflow
      .getHandle(workflowExecution.workflowId, runId)
      .fetchHistory();
    const steps = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
    expect(steps.length).toBeGreaterThan(3);
    for (const { eventId } of steps) {
      await temporal.client.workflowService.resetWorkflowExecution({
        namespace: temporal.client.options.namespace,
        workflowExecution,
        workflowTaskFinishEventId: eventId ?? null,
        requestId: randomUUID(),
        reason: 'test',
      });
      await stack.settled(tenant);
      expect(calls).toHaveLength(1);
      const [scope] = await stack.scopes(tenant);
      expect(scope).toMatchObject({ changes: 0, lease: null, attempts: 0 });
    }
  });
});

describe('the tick', () => {
  async function tick({ temporal, tenant }: Stack): Promise<unknown> {
    return temporal.client.workflow.execute('refreshTick', {
      workflowId: `tick-${tenant}`,
      taskQueue: TASK_QUEUE,
      args: [],
    });
  }

  it('REFRESH-12: starts a run for a tenant whose refresh request was lost', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant);
    const lost = { notify: () => Promise.reject(new Error('The server cannot be reached.')) };
    await stack.add(tenant, { ...ANN, content: ROSES }, lost);
    expect(await tick(stack)).toEqual({ requested: 1 });
    expect(await stack.settled(tenant)).toMatchObject({ generated: 1 });
    expect(await tick(stack)).toEqual({ requested: 0 });
  });

  it('REFRESH-13: picks up the work of a terminated run after its lease', async () => {
    await using stack = await openWithinCall();
    const { tenant } = stack;
    await runOf(stack, tenant).terminate();
    stack.release();
    stack.advance(HOUR_MS);
    expect(await tick(stack)).toEqual({ requested: 1 });
    expect(await stack.settled(tenant)).toMatchObject({ generated: 1 });
  });
});

describe('several tenants', () => {
  it('REFRESH-19: are all served by a worker that caches only two runs', async () => {
    const TENANTS = 8;
    await using stack = await openStack({ cachedWorkflowsMax: 2 });
    const tenants = Array.from({ length: TENANTS }, (_, n) => `${stack.tenant}-${String(n)}`);
    await Promise.all(
      tenants.map(async (tenant) => {
        await stack.declare(tenant);
        await stack.add(tenant, { ...ANN, content: ROSES });
      }),
    );
    for (const tenant of tenants) {
      expect(await stack.settled(tenant)).toMatchObject({ generated: 1 });
    }
  });

  it('TMP-05: are refreshed without waiting for the backlog of one of them', async () => {
    const BACKLOG = 8;
    const held = door();
    const { model, calls } = stubbed((batch) =>
      mentions(batch, 'backlog') ? held.opened : undefined,
    );
    await using stack = await openStack({ model });
    const busy = `${stack.tenant}-busy`;
    const quick = `${stack.tenant}-quick`;
    await stack.declare(busy, { layers: { batchWindowMs: HOUR_MS } });
    await stack.declare(quick);
    for (let n = 0; n < BACKLOG; n += 1) {
      const content = `Item ${String(n)} of the backlog waits for its turn.`;
      await stack.add(busy, { identifiers: { userId: `user-${String(n)}` }, content });
    }
    await stack.temporal.flush(busy, { kind: 'Due' });
    await eventually('a backlog', async () => calls.length > 0);
    await stack.add(quick, { ...ANN, content: ROSES });
    expect(await stack.settled(quick)).toMatchObject({ generated: 1 });
    expect(await statusOf(stack, busy)).toMatchObject({ phase: 'Summarizing' });
    held.open();
    expect(await stack.settled(busy)).toMatchObject({ generated: BACKLOG });
  });
});
