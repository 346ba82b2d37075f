/** The Temporal client of one installation: starts refreshes, keeps its schedule and attributes. */
import { keepNewest } from '#core/keep-newest.ts';
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import protocol from '@temporalio/proto';
import * as contract from '#core/refresh/refresh-contract.ts';
import { foundRun, unanswered } from './rpc-failure.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import type { ErasureRuns } from '#core/ports/erasure-runs.ts';
import type { FlushRuns } from '#core/ports/flush-runs.ts';
import type { InstallationSchedules } from '#core/ports/installation-schedules.ts';
import { NO_TRACING, type Tracing } from '#core/ports/tracing.ts';
import type { RefreshHealth, RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { ReembedSettings } from '#core/embedding/reembed-contract.ts';
import type { CompactionSettings } from '#core/retention/retention-contract.ts';
import {
  createCompactionRuns,
  type StartedCompactions,
  createDreamRuns,
  createErasureRuns,
  createFlushRuns,
} from './start-runs.ts';
import { declaredSchedules } from './schedule-definitions.ts';
import { createInstallationSchedules } from './keep-schedules.ts';
import { createReembedRuns, type ReembedRuns } from './reembed-runs.ts';
import { ensureSearchAttributes, SEARCH_ATTRIBUTES } from './search-attributes.ts';
import {
  securedAddress,
  type SecuredAddress,
  type TemporalSecurity,
} from './connection-security.ts';
import { clientInterceptor } from './tracing.ts';

// The ends of windows that this process signaled to runs. A run needs no message about a window
// that closes later than one it knows, so steady writes to a tenant send one message per window,
// not one each. What another process announced is unknown here, which costs an extra message.

/** Tenants remembered; a run of a forgotten tenant gets an extra signal. */
const TENANTS_MAX = 10_000;

/** Times are milliseconds since the epoch. */
export function announcedWindows(tenantsMax = TENANTS_MAX) {
  const ends = new Map<string, number>();
  return {
    /** Whether `closesAt` is before the end of every announced window that is still open. */
    isSooner: (tenant: string, closesAt: number, now: number): boolean => {
      const end = ends.get(tenant);
      return end === undefined || end <= now || closesAt < end;
    },
    announced: (tenant: string, closesAt: number): void =>
      keepNewest(ends, tenantsMax, [tenant, closesAt]),
  };
}

/** A writer waits at most this long for its signal; the tick makes up for a lost one. */
const CALL_DEADLINE_MS = 2_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** Owner of the schedules of an installation outside a cluster. */
const LOCAL_OWNER = 'local';

export interface TemporalOptions {
  readonly address: string;
  readonly namespace: string;
  /** Absent for a plain connection. */
  readonly security?: TemporalSecurity | null;
  readonly settings?: contract.RefreshSettings;
  readonly reembedSettings?: ReembedSettings;
  readonly compactionSettings?: CompactionSettings;
  readonly tickEveryMs?: number;
  /** Absent if nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** Owner of the schedules; default `local`, without a cluster. */
  readonly owner?: string;
}

export interface TemporalClient extends RefreshTrigger, AsyncDisposable {
  readonly client: Client;
  /** Changes of the embedding model. */
  readonly reembed: ReembedRuns;
  /** Compactions of old turns. */
  readonly compactions: StartedCompactions;
  readonly dreams: DreamRuns;
  readonly flushes: FlushRuns;
  readonly erasures: ErasureRuns;
  /** The schedules and search attributes of this installation. */
  readonly schedules: InstallationSchedules;
  /** Creates or corrects the schedules. Repeatable; see `InstallationSchedules`. */
  ensureSchedule(): Promise<void>;
  /** Registers search attributes on a server that Varve did not start. Repeatable. */
  ensureSearchAttributes(attributes: Readonly<Record<string, string>>): Promise<void>;
  /** Closes the window of a tenant's run now; returns the ids of its batches. */
  flush(tenant: string, message: contract.FlushMessage): Promise<readonly string[]>;
  /** Whether the server answers and a worker polls for it. */
  health(): Promise<RefreshHealth>;
  /** Waits for the tenant's open run, if there is one; returns what it did. */
  settled(tenant: string): Promise<contract.RefreshTotals | null>;
}

/**
 * Connects to the server.
 * @throws VarveError PROVIDER_ERROR if the server cannot be reached
 */
export async function connectTemporal(options: TemporalOptions): Promise<TemporalClient> {
  const connection = await connect(securedAddress(options.address, options.security ?? null));
  const interceptors = { workflow: [clientInterceptor(options.tracing ?? NO_TRACING)] };
  const client = new Client({ connection, namespace: options.namespace, interceptors });
  const start = (tenant: string) =>
    startOptions(tenant, options.settings ?? contract.REFRESH_SETTINGS);
  const reembed = createReembedRuns(client, options.reembedSettings);
  const compactions = createCompactionRuns(client, options.compactionSettings);
  const windows = announcedWindows();
  const schedules = createInstallationSchedules({
    connection,
    namespace: options.namespace,
    owner: options.owner ?? LOCAL_OWNER,
    schedules: declaredSchedules(options.tickEveryMs),
    searchAttributes: SEARCH_ATTRIBUTES,
  });
  return {
    client,
    reembed,
    dreams: createDreamRuns(client),
    flushes: createFlushRuns(client),
    erasures: createErasureRuns(client),
    compactions,
    continueReembed: (generations) => reembed.ensure(generations),
    notify: async (tenant, { urgent, closesInMs, isFirst = false }) => {
      const known = closesInMs !== undefined;
      const now = Date.now();
      if (known && !isFirst && !windows.isSooner(tenant, now + closesInMs, now)) return;
      const message: contract.StaleMessage = known ? { urgent, closesInMs } : { urgent };
      await connection.withDeadline(now + CALL_DEADLINE_MS, () =>
        client.workflow.signalWithStart('tenantRefresh', {
          ...start(tenant),
          signal: contract.STALE_SIGNAL,
          signalArgs: [message],
        }),
      );
      if (known) windows.announced(tenant, now + closesInMs);
    },
    schedules,
    ensureSchedule: async () => void (await schedules.ensure()),
    ensureSearchAttributes: async (attributes) =>
      void (await ensureSearchAttributes(connection, options.namespace, attributes)),
    flush: async (tenant, message) => {
      // One call for both: a run with nothing to do could end between a start and an update.
      const startWorkflowOperation = new WithStartWorkflowOperation('tenantRefresh', start(tenant));
      const update = { args: [message] as [contract.FlushMessage], startWorkflowOperation };
      return client.workflow.executeUpdateWithStart<
        Workflow,
        readonly string[],
        [contract.FlushMessage]
      >(contract.FLUSH_NOW_UPDATE, update);
    },
    health: () => healthOf(connection, options.namespace),
    settled: (tenant) => {
      const run = client.workflow.getHandle(contract.refreshWorkflowId(tenant));
      return foundRun(async () => (await run.result()) as contract.RefreshTotals);
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

/** One run per tenant: a start that meets an open run uses it. */
function startOptions(tenant: string, settings: contract.RefreshSettings) {
  const input: contract.TenantRefreshInput = { tenant, settings };
  return {
    workflowId: contract.refreshWorkflowId(tenant),
    taskQueue: contract.TASK_QUEUE,
    args: [input] as [contract.TenantRefreshInput],
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    staticSummary: `Refresh of tenant ${tenant}`,
    staticDetails: 'Waits for the batch window, then summarizes what is due. May be terminated.',
    priority: { fairnessKey: tenant },
  };
}

async function connect(secured: SecuredAddress): Promise<Connection> {
  try {
    return await Connection.connect({ ...secured, connectTimeout: CONNECT_TIMEOUT_MS });
  } catch (cause) {
    throw unanswered(secured, cause);
  }
}

/** A worker that has not polled for this long is gone: workers poll at least every minute. */
const POLLER_SILENCE_MS_MAX = 90_000;

async function healthOf(connection: Connection, namespace: string): Promise<RefreshHealth> {
  const { TaskQueueType } = protocol.temporal.api.enums.v1;
  try {
    const { pollers } = await connection.withDeadline(Date.now() + CALL_DEADLINE_MS, () =>
      connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: contract.TASK_QUEUE },
        taskQueueType: TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
      }),
    );
    const since = Date.now() - POLLER_SILENCE_MS_MAX;
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
