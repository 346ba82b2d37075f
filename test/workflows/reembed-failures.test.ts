/** Failures during a change of the embedding model, and what histories keep of them. */
import { describe, expect, it } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { reembedWorkflowId } from '#core/embedding/reembed-contract.ts';
import { eventually } from './fixture.ts';
import { openReembed } from './reembed-fixture.ts';
import { ALL, closed, countsOf, notes, settled, stateOf } from './reembed-observation.ts';

describe('failures during a change of the embedding model', () => {
  it('REEMBED-19: a terminated run or a dead worker loses and repeats nothing', async () => {
    await using stack = await openReembed({ textsMax: 2, settings: { heartbeatTimeoutMs: 3_000 } });
    const { tenant } = stack;
    const known = notes(40);
    await stack.addMany(tenant, known);
    const { reembed, client } = stack.temporal;
    {
      await using _worker = await stack.startWorker();
      const held = closed(stack, 4);
      await reembed.begin(stack.new.generation, ALL);
      await eventually('the fourth call', async () => stack.new.calls.length === 4);
      await client.workflow.getHandle(reembedWorkflowId(stack.new.generation)).terminate();
      held.open();
    }
    expect(await stateOf(stack, tenant)).toMatchObject({ phase: 'Filling' });
    const { done } = await countsOf(stack, tenant, stack.new.generation);
    expect(done).toBeGreaterThanOrEqual(6);
    for (const content of known) {
      const { hits } = await stack.search(tenant, content);
      expect(hits[0]?.memory.content).toBe(content);
    }
    stack.new.before = () => undefined;
    await using _other = await stack.startWorker();
    // As the tick does it, without a command.
    await reembed.ensure([stack.new.generation, stack.old.generation]);
    await reembed.ensure([stack.old.generation, stack.new.generation]);
    expect(await settled(stack)).toMatchObject({ totals: { cutOver: 1 } });
    expect(await reembed.settled(stack.old.generation)).toBeNull();
    expect(stack.new.calls.flat()).toHaveLength(new Set(stack.new.calls.flat()).size);
    expect(await countsOf(stack, tenant, stack.new.generation)).toEqual({ done: 40, missing: 0 });
  });

  it('REEMBED-20: a busy model is asked again after the wait it asks for', async () => {
    await using stack = await openReembed({ textsMax: 5 });
    const { tenant } = stack;
    await using _worker = await stack.startWorker();
    await stack.addMany(tenant, notes(20));
    stack.new.before = (_, call) => {
      if (call % 2 === 0) return;
      throw new VarveError('RATE_LIMITED', 'Slow down.', { details: { retryAfterMs: 20 } });
    };
    await stack.temporal.reembed.begin(stack.new.generation, ALL);
    expect(await settled(stack)).toMatchObject({
      lastError: null,
      totals: { embedded: 20, cutOver: 1 },
    });
    expect(stack.new.calls).toHaveLength(8);
  });

  it('REEMBED-21: an unreachable model delays its tenant and loses nothing', async () => {
    await using stack = await openReembed({ settings: { failurePauseMs: 50 } });
    const { tenant } = stack;
    await using _worker = await stack.startWorker();
    await stack.addMany(tenant, notes(20));
    const TRIES = 5;
    stack.new.before = (_, call) => {
      if (call > TRIES) return;
      throw new VarveError('PROVIDER_ERROR', 'Away.', { details: { retryAfterMs: 20 } });
    };
    await stack.temporal.reembed.begin(stack.new.generation, ALL);
    expect(await settled(stack)).toMatchObject({
      lastError: 'PROVIDER_ERROR',
      totals: { embedded: 20, cutOver: 1 },
    });
  });

  it('REEMBED-22: a memory that the model refuses keeps the old model and is counted', async () => {
    await using stack = await openReembed({ textsMax: 10 });
    const { tenant } = stack;
    await using _worker = await stack.startWorker();
    const known = notes(20);
    await stack.addMany(tenant, known);
    const bad = await stack.add(tenant, 'The word nightshade is refused.');
    stack.new.before = (texts) => {
      if (!texts.some((text) => text.includes('nightshade'))) return;
      throw new VarveError('CONTENT_TOO_LONG', 'Refused.');
    };
    const { reembed } = stack.temporal;
    await reembed.begin(stack.new.generation, ALL);
    await eventually('the run waits', async () => {
      const status = await reembed.status(stack.new.generation);
      return status?.phase === 'Waiting' && status.totals.refused > 0;
    });
    expect(await countsOf(stack, tenant, stack.new.generation)).toEqual({ done: 20, missing: 1 });
    expect(await stateOf(stack, tenant)).toMatchObject({ active: stack.old.generation });
    expect((await stack.search(tenant, bad.content)).hits[0]?.memory.id).toBe(bad.id);

    // Without it nothing is missing; an order makes the run look at once.
    const key = { tenant, id: bad.id };
    await stack.provider.delete(key, { by: 'test', idempotencyKey: null });
    await reembed.order(stack.new.generation, 'Resume');
    expect(await settled(stack)).toMatchObject({ totals: { cutOver: 1 } });
  });

  it('REEMBED-23: an unknown generation changes nothing', async () => {
    await using stack = await openReembed();
    const { tenant } = stack;
    await using _worker = await stack.startWorker();
    await stack.addMany(tenant, notes(3));
    await stack.temporal.reembed.begin('unknown', ALL);
    expect(await stack.temporal.reembed.settled('unknown')).toMatchObject({
      lastError: 'PROVIDER_REJECTED',
    });
    expect(await stateOf(stack, tenant)).toMatchObject({ phase: 'Steady' });
  });

  it('REEMBED-24: a model with a price is paid from the budget for each call', async () => {
    await using stack = await openReembed({ textsMax: 5, price: 1_000_000 });
    const { tenant } = stack;
    await using _worker = await stack.startWorker();
    await stack.addMany(tenant, notes(20));
    await stack.temporal.reembed.begin(stack.new.generation, ALL);
    const { totals } = await settled(stack);
    const batchId = reembedWorkflowId(stack.new.generation);
    const entries = await stack.store.accounts.entries(tenant, { batchId, limit: 100 });
    expect(entries.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 4 }, () => 'Usage'));
    const spent = entries.reduce((sum, entry) => sum + entry.spent.microDollars, 0);
    expect(spent).toBe(totals.tokens);
  });

  it('REEMBED-25: a memory written while the model is unavailable gets its vector later', async () => {
    await using stack = await openReembed();
    const { tenant } = stack;
    await using _worker = await stack.startWorker();
    await stack.addMany(tenant, notes(3));
    await stack.temporal.reembed.begin(stack.new.generation, ALL);
    await settled(stack);
    stack.new.before = () => {
      throw new VarveError('PROVIDER_REJECTED', 'Away.');
    };
    const { vector } = await stack.add(tenant, 'Written while the model refused everything.');
    expect(vector).toBeNull();
    stack.new.before = () => undefined;
    await stack.temporal.reembed.begin(stack.new.generation, ALL);
    await settled(stack);
    expect(await countsOf(stack, tenant, stack.new.generation)).toEqual({ done: 4, missing: 0 });
  });
});

describe('histories', () => {
  it('hold tenants and counts, stay short and continue as new', async () => {
    await using stack = await openReembed({ textsMax: 2, settings: { turnsMax: 2 } });
    const { tenant } = stack;
    await using _worker = await stack.startWorker();
    await stack.addMany(tenant, notes(80));
    await stack.temporal.reembed.begin(stack.new.generation, ALL);
    expect(await settled(stack)).toMatchObject({ totals: { embedded: 80, cutOver: 1 } });
    const { client } = stack.temporal;
    const query = `WorkflowId = "${reembedWorkflowId(stack.new.generation)}"`;
    const runs = await eventually('listed runs', async () => {
      const found = await Array.fromAsync(client.workflow.list({ query }));
      return found.length > 2 && found;
    });
    const named: string[] = [];
    for (const { workflowId, runId } of runs) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      const text = Buffer.from(JSON.stringify(history)).toString('utf8');
      const payloads = [...text.matchAll(/"data":"([^"]+)"/gu)].map(([, data = '']) =>
        Buffer.from(data, 'base64').toString('utf8'),
      );
      named.push(...payloads.filter((payload) => payload.includes(tenant)));
      for (const secret of ['captain', 'vessel', 'ann']) {
        expect(payloads.join('\n')).not.toContain(secret);
      }
      expect(history.events?.length ?? 0).toBeLessThan(200);
    }
    // The last run may find nothing left to do, and then names no tenant.
    expect(named.length).toBeGreaterThan(0);
  });
});
