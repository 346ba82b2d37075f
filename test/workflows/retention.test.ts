/** Retention as durable runs: the tick that finds old turns, and the run that compacts them. */
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import { VarveError } from '#core/errors.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { compactWorkflowId, SESSIONS_PER_STEP } from '#core/retention/retention-contract.ts';
import { PAYLOAD_BYTES_MAX, historiesOfWorkflow, readHistory } from './history-text.ts';
import {
  OLD_MS,
  openRetention,
  SAID,
  sessionsOf,
  type RetentionStack,
} from './retention-fixture.ts';

const MANY = SESSIONS_PER_STEP + 3;

async function textsOf(stack: RetentionStack, sessions: readonly string[]): Promise<number> {
  let left = 0;
  for (const session of sessions) {
    const turns = await stack.turns(stack.tenant, session);
    left += turns.filter(({ content }) => content !== '').length;
  }
  return left;
}

async function compacted(stack: RetentionStack) {
  expect(await stack.temporal.compactions.start(stack.tenant)).toBe('Started');
  return stack.temporal.compactions.settled(stack.tenant);
}

describe('a compaction', () => {
  it('TMP-01: clears the text of all old turns step by step and emits one event', async () => {
    await using stack = await openRetention({ settings: { stepsMax: 1 } });
    await using _worker = await stack.startWorker();
    const sessions = sessionsOf(MANY);
    await stack.talk(stack.tenant, sessions);
    stack.advance(OLD_MS);
    const totals = await compacted(stack);
    const turns = MANY * SAID.length;
    expect(totals).toMatchObject({ sessions: MANY, turns, waiting: 0, unsummarized: 0 });
    expect(await textsOf(stack, sessions)).toBe(0);
    const events = await stack.events(stack.tenant);
    expect(events.map(({ attributes }) => attributes)).toEqual([totals]);
    const runs = await historiesOfWorkflow(stack, compactWorkflowId(stack.tenant));
    expect(runs.length).toBeGreaterThanOrEqual(2);
  });

  it('leaves no text and no session name in its history', async () => {
    await using stack = await openRetention();
    await using _worker = await stack.startWorker();
    const sessions = sessionsOf(SESSIONS_PER_STEP + 1);
    await stack.talk(stack.tenant, sessions);
    stack.advance(OLD_MS);
    await compacted(stack);
    const [run] = await historiesOfWorkflow(stack, compactWorkflowId(stack.tenant));
    const { texts, payloads } = readHistory(run?.history);
    const text = texts.join('\n');
    // What a step answered is in there, so payloads were read.
    expect(text).toContain('bytesFreed');
    for (const secret of ['person', 'travel', 'meeting', 'hello'])
      expect(text).not.toContain(secret);
    expect(Math.max(...payloads)).toBeLessThan(PAYLOAD_BYTES_MAX);
  });

  it('continues with another worker if one ends midway', async () => {
    await using stack = await openRetention();
    const sessions = sessionsOf(MANY);
    await stack.talk(stack.tenant, sessions);
    stack.advance(OLD_MS);
    const reached = Promise.withResolvers<undefined>();
    let steps = 0;
    {
      await using _worker = await stack.startWorker((activities) => ({
        ...activities,
        compactStep: async (input) => {
          steps += 1;
          if (steps === 1) await activities.compactStep(input);
          // Its work is done, but its result is lost.
          reached.resolve(undefined);
          throw new VarveError('PROVIDER_ERROR', 'The worker is gone.');
        },
      }));
      expect(await stack.temporal.compactions.start(stack.tenant)).toBe('Started');
      await reached.promise;
    }
    const left = await textsOf(stack, sessions);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(MANY * SAID.length);
    await using _other = await stack.startWorker();
    const totals = await stack.temporal.compactions.settled(stack.tenant);
    expect(await textsOf(stack, sessions)).toBe(0);
    expect(totals?.turns).toBe((MANY - SESSIONS_PER_STEP) * SAID.length);
    expect(await stack.events(stack.tenant)).toHaveLength(1);
  });

  it('loses nothing if its run is terminated, as the next run takes the rest', async () => {
    await using stack = await openRetention();
    const sessions = sessionsOf(SESSIONS_PER_STEP + 5);
    await stack.talk(stack.tenant, sessions);
    stack.advance(OLD_MS);
    await stack.temporal.compactions.start(stack.tenant);
    expect(await stack.temporal.compactions.start(stack.tenant)).toBe('UnderWay');
    const { workflow } = stack.temporal.client;
    await workflow.getHandle(compactWorkflowId(stack.tenant)).terminate();
    await using _worker = await stack.startWorker();
    expect(await compacted(stack)).toMatchObject({ sessions: sessions.length });
    expect(await textsOf(stack, sessions)).toBe(0);
  });
});

describe('the retention tick', () => {
  it('ENG-07: starts a run for each tenant with old turns and for no other', async () => {
    await using stack = await openRetention();
    await using _worker = await stack.startWorker();
    const { tenant } = stack;
    const patient = `${tenant}-patient`;
    const released = `${tenant}-released`;
    const { store, platform } = stack.parts;
    const owner = { cluster: 'test', namespace: 'test', name: 'test', uid: tenant };
    for (const [name, days] of [
      [patient, 90],
      [released, 1],
    ] as const) {
      const declared = { ...defaultPolicy(name), transcriptRetentionDays: days };
      const written = { hash: name, now: platform.clock() };
      await store.policies.put({ ...owner, name, uid: name }, declared, written);
    }
    for (const each of [tenant, patient, released]) await stack.talk(each, ['call']);
    const now = platform.clock();
    await store.policies.release(released, { ...owner, name: released, uid: released }, { now });
    stack.advance(OLD_MS);
    const answer = await stack.temporal.client.workflow.execute('retentionTick', {
      workflowId: `retention-tick-${tenant}`,
      taskQueue: TASK_QUEUE,
      args: [],
    });
    expect(answer).toEqual({ started: 1, underWay: 0, failed: 0 });
    expect(await stack.temporal.compactions.settled(tenant)).toMatchObject({ sessions: 1 });
    for (const each of [patient, released]) {
      expect(await stack.temporal.compactions.settled(each)).toBeNull();
    }
  });
});

describe('memory.compact with workflows', () => {
  it('starts a run, reports a run under way, and previews without a run', async () => {
    await using stack = await openRetention();
    const { tenant, ports } = stack;
    await stack.talk(tenant, ['call']);
    stack.advance(OLD_MS);
    const compact = (dryRun: boolean) =>
      OPERATIONS.memory.compact.call(ports, LOCAL_OPERATOR, { tenant, dryRun });
    const preview = await compact(true);
    expect(preview).toMatchObject({ state: 'Preview', counts: { turns: SAID.length } });
    expect(await compact(false)).toEqual({ state: 'Started', counts: null });
    expect(await compact(false)).toEqual({ state: 'UnderWay', counts: null });
    await using _worker = await stack.startWorker();
    expect(await stack.temporal.compactions.settled(tenant)).toEqual(preview.counts);
  });

  it('ENG-08: reports whether the last run never ran, runs, failed or is done', async () => {
    await using stack = await openRetention();
    const { tenant, ports, temporal } = stack;
    const status = () => OPERATIONS.memory.compactionStatus.call(ports, LOCAL_OPERATOR, { tenant });
    expect(await status()).toEqual({ state: 'Never', counts: null });
    await stack.talk(tenant, ['call']);
    stack.advance(OLD_MS);
    await OPERATIONS.memory.compact.call(ports, LOCAL_OPERATOR, { tenant });
    expect(await status()).toEqual({ state: 'UnderWay', counts: null });
    await temporal.client.workflow.getHandle(compactWorkflowId(tenant)).terminate('maintenance');
    expect(await status()).toEqual({ state: 'Failed', counts: null });
    await OPERATIONS.memory.compact.call(ports, LOCAL_OPERATOR, { tenant });
    await using _worker = await stack.startWorker();
    await temporal.compactions.settled(tenant);
    expect(await status()).toMatchObject({ state: 'Done', counts: { turns: SAID.length } });
  });
});
