/** The Temporal worker: workflows and store activities on one task queue, other calls on others. */
import {
  bundleWorkflowCode,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions as QueueOptions,
} from '@temporalio/worker';
import { MODEL_TASK_QUEUE, TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import { unanswered } from './rpc-failure.ts';
import { EMBED_TASK_QUEUE } from '#core/embedding/reembed-contract.ts';
import { NO_TRACING, type Tracing } from '#core/ports/tracing.ts';
import type { Log } from '#core/ports/platform.ts';
import {
  securedAddress,
  type SecuredAddress,
  type TemporalSecurity,
} from './connection-security.ts';
import { activityInterceptors, traceSinks } from './tracing.ts';

/** Workflows cached between their tasks; a missing one is replayed. */
const CACHED_WORKFLOWS_MAX = 200;
const STORE_ACTIVITIES_MAX = 50;
/** Maximum concurrent model calls of one worker; as many may be in flight when a 429 comes. */
export const MODEL_ACTIVITIES_MAX = 8;
const EMBED_ACTIVITIES_MAX = 4;
/** Maximum for all workers together; each activity makes up to 8 calls, so up to 160 a second. */
const EMBED_ACTIVITIES_PER_SECOND = 20;
/** Longer than a store activity; a model call that is cut off here is settled by its attempt id. */
const GRACE_MS = 5_000;

/** The workflows bundled as one script for their sandbox. */
export interface WorkflowBundle {
  readonly code: string;
}

interface WorkerOptions {
  readonly address: string;
  readonly namespace: string;
  /** Absent for a plain connection. */
  readonly security?: TemporalSecurity | null;
  /** Null for a worker without workflows and without the activities on their queue. */
  readonly bundle: WorkflowBundle | null;
  /** Whether it calls models and embedders; default true. */
  readonly callsModels?: boolean;
  readonly activities: object;
  readonly log: Log;
  /** Absent if nothing is traced. */
  readonly tracing?: Tracing | undefined;
  readonly cachedWorkflowsMax?: number;
  /** Milliseconds that running activities may still take after a shutdown was requested. */
  readonly graceMs?: number;
}

type TaskQueue = Pick<
  QueueOptions,
  | 'taskQueue'
  | 'workflowBundle'
  | 'maxCachedWorkflows'
  | 'maxConcurrentActivityTaskExecutions'
  | 'maxTaskQueueActivitiesPerSecond'
>;

export interface RunningWorker extends AsyncDisposable {
  /** Rejects if the worker dies; resolves after a requested shutdown. */
  readonly finished: Promise<void>;
  /** Whether every queue is still polled. */
  isPolling(): boolean;
}

/** Bundles the workflows for their sandbox. */
export async function bundleWorkflows(workflowsPath: string, log: Log): Promise<WorkflowBundle> {
  return bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [workflowsPath],
    logger: sdkLogger(log),
  });
}

/**
 * Starts a worker.
 * @throws VarveError PROVIDER_ERROR if the server cannot be reached
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const connection = await connect(securedAddress(options.address, options.security ?? null));
  const { tracing = NO_TRACING } = options;
  const workers: Worker[] = [];
  for (const queue of queuesOf(options)) {
    workers.push(
      await Worker.create({
        ...queue,
        connection,
        namespace: options.namespace,
        activities: options.activities,
        interceptors: { activity: [activityInterceptors(tracing)] },
        sinks: traceSinks(tracing),
        shutdownGraceTime: options.graceMs ?? GRACE_MS,
      }),
    );
  }
  const finished = runAll(workers, connection);
  return {
    finished,
    isPolling: () => workers.every((worker) => isPolling(worker)),
    [Symbol.asyncDispose]: async () => {
      shutdown(workers);
      await finished;
    },
  };
}

/** The task queues, each polled by its own worker, so that no kind of work blocks another. */
function queuesOf({
  bundle,
  callsModels = true,
  cachedWorkflowsMax = CACHED_WORKFLOWS_MAX,
}: WorkerOptions): readonly TaskQueue[] {
  const ofWorkflows = (workflowBundle: WorkflowBundle): TaskQueue => ({
    taskQueue: TASK_QUEUE,
    workflowBundle,
    maxCachedWorkflows: cachedWorkflowsMax,
    maxConcurrentActivityTaskExecutions: STORE_ACTIVITIES_MAX,
  });
  const ofModels: readonly TaskQueue[] = [
    {
      taskQueue: MODEL_TASK_QUEUE,
      maxConcurrentActivityTaskExecutions: MODEL_ACTIVITIES_MAX,
    },
    {
      taskQueue: EMBED_TASK_QUEUE,
      maxConcurrentActivityTaskExecutions: EMBED_ACTIVITIES_MAX,
      maxTaskQueueActivitiesPerSecond: EMBED_ACTIVITIES_PER_SECOND,
    },
  ];
  return [...(bundle === null ? [] : [ofWorkflows(bundle)]), ...(callsModels ? ofModels : [])];
}

/** Sends the SDK's log to ours. Call it once, before the first worker of a process. */
export function installRuntime(log: Log): void {
  Runtime.install({
    logger: sdkLogger(log),
    shutdownSignals: [],
    // Otherwise the SDK's native part would write to the terminal.
    telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
  });
}

async function runAll(workers: readonly Worker[], connection: NativeConnection): Promise<void> {
  try {
    await Promise.all(workers.map((worker) => worker.run()));
  } finally {
    shutdown(workers);
    await connection.close();
  }
}

/** A poller that failed for good ends its worker, but only after the running activities. */
function isPolling(worker: Worker): boolean {
  const { runState, workflowPollerState, activityPollerState } = worker.getStatus();
  const pollers = [workflowPollerState, activityPollerState];
  return runState === 'RUNNING' && !pollers.includes('FAILED');
}

function shutdown(workers: readonly Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}

async function connect(secured: SecuredAddress): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(secured);
  } catch (cause) {
    throw unanswered(secured, cause);
  }
}

type SdkLevel = 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';

function sdkLogger(log: Log) {
  const write = (level: SdkLevel, message: string, meta?: Record<string, unknown>): void => {
    const fields = { sdk: true, ...meta };
    if (level === 'ERROR') log.error(fields, message);
    else if (level === 'WARN') log.warn(fields, message);
    else log.debug(fields, message);
  };
  const at = (level: SdkLevel) => (message: string, meta?: Record<string, unknown>) => {
    write(level, message, meta);
  };
  return {
    log: write,
    trace: at('TRACE'),
    debug: at('DEBUG'),
    info: at('INFO'),
    warn: at('WARN'),
    error: at('ERROR'),
  };
}
