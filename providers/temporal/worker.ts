/** The Temporal worker: workflows and store activities on one queue, other calls on their own. */
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

/** Workflows kept in memory between their tasks; a missing one is replayed. */
const CACHED_WORKFLOWS_MAX = 200;
const STORE_ACTIVITIES_MAX = 50;
/** Calls of a model that one worker has under way; what a 429 can find in flight. */
export const MODEL_ACTIVITIES_MAX = 8;
const EMBED_ACTIVITIES_MAX = 4;
/**
 * Maximum for all workers together; each makes at most 8 calls, so a model gets 160 calls a second.
 */
const EMBED_ACTIVITIES_PER_SECOND = 20;
/** Longer than a store activity; a model call cut off here is found again by its attempt. */
const GRACE_MS = 5_000;

/** The workflows as one script for their sandbox. */
export interface WorkflowBundle {
  readonly code: string;
}

export interface WorkerOptions {
  readonly address: string;
  readonly namespace: string;
  /** Absent for a plain connection. */
  readonly security?: TemporalSecurity | null;
  /** Null for a worker that runs no workflows, and none of the activities beside them. */
  readonly bundle: WorkflowBundle | null;
  /** Whether it calls models and embedders; true where absent. */
  readonly callsModels?: boolean;
  readonly activities: object;
  readonly log: Log;
  /** Nothing is traced where absent. */
  readonly tracing?: Tracing | undefined;
  readonly cachedWorkflowsMax?: number;
  /** Milliseconds that activities under way may still take after the end was asked for. */
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
  /** Rejects when the worker dies of itself; resolves after a shutdown that was asked for. */
  readonly finished: Promise<void>;
  /** Whether every queue is still asked for work. */
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

/** @throws VarveError PROVIDER_ERROR where the server cannot be reached. */
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

/** What is polled: each queue by a worker of its own, so that no kind of work holds up another. */
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

/** Sends the SDK's own log to ours. Called once, before the first worker of a process. */
export function installRuntime(log: Log): void {
  Runtime.install({
    logger: sdkLogger(log),
    shutdownSignals: [],
    // Otherwise its native part would write to the terminal.
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

/** A poller that failed for good ends its worker, but only after what it has under way. */
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
