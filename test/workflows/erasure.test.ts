/** Erasures as durable runs: wherever one is interrupted, the receipt comes. */
import { describe, expect, it } from 'vitest';
import type { AllActivities } from '#activities/create-activities.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { type EraseActivities, eraseWorkflowId } from '#core/erasure/erase-run.ts';
import { VarveError } from '#core/errors.ts';
import type { ErasureTarget } from '#core/records/erasure.ts';
import { TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import { tracesIn } from '#test/conformance/erasure-harness.ts';
import { beginErasure, fillPerson, PERSON } from './erasure-requests.ts';
import { eventually } from './fixture.ts';
import { historiesOfWorkflow, PAYLOAD_BYTES_MAX, readHistory } from './history-text.ts';
import { openRetention, type RetentionStack } from './retention-fixture.ts';

const HOUR_MS = 3_600_000;
const STEPS = [
  'erasePass',
  'rewriteErasedFiles',
  'commitReceipt',
] as const satisfies readonly (keyof EraseActivities)[];

function eraseOf({ ports, tenant }: RetentionStack, target: ErasureTarget = PERSON) {
  return target.kind === 'Tenant'
    ? OPERATIONS.tenant.erase.call(ports, LOCAL_OPERATOR, { tenant, confirm: tenant })
    : OPERATIONS.memory.erase.call(ports, LOCAL_OPERATOR, { tenant, target });
}

/** The receipts, once nothing is pending. */
function receiptsOf({ parts: { store }, tenant }: RetentionStack) {
  return eventually('a receipt', async () => {
    const { pending } = await store.erasures.ledger(tenant);
    const receipts = await store.erasures.receipts(tenant, { after: 0, limit: 9 });
    return pending.length === 0 && receipts.length > 0 ? receipts : null;
  });
}

/** A worker that does a step and then never answers again. */
function dyingAfter(step: (typeof STEPS)[number]) {
  const reached = Promise.withResolvers<undefined>();
  const isDead = { value: false };
  const around = (activities: AllActivities): AllActivities => ({
    ...activities,
    [step]: async (input: never) => {
      if (!isDead.value) await activities[step](input);
      isDead.value = true;
      reached.resolve(undefined);
      throw new VarveError('PROVIDER_ERROR', 'The worker is gone.');
    },
  });
  return { around, reached: reached.promise };
}

describe('an erasure', () => {
  it.each([PERSON, { kind: 'Tenant' } as const])(
    'of a $kind is a run that names nobody and returns a receipt',
    async (target) => {
      await using stack = await openRetention();
      await using _worker = await stack.startWorker();
      await fillPerson(stack);
      const { state, receipt } = await eraseOf(stack, target);
      expect(state).toBe('Done');
      expect(await receiptsOf(stack)).toMatchObject([{ id: receipt?.id, sequence: 1 }]);
      expect(await tracesIn(stack.dataDir)).toEqual([]);
      const workflowId = eraseWorkflowId({ requestId: receipt?.id ?? '' });
      const handle = stack.temporal.client.workflow.getHandle(workflowId);
      await handle.result();
      const [run] = await historiesOfWorkflow(stack, workflowId);
      const { texts, payloads } = readHistory(run?.history);
      const text = texts.join('\n');
      // What the database said of its files is in there, so payloads were read.
      expect(text).toContain('rewritten');
      for (const secret of ['zyqxvwkj', 'bob', 'tulips', 'session'])
        expect(text.toLowerCase()).not.toContain(secret);
      expect(Math.max(...payloads)).toBeLessThan(PAYLOAD_BYTES_MAX);
    },
  );

  it('causes a new summary of a scope that lost a source', async () => {
    await using stack = await openRetention();
    await using _worker = await stack.startWorker();
    const { tenant, ports, talk } = stack;
    const shop = { layer: 'project', identifiers: { projectId: 'shop' } } as const;
    const add = (content: string) =>
      OPERATIONS.memory.add.call(ports, LOCAL_OPERATOR, { tenant, ...shop, content });
    await add('The shop opens at nine.');
    const { memory } = await add('The shop sells tulips.');
    await talk(tenant, []);
    const { scopes, refreshRequests } = stack.parts.store;
    const scope = { tenant, layer: 'project', scopeId: 'shop' } as const;
    const { generatedAt } = await scopes.get(scope);
    const before = await refreshRequests.get(tenant);
    await eraseOf(stack, { kind: 'Memory', id: memory.id });
    expect((await refreshRequests.get(tenant)).wanted).toBeGreaterThan(before.wanted);
    await eventually('a summary of what is left', async () => {
      return ((await scopes.get(scope)).generatedAt ?? 0) > (generatedAt ?? Infinity);
    });
  });

  it.each(STEPS)('continues with another worker if its worker ends after %s', async (step) => {
    await using stack = await openRetention();
    await fillPerson(stack);
    const requestId = await beginErasure(stack);
    const input = { tenant: stack.tenant, requestId };
    {
      const { around, reached } = dyingAfter(step);
      await using _worker = await stack.startWorker(around);
      expect(await stack.temporal.erasures.start(input)).toBe('Started');
      await reached;
      expect(await stack.temporal.erasures.start(input)).toBe('Running');
    }
    await using _other = await stack.startWorker();
    expect(await stack.temporal.erasures.settled(input)).toBe(true);
    expect(await receiptsOf(stack)).toMatchObject([{ id: requestId, by: 'test' }]);
    expect(await tracesIn(stack.dataDir)).toEqual([]);
    const { events } = stack.parts.store;
    const told = await events.list(stack.tenant, { afterId: null, limit: 100 });
    const erasures = told.filter(({ type }) => type === 'memory_erasure_completed');
    expect(erasures.map(({ attributes }) => attributes)).toEqual([
      { receiptId: requestId, sequence: 1 },
    ]);
  });

  it.each(STEPS)(
    'is started again by the tick if its run was terminated after %s',
    async (step) => {
      await using stack = await openRetention();
      await fillPerson(stack);
      const requestId = await beginErasure(stack);
      const { client, erasures } = stack.temporal;
      {
        const { around, reached } = dyingAfter(step);
        await using _worker = await stack.startWorker(around);
        await erasures.start({ tenant: stack.tenant, requestId });
        await reached;
        await client.workflow.getHandle(eraseWorkflowId({ requestId })).terminate();
      }
      expect(await erasures.settled({ tenant: stack.tenant, requestId })).toBe(false);
      await using _other = await stack.startWorker();
      stack.advance(HOUR_MS);
      const workflowId = `retention-tick-${stack.tenant}`;
      const tick = { workflowId, taskQueue: TASK_QUEUE, args: [] as [] };
      await client.workflow.execute('retentionTick', tick);
      expect(await receiptsOf(stack)).toMatchObject([{ id: requestId }]);
      expect(await tracesIn(stack.dataDir)).toEqual([]);
    },
  );

  it('is done by its caller if no worker polls, and its run ends later', async () => {
    await using stack = await openRetention();
    await fillPerson(stack);
    const { state, receipt } = await eraseOf(stack);
    expect(state).toBe('Done');
    expect(await tracesIn(stack.dataDir)).toEqual([]);
    await using _worker = await stack.startWorker();
    const requestId = receipt?.id ?? '';
    const workflowId = eraseWorkflowId({ requestId });
    await stack.temporal.client.workflow.getHandle(workflowId).result();
    expect(await receiptsOf(stack)).toHaveLength(1);
  });
});
