/** The Temporal client of one installation: wakes tenants, keeps its schedule and attributes. */
import {
  Client,
  Connection,
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import protocol from '@temporalio/proto';
import {
  FLUSH_NOW_UPDATE,
  REFRESH_SETTINGS,
  REFRESH_TICK_SCHEDULE,
  refreshWorkflowId,
  STALE_SIGNAL,
  TASK_QUEUE,
  type FlushMessage,
  type RefreshSettings,
  type RefreshTotals,
  type StaleMessage,
  type TenantRefreshInput,
} from '#core/contract.ts';
import { VarveError } from '#core/errors.ts';
import type { RefreshHealth, Waker } from '#core/ports/waker.ts';
import type { ReembedSettings } from '#core/reembed-contract.ts';
import { announcedWindows } from './announced-windows.ts';
import { createReembedRuns, type ReembedRuns } from './reembed-runs.ts';

/** A writer waits for a wake at most this long; the tick is there for the rest. */
const WAKE_DEADLINE_MS = 2_000;
const CONNECT_TIMEOUT_MS = 10_000;
const TICK_EVERY_MS = 60_000;
const TICK_CATCHUP_MS = 60_000;
/** A tick that hangs must not make every later one be skipped. */
const TICK_TIMEOUT_MS = 5 * 60_000;

export interface TemporalOptions {
  readonly address: string;
  readonly namespace: string;
  readonly settings?: RefreshSettings;
  readonly reembedSettings?: ReembedSettings;
  readonly tickEveryMs?: number;
}

export interface TemporalClient extends Waker, AsyncDisposable {
  readonly client: Client;
  /** Changes of the embedding model. */
  readonly reembed: ReembedRuns;
  /** Makes the schedule of the tick where it is missing. Repeatable. */
  ensureSchedule(): Promise<void>;
  /** Registers search attributes on a server that was not started by Varve. Repeatable. */
  ensureSearchAttributes(attributes: Readonly<Record<string, string>>): Promise<void>;
  /** Closes the window of a tenant's run now; answers the ids of its batches. */
  flush(tenant: string, message: FlushMessage): Promise<readonly string[]>;
  /** Whether the server answers and a worker polls for it. */
  health(): Promise<RefreshHealth>;
  /** Waits for the tenant's open run, if there is one; answers what it did. */
  settled(tenant: string): Promise<RefreshTotals | null>;
}

/** @throws VarveError PROVIDER_ERROR where the server cannot be reached. */
export async function connectTemporal(options: TemporalOptions): Promise<TemporalClient> {
  const connection = await connect(options.address);
  const client = new Client({ connection, namespace: options.namespace });
  const start = (tenant: string) => startOptions(tenant, options.settings ?? REFRESH_SETTINGS);
  const reembed = createReembedRuns(client, options.reembedSettings);
  const windows = announcedWindows();
  return {
    client,
    reembed,
    continueReembed: (generations) => reembed.ensure(generations),
    wake: async (tenant, { urgent, closesInMs, isFirst = false }) => {
      const known = closesInMs !== undefined;
      const now = Date.now();
      if (known && !isFirst && !windows.isSooner(tenant, now + closesInMs, now)) return;
      const message: StaleMessage = known ? { urgent, closesInMs } : { urgent };
      await connection.withDeadline(now + WAKE_DEADLINE_MS, () =>
        client.workflow.signalWithStart('tenantRefresh', {
          ...start(tenant),
          signal: STALE_SIGNAL,
          signalArgs: [message],
        }),
      );
      if (known) windows.announced(tenant, now + closesInMs);
    },
    ensureSchedule: () => ensureSchedule(client, options.tickEveryMs ?? TICK_EVERY_MS),
    ensureSearchAttributes: (attributes) =>
      ensureSearchAttributes(connection, options.namespace, attributes),
    flush: async (tenant, message) => {
      // One call for both: a run with nothing to do could end between a start and an update.
      const startWorkflowOperation = new WithStartWorkflowOperation('tenantRefresh', start(tenant));
      const update = { args: [message] as [FlushMessage], startWorkflowOperation };
      return client.workflow.executeUpdateWithStart<Workflow, readonly string[], [FlushMessage]>(
        FLUSH_NOW_UPDATE,
        update,
      );
    },
    health: () => healthOf(connection, options.namespace),
    settled: (tenant) => settled(client, tenant),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

/** One run per tenant: a start that meets an open run uses it. */
function startOptions(tenant: string, settings: RefreshSettings) {
  const input: TenantRefreshInput = { tenant, settings };
  return {
    workflowId: refreshWorkflowId(tenant),
    taskQueue: TASK_QUEUE,
    args: [input] as [TenantRefreshInput],
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    staticSummary: `Refresh of tenant ${tenant}`,
    staticDetails: 'Waits for the batch window, then summarises what is due. May be terminated.',
    priority: { fairnessKey: tenant },
  };
}

async function connect(address: string): Promise<Connection> {
  try {
    return await Connection.connect({ address, connectTimeout: CONNECT_TIMEOUT_MS });
  } catch (cause) {
    throw new VarveError('PROVIDER_ERROR', `No Temporal server answers at ${address}.`, {
      details: { address },
      cause,
    });
  }
}

async function ensureSchedule(client: Client, everyMs: number): Promise<void> {
  try {
    await client.schedule.create({
      scheduleId: REFRESH_TICK_SCHEDULE,
      spec: { intervals: [{ every: everyMs }] },
      action: {
        type: 'startWorkflow',
        workflowType: 'refreshTick',
        workflowId: 'refresh-tick',
        staticSummary: 'Wakes every tenant with something due that no open run may know of',
        taskQueue: TASK_QUEUE,
        args: [],
        workflowExecutionTimeout: TICK_TIMEOUT_MS,
      },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: TICK_CATCHUP_MS },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}

async function ensureSearchAttributes(
  connection: Connection,
  namespace: string,
  attributes: Readonly<Record<string, string>>,
): Promise<void> {
  const { IndexedValueType } = protocol.temporal.api.enums.v1;
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(attributes).filter(([name]) => customAttributes[name] == null);
  if (missing.length === 0) return;
  const types: Record<string, number> = {
    Keyword: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
    KeywordList: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
    Int: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  };
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, types[type] ?? 0])),
  });
}

/** A worker that has not polled for this long is gone: pollers answer at least every minute. */
const POLLER_SILENCE_MAX_MS = 90_000;

async function healthOf(connection: Connection, namespace: string): Promise<RefreshHealth> {
  const { TaskQueueType } = protocol.temporal.api.enums.v1;
  try {
    const { pollers } = await connection.withDeadline(Date.now() + WAKE_DEADLINE_MS, () =>
      connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: TASK_QUEUE },
        taskQueueType: TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
      }),
    );
    const since = Date.now() - POLLER_SILENCE_MAX_MS;
    const polling = (pollers ?? []).filter(
      ({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 > since,
    );
    if (polling.length > 0) return { ok: true, findings: [] };
    return { ok: false, findings: ['no worker polls Temporal; start one with varve worker'] };
  } catch {
    const finding = 'Temporal does not answer; nothing is refreshed until it does';
    return { ok: false, findings: [finding] };
  }
}

async function settled(client: Client, tenant: string): Promise<RefreshTotals | null> {
  try {
    const handle = client.workflow.getHandle(refreshWorkflowId(tenant));
    return (await handle.result()) as RefreshTotals;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
