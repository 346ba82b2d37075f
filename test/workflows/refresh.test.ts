/** The refresh of one tenant, from the write that makes a scope due to the end of its run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { ITEMS_PER_BATCH_MAX } from '#core/refresh/plan-batches.ts';
import type { Scope } from '#core/scope.ts';
import { HOUR_MS, userScope } from '#test/conformance/samples.ts';
import { endRun, eventually, openStack, untilWaiting, type Stack } from './fixture.ts';
import { historiesOf } from './history-text.ts';
import { door, stubbed } from './model-stub.ts';
import { addInWindow, ANN, BEES, openWithinCall, ROSES } from './refresh-samples.ts';

/** Whether a scope's summary rests on exactly the sources that it has now. */
async function isFresh({ parts }: Stack, scope: Scope): Promise<boolean> {
  const record = await parts.store.scopes.get(scope);
  const summary = await parts.store.summaries.get(scope, '');
  return summary?.sourceHash === record.sourceHash && record.changes === 0 && record.lease === null;
}

async function eventTypes({ parts }: Stack, tenant: string): Promise<string[]> {
  const events = await parts.store.events.list(tenant, { afterId: null, limit: 1_000 });
  return events.map(({ type }) => type);
}

describe('the path from a write to a summary', () => {
  it('TMP-01: a write starts a run that summarizes its scope and completes', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant);
    await stack.add(tenant, { ...ANN, content: ROSES });
    expect(await stack.settled(tenant)).toMatchObject({ rounds: 1, batches: 1, generated: 1 });
    const summary = await stack.parts.store.summaries.get(userScope(tenant), '');
    expect(summary?.depths.sentence?.text).toContain('roses');
    expect(await isFresh(stack, userScope(tenant))).toBe(true);
    const { wanted, acknowledged } = await stack.parts.store.refreshRequests.get(tenant);
    expect(acknowledged).toBe(wanted);
  });

  it('SUM-16: 60 scopes due in one window share one run with as few calls as possible', async () => {
    const SCOPES = 60;
    const { model, calls } = stubbed();
    await using stack = await openStack({ model });
    const { tenant } = stack;
    await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
    for (let n = 0; n < SCOPES; n += 1) {
      const content = `Project ${String(n)} moves its release to week ${String(n + 1)}.`;
      const identifiers = { projectId: `p${String(n)}` };
      await stack.add(tenant, { layer: 'project', identifiers, content });
    }
    stack.advance(HOUR_MS);
    await stack.temporal.notify(tenant, { urgent: false });
    const fewest = Math.ceil(SCOPES / ITEMS_PER_BATCH_MAX);
    expect(await stack.settled(tenant)).toMatchObject({
      rounds: 1,
      batches: fewest,
      modelCalls: fewest,
      generated: SCOPES,
    });
    expect(calls).toHaveLength(fewest);
    const { runs } = await runsOf(stack, tenant);
    expect(runs).toBe(1);
  });

  it('REFRESH-1: a change during a batch causes another summary in the same run', async () => {
    await using stack = await openWithinCall();
    const { tenant } = stack;
    await stack.add(tenant, { ...ANN, content: BEES });
    stack.release();
    expect(await stack.settled(tenant)).toMatchObject({ generated: 2, modelCalls: 2 });
    const summary = await stack.parts.store.summaries.get(userScope(tenant), '');
    expect(summary?.depths.detailed?.text).toContain('hives');
    expect(await isFresh(stack, userScope(tenant))).toBe(true);
  });

  it('REFRESH-2: writes that race with the end of a run are all summarized', async () => {
    const TENANTS = 6;
    const WRITES = 8;
    await using stack = await openStack();
    const tenants = Array.from({ length: TENANTS }, (_, n) => `${stack.tenant}-${String(n)}`);
    await Promise.all(
      tenants.map(async (tenant, n) => {
        await stack.declare(tenant, { layers: { batchWindowMs: 0 } });
        for (let write = 0; write < WRITES; write += 1) {
          await stack.add(tenant, { ...ANN, content: `Note ${String(write)}: ${ROSES}` });
          // About as long as a run takes, a little different each time.
          await sleep(((n * WRITES + write) * 37) % 350);
        }
      }),
    );
    for (const tenant of tenants) {
      // No tick runs here, so what was lost would stay lost.
      await eventually(`a fresh summary of ${tenant}`, () => isFresh(stack, userScope(tenant)));
      await stack.settled(tenant);
      const { wanted, acknowledged } = await stack.parts.store.refreshRequests.get(tenant);
      expect(acknowledged).toBe(wanted);
    }
  });

  it('an unchanged scope is checked without a call', async () => {
    const { model, calls } = stubbed();
    await using stack = await openStack({ model });
    const { tenant } = stack;
    await stack.declare(tenant);
    await stack.add(tenant, { ...ANN, content: ROSES });
    await stack.settled(tenant);
    const before = await stack.parts.store.summaries.get(userScope(tenant), '');
    await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
    const { memory } = await stack.add(tenant, { ...ANN, content: BEES });
    await stack.remove(tenant, memory.id);
    stack.advance(HOUR_MS);
    await stack.temporal.notify(tenant, { urgent: false });
    expect(await stack.settled(tenant)).toMatchObject({ unchanged: 1, batches: 0 });
    expect(calls).toHaveLength(1);
    expect((await stack.parts.store.summaries.get(userScope(tenant), ''))?.id).toBe(before?.id);
    expect(await eventTypes(stack, tenant)).toContain('memory_summary_checked');
  });

  it.each([
    { case: 'which never expires', expiresInMs: null },
    { case: 'which would expire', expiresInMs: HOUR_MS },
  ])('REFRESH-3: a scope that lost its last source, $case, is emptied once', async (given) => {
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant);
    const { expiresInMs } = given;
    const { memory } = await stack.add(tenant, {
      ...ANN,
      content: ROSES,
      ...(expiresInMs === null ? {} : { expiresAt: Date.now() + expiresInMs }),
    });
    await stack.settled(tenant);
    await stack.remove(tenant, memory.id);
    expect(await stack.settled(tenant)).toMatchObject({ emptied: 1, batches: 0 });
    expect(await stack.parts.store.summaries.get(userScope(tenant), '')).toBeNull();
    stack.advance(2 * HOUR_MS);
    await stack.temporal.notify(tenant, { urgent: false });
    expect(await stack.settled(tenant)).toMatchObject({ rounds: 0, emptied: 0 });
  });
});

describe('an urgent change', () => {
  it('SUM-20: removes a deleted fact from answers at once and closes the window', async () => {
    const held = door();
    const { model, calls } = stubbed((_batch, call) => (call === 1 ? undefined : held.opened));
    await using stack = await openStack({ model });
    const { tenant } = stack;
    await stack.declare(tenant);
    const { memory } = await stack.add(tenant, { ...ANN, content: ROSES });
    await stack.add(tenant, { ...ANN, content: BEES });
    await stack.settled(tenant);

    await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
    await stack.add(tenant, { identifiers: { userId: 'bob' }, content: 'Bob repairs clocks.' });
    await untilWaiting(stack, tenant);
    const calledBefore = calls.length;
    await stack.remove(tenant, memory.id);

    const served = await textsOf(stack, tenant);
    expect(served.text).not.toContain('roses');
    expect(served.text).toContain('hives');
    expect(served).toMatchObject({ stale: true, reason: 'SourceDeleted' });

    await eventually('an urgent call', async () => calls.length > calledBefore);
    held.open();
    await eventually('a fresh summary', () => isFresh(stack, userScope(tenant)));
    // It closed the window for itself and not for another person, who goes on waiting.
    expect(await isFresh(stack, userScope(tenant, 'bob'))).toBe(false);
    await stack.temporal.flush(tenant, { kind: 'Due' });
    await stack.settled(tenant);
    expect(await isFresh(stack, userScope(tenant, 'bob'))).toBe(true);
    expect(await textsOf(stack, tenant)).toMatchObject({ stale: false, reason: null });
    const events = await stack.parts.store.events.list(tenant, { afterId: null, limit: 100 });
    expect(events.map(({ attributes }) => attributes['trigger'])).toContain('Urgent');
  });

  it('REFRESH-4: opens a shorter window during a longer one if the policy shortens it', async () => {
    const { model, calls } = stubbed();
    await using stack = await openStack({ model });
    const { tenant } = stack;
    await addInWindow(stack);
    // A policy that shortens the window is a change like any other: a refresh request makes the run
    // look.
    await stack.declare(tenant);
    await stack.temporal.notify(tenant, { urgent: false });
    await stack.settled(tenant);
    expect(calls).toHaveLength(1);
  });
});

describe('windows of different lengths', () => {
  it('let a session be summarized before the window of another layer ends', async () => {
    const { model, calls } = stubbed();
    await using stack = await openStack({ model });
    const { tenant } = stack;
    const session = { batchWindowMs: 50 };
    await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS }, only: { session } });
    await stack.add(tenant, { ...ANN, content: ROSES });
    await untilWaiting(stack, tenant);
    const turns = [{ role: 'user' as const, content: 'We meet at the harbour at nine.' }];
    await OPERATIONS.conversation.append.call(stack.ports, LOCAL_OPERATOR, {
      tenant,
      sessionId: 's',
      turns,
    });
    const scope = { tenant, layer: 'session', scopeId: 's' } as const;
    await eventually('a summary of the session', () => isFresh(stack, scope));
    expect(calls).toHaveLength(1);
    // The other window is still open: what is due in it waits for company.
    await untilWaiting(stack, tenant);
    expect(await isFresh(stack, userScope(tenant))).toBe(false);
    await stack.temporal.flush(tenant, { kind: 'Due' });
    await stack.settled(tenant);
    expect(await isFresh(stack, userScope(tenant))).toBe(true);
  });

  it('SUM-16: send no message for each write within an open window', async () => {
    const WRITES = 20;
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
    for (let n = 0; n < WRITES; n += 1) {
      const identifiers = { userId: `user-${String(n)}` };
      await stack.add(tenant, { identifiers, content: `${ROSES} ${String(n)}` });
    }
    await untilWaiting(stack, tenant);
    const [run] = await eventually('a listed run', async () => {
      const runs = await historiesOf(stack, tenant);
      return runs.length === 0 ? null : runs;
    });
    expect(signalsIn(run?.history)).toBe(1);
    await endRun(stack, tenant);
  });
});

function signalsIn(history: unknown): number {
  const { events } = history as { events: readonly object[] };
  const attributes = 'workflowExecutionSignaledEventAttributes';
  return events.filter((event) => attributes in event && event[attributes] !== null).length;
}

async function runsOf({ temporal }: Stack, tenant: string): Promise<{ runs: number }> {
  const query = `WorkflowId = "refresh/${tenant}"`;
  return eventually('a listed run', async () => {
    const { count } = await temporal.client.workflow.count(query);
    return count === 0 ? null : { runs: count };
  });
}

async function textsOf(stack: Stack, tenant: string) {
  const input = { tenant, layer: 'user', ...ANN, depth: 'detailed' } as const;
  const answer = await OPERATIONS.summary.get.call(stack.ports, LOCAL_OPERATOR, input);
  return {
    text: answer?.text ?? '',
    stale: answer?.freshness.stale,
    reason: answer?.freshness.reason,
  };
}
