/**
 * `npm run record`: records a history of every way through the workflows, with the version that
 * package.json names. What is recorded stays; `-- --again` records one again that nobody runs,
 * `-- --more` only what it lacks.
 */
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { z } from 'zod';
import { argsOrExit } from '#bench/named-runs.ts';
import { TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import { VarveError } from '#core/errors.ts';
import { BATCHES_PER_CLAIM_MAX } from '#core/refresh/plan-batches.ts';
import { reembedWorkflowId } from '#core/embedding/reembed-contract.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { startTestTemporal } from '../cluster/test-temporal.ts';
import { eventually, openStack, statusOf, untilWaiting, type Stack } from '../workflows/fixture.ts';
import { door, mentions, stubbed } from '../workflows/model-stub.ts';
import { openDreams } from '../workflows/dream-fixture.ts';
import { openReembed } from '../workflows/reembed-fixture.ts';
import { openFlushes } from '../workflows/flush-fixture.ts';
import { openRetention } from '../workflows/retention-fixture.ts';
import { ERASURE_RECORDINGS } from './erasure-recordings.ts';
import { DREAM_RECORDINGS } from './dream-recordings.ts';
import { FLUSH_RECORDINGS } from './flush-recordings.ts';
import { FIXTURES_FILE, listFixtures, REPLAY_FOLDER } from './fixtures.ts';
import { REEMBED_RECORDINGS } from './reembed-recordings.ts';
import { RETENTION_RECORDINGS, type RetentionRecording } from './retention-recordings.ts';

const HOUR_MS = 3_600_000;
const ANN = { identifiers: { userId: 'ann' } };
/** `4711@host`, and what the SDK derives from it. */
const WORKER_IDENTITY = /^\d+@/u;
const ROSES = 'Ann grows roses and lavender in her garden in Lisbon.';

/** What calls wait at until the moment that is to be recorded. */
const pausedDoor = door();
const urgentDoor = door();

interface Recording {
  readonly options?: Parameters<typeof openStack>[0];
  readonly play: (stack: Stack, tenant: string) => Promise<void>;
}

const RECORDINGS: Readonly<Record<string, Recording>> = {
  plain: {
    play: async (stack, tenant) => {
      await stack.declare(tenant);
      await stack.add(tenant, { ...ANN, content: ROSES });
    },
  },
  flush: {
    play: async (stack, tenant) => {
      await waitingRun(stack, tenant);
      await stack.temporal.flush(tenant, { kind: 'Due' });
    },
  },
  urgent: {
    play: async (stack, tenant) => {
      await stack.declare(tenant);
      const { memory } = await stack.add(tenant, { ...ANN, content: ROSES });
      await stack.settled(tenant);
      await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
      await stack.add(tenant, { identifiers: { userId: 'bob' }, content: ROSES });
      await untilWaiting(stack, tenant);
      await stack.remove(tenant, memory.id);
      await eventually('an urgent summary', async () => {
        const scope = { tenant, layer: 'user', scopeId: 'ann' } as const;
        const { changes, lease } = await stack.parts.store.scopes.get(scope);
        return changes === 0 && lease === null;
      });
      await stack.temporal.flush(tenant, { kind: 'Due' });
    },
  },
  pause: {
    play: async (stack, tenant) => {
      await waitingRun(stack, tenant);
      const run = stack.temporal.client.workflow.getHandle(`refresh/${tenant}`);
      await run.signal('pause', { forMs: HOUR_MS });
      stack.advance(HOUR_MS);
      await run.signal('resume');
    },
  },
  'paused-claim': {
    options: { model: stubbed(() => pausedDoor.opened).model },
    play: async (stack, tenant) => {
      await claimOfMany(stack, tenant);
      const run = stack.temporal.client.workflow.getHandle(`refresh/${tenant}`);
      await run.signal('pause', { forMs: HOUR_MS });
      pausedDoor.open();
      await eventually('a pause', async () => (await statusOf(stack, tenant)).phase === 'Paused');
      await run.signal('resume');
    },
  },
  'urgent-claim': {
    options: {
      model: stubbed((batch) => (mentions(batch, 'Group') ? urgentDoor.opened : undefined)).model,
    },
    play: async (stack, tenant) => {
      await stack.declare(tenant);
      const { memory } = await stack.add(tenant, { ...ANN, content: ROSES });
      await stack.settled(tenant);
      await claimOfMany(stack, tenant);
      await stack.remove(tenant, memory.id);
      await eventually('an urgent scope that is due', async () => {
        const now = stack.parts.platform.clock();
        const due = await stack.parts.store.scopes.due(tenant, { until: now, now, limit: 10 });
        return due.some(({ dueTrigger }) => dueTrigger === 'Urgent');
      });
      urgentDoor.open();
    },
  },
  exhausted: {
    options: { model: stubbed().model },
    play: async (stack, tenant) => {
      const limit = { limitTokens: 1, limitMicroDollars: null, onExhausted: 'Reject' } as const;
      await stack.declare(tenant, { tenant: { budget: limit } });
      await stack.add(tenant, { ...ANN, content: ROSES });
    },
  },
  failed: {
    options: {
      model: stubbed((_batch, call) => {
        if (call === 1) throw new VarveError('PROVIDER_REJECTED', 'Refused.');
      }).model,
    },
    play: async (stack, tenant) => {
      await stack.declare(tenant);
      await stack.add(tenant, { ...ANN, content: ROSES });
      await eventually('a failure', async () =>
        (await stack.scopes(tenant)).some(({ attempts, lease }) => attempts > 0 && lease === null),
      );
      stack.advance(HOUR_MS);
      await stack.temporal.notify(tenant, { urgent: false });
    },
  },
  continued: {
    options: { settings: { roundsMax: 1 } },
    play: async (stack, tenant) => {
      await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
      for (let n = 0; n <= BATCHES_PER_CLAIM_MAX; n += 1) {
        const identifiers = { userId: `user-${String(n)}` };
        await stack.add(tenant, { identifiers, content: ROSES });
      }
      stack.advance(HOUR_MS);
      await stack.temporal.notify(tenant, { urgent: false });
    },
  },
};

const args = await argsOrExit('npm run record', {
  about: 'Records a history of every way through the workflows, for the version of package.json.',
  options: {
    '--again': 'records the version again',
    '--more': 'records only what it lacks',
  },
});
const again = args.includes('--again');
const more = args.includes('--more');
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(await readFile(path.join(REPLAY_FOLDER, '../../package.json'), 'utf8')));
const folder = path.join(REPLAY_FOLDER, version);
if (again) await rm(folder, { recursive: true, force: true });
if (!more && (await stat(folder).catch(() => null)) !== null) {
  process.stderr.write(`Histories of ${version} are recorded; a new version has new ones.\n`);
  process.exit(5);
}
await mkdir(folder, { recursive: true });

await using temporal = await startTestTemporal();
const recorded = (await listFixtures()).map(({ file }) => file);
const isRecorded = (name: string): boolean =>
  recorded.some((file) => new RegExp(`^${version}/${name}(-\\d+)?\\.json$`, 'u').test(file));
for (const [name, { options, play }] of Object.entries(RECORDINGS)) {
  if (isRecorded(name)) continue;
  await using stack = await openStack({ ...options, address: temporal.address });
  await play(stack, stack.tenant);
  await stack.settled(stack.tenant);
  await writeAll(name, await historiesOf(stack, `refresh/${stack.tenant}`));
}
if (!isRecorded('tick')) await recordTick(temporal.address);
for (const [name, { options, play }] of Object.entries(REEMBED_RECORDINGS)) {
  if (isRecorded(name)) continue;
  await using stack = await openReembed({ ...options, address: temporal.address });
  await using _worker = await stack.startWorker();
  await play(stack);
  await stack.temporal.reembed.settled(stack.new.generation);
  await writeAll(name, await historiesOf(stack, reembedWorkflowId(stack.new.generation)));
}
const retained: Readonly<Record<string, RetentionRecording>> = {
  ...RETENTION_RECORDINGS,
  ...ERASURE_RECORDINGS,
};
for (const [name, { options, around, play }] of Object.entries(retained)) {
  if (isRecorded(name)) continue;
  await using stack = await openRetention({ ...options, address: temporal.address });
  await using _worker = await stack.startWorker(around);
  await writeAll(name, await historiesOf(stack, await play(stack)));
}
for (const [name, { options, play }] of Object.entries(DREAM_RECORDINGS)) {
  if (isRecorded(name)) continue;
  await using stack = await openDreams({ ...options, address: temporal.address });
  await using _worker = await stack.startWorker();
  await writeAll(name, await historiesOf(stack, await play(stack)));
}
for (const [name, { options, play }] of Object.entries(FLUSH_RECORDINGS)) {
  if (isRecorded(name)) continue;
  await using stack = await openFlushes({ ...options, address: temporal.address });
  await using _worker = await stack.startWorker();
  await writeAll(name, await historiesOf(stack, await play(stack)));
}
const fixtures = await listFixtures();
const lines = fixtures.map(({ file, sha256 }) => `${sha256}  ${file}\n`);
await writeFile(FIXTURES_FILE, lines.join(''));

async function waitingRun(stack: Stack, tenant: string): Promise<void> {
  await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
  await stack.add(tenant, { ...ANN, content: ROSES });
  await untilWaiting(stack, tenant);
}

/** Resolves when as many batches are at work as may be, and others of their claim wait. */
async function claimOfMany(stack: Stack, tenant: string): Promise<void> {
  await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
  for (let n = 0; n < BATCHES_PER_CLAIM_MAX; n += 1) {
    const identifiers = { userId: `user-${String(n)}` };
    const content = `Group ${String(n)} visits the harbour in week ${String(n)}.`;
    await stack.add(tenant, { identifiers, content }, NO_REFRESH_TRIGGER);
  }
  stack.advance(HOUR_MS);
  await stack.temporal.notify(tenant, { urgent: false });
  await eventually('a claim at work', async () => {
    return (await statusOf(stack, tenant)).phase === 'Summarizing';
  });
}

async function recordTick(address: string): Promise<void> {
  await using stack = await openStack({ address });
  const workflowId = `tick-${stack.tenant}`;
  await stack.temporal.client.workflow.execute('refreshTick', {
    workflowId,
    taskQueue: TASK_QUEUE,
    args: [],
  });
  for (const history of await historiesOf(stack, workflowId)) await write('tick', history);
}

/** The runs of one workflow id, the earliest first. */
async function historiesOf(
  { temporal: { client } }: Pick<Stack, 'temporal'>,
  id: string,
): Promise<string[]> {
  const runs = await eventually('listed runs', async () => {
    const found = await Array.fromAsync(client.workflow.list({ query: `WorkflowId = "${id}"` }));
    const open = found.some(({ status }) => status.name === 'RUNNING');
    return found.length > 0 && !open ? found : null;
  });
  const inOrder = runs.toSorted((a, b) => a.startTime.getTime() - b.startTime.getTime());
  return Promise.all(
    inOrder.map(async ({ workflowId, runId }) =>
      historyToJSON(await client.workflow.getHandle(workflowId, runId).fetchHistory()),
    ),
  );
}

async function writeAll(name: string, runs: readonly string[]): Promise<void> {
  for (const [n, history] of runs.entries()) {
    await write(runs.length === 1 ? name : `${name}-${String(n + 1)}`, history);
  }
}

/** Without traces of the machine that recorded it: its name, process and folders. */
async function write(name: string, history: string): Promise<void> {
  const plain: unknown = JSON.parse(history, (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    return key === 'stackTrace' || WORKER_IDENTITY.test(value) ? '' : value;
  });
  await writeFile(path.join(folder, `${name}.json`), `${JSON.stringify(plain, null, 1)}\n`);
  process.stdout.write(`recorded ${version}/${name}.json\n`);
}
