/** Flushes with a real store, a real Temporal server, and workers that a test starts and stops. */
import { providerOver } from '#test/provider-over.ts';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createActivities, type AllActivities } from '#activities/create-activities.ts';
import { forTemporal, temporalCall } from '#activities/heartbeats-and-failures.ts';
import type { RefreshPorts } from '#activities/refresh-ports.ts';
import { libraryOf, type Library } from '#api/library.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { flushWorkflowId, type FlushTotals } from '#core/flush/flush-contract.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import { connectTemporal, type TemporalClient } from '#providers/temporal/client.ts';
import { startWorker, type RunningWorker } from '#providers/temporal/worker.ts';
import { testPlace } from './fixture.ts';
import type { StubbedModel } from './model-stub.ts';

/** Names that must reach no history. */
export const PERSON = 'zaphod@example.org';
export const SESSION = 'call-of-zaphod';
export const LASTING = 'I live in Lyon.';
export const PASSING = 'We argued about the billing service all morning.';

export interface FlushOptions {
  readonly address?: string;
  /** Reads the turns; the policy says so then. */
  readonly model?: StubbedModel['model'];
}

export interface FlushStack extends AsyncDisposable {
  readonly parts: RefreshPorts;
  readonly temporal: TemporalClient;
  readonly dataDir: string;
  readonly address: string;
  readonly namespace: string;
  /** A tenant that no other test has. */
  readonly tenant: string;
  /** As the API is where workflows run. */
  readonly library: Library;
  advance(ms: number): void;
  startWorker(around?: (activities: AllActivities) => AllActivities): Promise<RunningWorker>;
  /** Turns of the session, of which one says what lasts; answers the id of the flush. */
  talk(more?: readonly { id: string; role: 'user'; content: string }[]): Promise<string>;
  /** One tick, as the schedule starts it. */
  tick(workflowId?: string): Promise<number>;
  /** What the run did. */
  settled(flushId: string): Promise<FlushTotals>;
  /** What was kept, and the lines of the daily file. */
  kept(): Promise<{ memories: readonly string[]; lines: readonly string[] }>;
}

export async function openFlushes(options: FlushOptions = {}): Promise<FlushStack> {
  const place = await testPlace(options.address);
  const { address, namespace } = place;
  await using held = new AsyncDisposableStack();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'varve-flushes-'));
  held.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { model } = options;
  const modelled = model === undefined ? {} : { model };
  const opened = held.use(await openParts({ dataDir, log: SILENT_LOG, ...modelled }));
  const time = { ahead: 0 };
  const platform = { ...opened.platform, clock: () => Date.now() + time.ahead };
  const provider = providerOver({ ...opened, platform });
  const parts = { ...opened, platform, provider };
  const temporal = held.use(await connectTemporal({ address, namespace }));
  const tenant = `tenant-${randomUUID()}`;
  if (model !== undefined) {
    const extraction = { modelClass: 'economy' } as const;
    const policy = { ...defaultPolicy(tenant), extraction };
    const owner = { cluster: 'test', namespace: 'test', name: tenant, uid: tenant };
    await parts.store.policies.put(owner, policy, { hash: tenant, now: platform.clock() });
  }
  const library = libraryOf(apiPortsOf(parts, temporal, null), LOCAL_OPERATOR);
  const running = held.move();
  return {
    parts,
    temporal,
    dataDir,
    address,
    namespace,
    tenant,
    library,
    advance: (ms) => {
      time.ahead += ms;
    },
    startWorker: async (around = (activities) => activities) => {
      const plain = around(createActivities(parts, temporal, temporalCall));
      const activities = forTemporal(plain, SILENT_LOG);
      return startWorker({ ...place, activities, log: SILENT_LOG });
    },
    ...callsOf({ library, temporal, parts, tenant }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** What a test does and asks. */
function callsOf({
  library,
  temporal,
  parts,
  tenant,
}: Pick<FlushStack, 'library' | 'temporal' | 'parts' | 'tenant'>): Pick<
  FlushStack,
  'talk' | 'tick' | 'settled' | 'kept'
> {
  const { workflow } = temporal.client;
  const identifiers = { userId: PERSON };
  return {
    talk: async (more = []) => {
      await library.conversation.append({
        tenant,
        sessionId: SESSION,
        identifiers,
        turns: [
          { id: 't1', role: 'user', content: LASTING },
          { id: 't2', role: 'user', content: PASSING },
          ...more,
        ],
      });
      const { flush } = (await parts.store.sessions.get(tenant, SESSION)) ?? { flush: null };
      if (flush === null) throw new Error('Nothing waits in the session.');
      return flush.id;
    },
    tick: async (workflowId = `flush-tick-${randomUUID()}`) => {
      const options = { workflowId, taskQueue: TASK_QUEUE, args: [] as [] };
      const report: { started: number } = await workflow.execute('flushTick', options);
      return report.started;
    },
    settled: async (flushId) =>
      (await workflow.getHandle(flushWorkflowId({ flushId })).result()) as FlushTotals,
    kept: async () => {
      const { memories } = await library.memory.list({ tenant, identifiers, latestOnly: false });
      const file = await library.daily.get({ tenant, subject: { kind: 'user', id: PERSON } });
      return {
        memories: memories.map(({ content }) => content),
        lines: file?.lines.map(({ text }) => text) ?? [],
      };
    },
  };
}
