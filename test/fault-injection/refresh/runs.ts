/** Proofs about runs themselves: continued as new, paused, reset, and replayed. */
import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { BATCHES_IN_FLIGHT_MAX, REFRESH_SETTINGS } from '#core/refresh/refresh-contract.ts';
import { VarveError } from '#core/errors.ts';
import { BATCHES_PER_CLAIM_MAX } from '#core/refresh/plan-batches.ts';
import { readFixtures, WORKFLOW_TYPES } from '../../replay/fixtures.ts';
import {
  eventually,
  openStack,
  statusOf,
  testBundle,
  type Stack,
} from '../../workflows/fixture.ts';
import { historiesOf } from '../../workflows/history-text.ts';
import { door, stubbed } from '../../workflows/model-stub.ts';
import { startKillableServer } from '../killable-server.ts';
import { addScopes } from './batching.ts';
import { historyFindings, spendingOf, startsOf, unsettled } from './end-state.ts';
import { findings, type Scenario, type ScenarioPlace } from './scenario.ts';

const HOUR_MS = 3_600_000;
/** Events after which the server asks a run to continue as new; one claim of batches has more. */
const SUGGESTED_EVENTS = '40';
/** Rounds of a run that only the server ends. */
const UNBOUNDED = { ...REFRESH_SETTINGS, roundsMax: 1_000 };

export const RUNS: readonly Scenario[] = [
  { id: 'short-histories', requirement: 'TMP-04', run: shortHistories },
  { id: 'paused-claim', requirement: 'TMP-03', run: pausedClaim },
  { id: 'recorded-histories', requirement: 'TMP-04', run: recordedHistories },
  { id: 'reset-everywhere', requirement: 'TMP-03', run: resetEverywhere },
];

/** The server asks for a new run in the middle of the work; what was claimed is kept. */
async function shortHistories({ scale }: ScenarioPlace): Promise<readonly string[]> {
  const count = scale === 'Full' ? 40 : 12;
  const limit = { 'limit.historyCount.suggestContinueAsNew': SUGGESTED_EVENTS };
  await using server = await startKillableServer(limit);
  const { model, calls } = stubbed();
  const { address } = server;
  await using stack = await openStack({ address, model, settings: UNBOUNDED });
  const { tenant } = stack;
  await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
  await addScopes(stack, tenant, { count, layer: 'user' });
  stack.advance(HOUR_MS);
  await stack.temporal.notify(tenant, { urgent: false });
  const { generated } = await stack.settled(tenant);
  const found = findings();
  found.expect(generated === count, `${String(generated)} summaries`);
  found.expect(calls.length === count, `${String(calls.length)} calls`);
  const histories = await historiesOf(stack, tenant);
  found.expect(histories.length > 1, 'no run continued as new');
  const starts = await startsOf(stack, tenant);
  found.expect(starts === 1, `${String(starts)} runs were started`);
  found.add(await unsettled(stack, tenant));
  found.add(await historyFindings(stack, tenant));
  return found.list;
}

/** A pause in the middle of a claim begins no other batch; the same claim then goes on. */
async function pausedClaim({ address }: ScenarioPlace): Promise<readonly string[]> {
  const held = door();
  const { model, calls } = stubbed(() => held.opened);
  await using stack = await openStack({ address, model });
  const { tenant } = stack;
  await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
  await addScopes(stack, tenant, { count: BATCHES_PER_CLAIM_MAX, layer: 'user' });
  stack.advance(HOUR_MS);
  await stack.temporal.notify(tenant, { urgent: false });
  await eventually('full lanes', async () => calls.length === BATCHES_IN_FLIGHT_MAX);
  const claimed = await batchesOf(stack, tenant);
  const run = stack.temporal.client.workflow.getHandle(`refresh/${tenant}`);
  await run.signal('pause', { forMs: HOUR_MS });
  held.open();
  await eventually('a pause', async () => (await statusOf(stack, tenant)).phase === 'Paused');
  const found = findings();
  found.expect(calls.length === BATCHES_IN_FLIGHT_MAX, 'a paused run began another batch');
  const left = await batchesOf(stack, tenant);
  const kept = left.every((batchId) => claimed.includes(batchId));
  found.expect(kept && left.length === claimed.length - calls.length, 'the claim was not kept');
  await run.signal('resume');
  const { batches, generated } = await stack.settled(tenant);
  found.expect(batches === claimed.length, `${String(batches)} batches`);
  found.expect(generated === claimed.length, `${String(generated)} summaries`);
  found.expect(calls.length === claimed.length, `${String(calls.length)} calls`);
  found.add(await unsettled(stack, tenant));
  found.add(await historyFindings(stack, tenant));
  return found.list;
}

/** A run with two claims and a failure, reset to each of its steps, one after the other. */
async function resetEverywhere({ address, scale }: ScenarioPlace): Promise<readonly string[]> {
  const { model, calls } = stubbed((_batch, call) => {
    if (call === 2) throw new VarveError('PROVIDER_REJECTED', 'The provider refused the request.');
  });
  await using stack = await openStack({ address, model });
  const { tenant, temporal } = stack;
  await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
  const count = scale === 'Full' ? BATCHES_PER_CLAIM_MAX + 2 : 2;
  await addScopes(stack, tenant, { count, layer: 'user' });
  stack.advance(HOUR_MS);
  await temporal.notify(tenant, { urgent: false });
  await stack.settled(tenant);
  stack.advance(HOUR_MS);
  const before = await spendingOf(stack, tenant);
  const made = calls.length;
  const [first] = await historiesOf(stack, tenant);
  const found = findings();
  const steps = stepsOf(first?.history);
  found.expect(steps.length > 5, 'there are no steps to reset to');
  for (const eventId of steps) {
    await temporal.client.workflowService.resetWorkflowExecution({
      namespace: temporal.client.options.namespace,
      workflowExecution: { workflowId: `refresh/${tenant}`, runId: first?.runId ?? '' },
      workflowTaskFinishEventId: eventId,
      requestId: randomUUID(),
      reason: 'proof',
    });
    await stack.settled(tenant);
  }
  const after = await spendingOf(stack, tenant);
  // The scope that the model refused once is pending, and is made once.
  found.expect(calls.length === made + 1, `${String(calls.length - made)} calls after resets`);
  found.expect(after.calls === before.calls + 1, `${String(after.calls)} calls are paid`);
  found.add(await unsettled(stack, tenant));
  found.add(await historyFindings(stack, tenant));
  return found.list;
}

/** Every history in the repository, of every workflow type, replays on the workflows of today. */
async function recordedHistories(): Promise<readonly string[]> {
  const recorded = await readFixtures();
  const found = findings();
  const types = new Set(recorded.map(({ workflowType }) => workflowType));
  for (const type of WORKFLOW_TYPES) {
    found.expect(types.has(type), `no history of ${type} is recorded`);
  }
  const histories = recorded.map(({ file, history }) => ({ workflowId: file, history }));
  const options = { workflowBundle: await testBundle() };
  for await (const { workflowId, error } of Worker.runReplayHistories(options, histories)) {
    found.expect(error === undefined, `${workflowId}: ${String(error?.message)}`);
  }
  return found.list;
}

async function batchesOf(stack: Stack, tenant: string): Promise<readonly string[]> {
  return (await stack.scopes(tenant)).flatMap(({ lease }) => lease?.batchId ?? []);
}

type Event = {
  readonly eventId?: Parameters<typeof String>[0];
  readonly workflowTaskCompletedEventAttributes?: unknown;
};

/** The ends of workflow tasks: what a run can be reset to. */
function stepsOf(history: unknown) {
  const { events = [] } = (history ?? {}) as { events?: readonly Event[] };
  return events
    .filter(({ workflowTaskCompletedEventAttributes: end }) => end != null)
    .map(({ eventId }) => eventId as never);
}
