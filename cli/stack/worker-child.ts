/** The worker as a child process, which is restarted whenever it dies. */
import { fork, type ChildProcess, type StdioOptions } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import type { MetricsSnapshot, MetricsPage } from '#core/ports/metrics.ts';
import type { Log } from '#core/ports/platform.ts';

const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;
const RESTART_PAUSE_MS = 500;

interface WorkerChildOptions {
  /** The module to run, and its arguments. */
  readonly module: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** The program that runs the module; the current Node if absent. */
  readonly node?: () => string;
  /** How long after a death the next worker starts. */
  readonly restartPauseMs?: number;
}

export interface WorkerChild extends AsyncDisposable {
  /** Rejects when the worker dies again and again. */
  readonly failed: Promise<never>;
  readonly pid: () => number | undefined;
  /** The counters of the running worker; empty while there is none. */
  readonly metrics: () => Promise<readonly MetricsSnapshot[]>;
}

/** Starts the worker and resolves once it polls. */
export async function startWorkerChild(options: WorkerChildOptions): Promise<WorkerChild> {
  const state: { child: ChildProcess; stopping: boolean } = {
    child: spawn(options),
    stopping: false,
  };
  await untilReady(state.child);
  const failed = supervise(state, options);
  // The race on `failed` sees the failure; an unhandled rejection would end the process.
  failed.catch(() => undefined);
  return {
    failed,
    pid: () => state.child.pid,
    metrics: () => askMetrics(state.child),
    [Symbol.asyncDispose]: async () => {
      state.stopping = true;
      await stop(state.child);
    },
  };
}

function spawn({ module, args, env, log, node }: WorkerChildOptions): ChildProcess {
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit', 'ipc'];
  const program = node === undefined ? {} : { execPath: node() };
  const child = fork(module, [...args], { env: { ...env }, stdio, ...program });
  // An unhandled `error` would end this process. A child that never started has no other event.
  child.on('error', (error) => {
    log.warn({ error }, 'worker could not be started or reached');
  });
  return child;
}

/** Whether a process could not be started, e.g. for lack of memory or process slots. */
function hasFailedToStart({ pid }: ChildProcess): boolean {
  return pid === undefined;
}

async function supervise(
  state: { child: ChildProcess; stopping: boolean },
  options: WorkerChildOptions,
): Promise<never> {
  let quickDeaths = 0;
  for (;;) {
    const startedAt = performance.now();
    const status = await exited(state.child);
    // A requested stop is not a failure: this promise then never settles.
    if (state.stopping) return new Promise<never>(() => undefined);
    quickDeaths = quickDeathsAfter(quickDeaths, performance.now() - startedAt);
    options.log.warn({ status, quickDeaths }, 'worker exited; restarting it');
    if (isCrashLoop(quickDeaths)) {
      throw new VarveError(
        'PROVIDER_ERROR',
        'The worker keeps exiting; see worker.log in the logs folder.',
        {
          details: { status },
        },
      );
    }
    await sleep(options.restartPauseMs ?? RESTART_PAUSE_MS);
    // It may have been stopped meanwhile.
    if (!state.stopping) state.child = spawn(options);
  }
}

async function untilReady(child: ChildProcess): Promise<void> {
  const ready = new Promise<void>((resolve, reject) => {
    child.once('message', () => {
      resolve();
    });
    child.once('error', reject);
    child.once('exit', (status) => {
      reject(
        new VarveError('PROVIDER_ERROR', 'The worker ended before it was ready; see its log.', {
          details: { status },
        }),
      );
    });
  });
  const late = sleep(READY_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new VarveError('TIMEOUT', 'The worker was not ready in time; see its log.', {
      details: { timeoutMs: READY_TIMEOUT_MS },
    });
  });
  try {
    await Promise.race([ready, late]);
  } catch (error) {
    await stop(child);
    throw error;
  }
}

function exited(child: ChildProcess): Promise<number | string | null> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return Promise.resolve(child.exitCode ?? child.signalCode);
  }
  if (hasFailedToStart(child)) return Promise.resolve('not started');
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(code ?? signal);
    });
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || hasFailedToStart(child)) return;
  child.kill('SIGTERM');
  const late = sleep(STOP_TIMEOUT_MS, 'late' as const, { ref: false });
  if ((await Promise.race([exited(child), late])) === 'late') child.kill('SIGKILL');
  await exited(child);
}

/** Deaths in a row, each soon after a start, that end the installation. */
const QUICK_CRASHES_MAX = 5;
const QUICK_DEATH_MS = 60_000;

/** Counts quick deaths in a row; a part that lived longer starts over. */
export function quickDeathsAfter(before: number, livedMs: number): number {
  return livedMs < QUICK_DEATH_MS ? before + 1 : 0;
}

export function isCrashLoop(quickDeaths: number): boolean {
  return quickDeaths >= QUICK_CRASHES_MAX;
}

/** A scrape leaves out a worker that is busy or gone; scrapers wait for ten seconds. */
const ANSWER_TIMEOUT_MS = 2_000;

const Asked = z.object({ kind: z.literal('AskMetrics') });
const MetricsAnswer = z.object({
  kind: z.literal('Metrics'),
  snapshot: z.object({ process: z.string(), metrics: z.array(z.unknown()) }),
});

/**
 * In the child: answers each question of the parent with the counters so far. The stack asks over
 * the channel of the fork, so one address serves both, and the child needs no port.
 */
export function sendMetrics(page: MetricsPage): void {
  process.on('message', (message) => {
    if (!Asked.safeParse(message).success) return;
    page
      .snapshot('worker')
      .then((snapshot) => {
        // A parent that went away meanwhile needs no answer.
        if (process.connected) process.send?.({ kind: 'Metrics', snapshot });
      })
      // A parent that gets no answer leaves the worker out of its page.
      .catch(() => undefined);
  });
  // Listening must not keep a worker alive that has ended.
  process.channel?.unref();
}

/** In the parent: asks the child. Empty if it does not answer in time. */
export async function askMetrics(child: ChildProcess): Promise<readonly MetricsSnapshot[]> {
  if (!child.connected) return [];
  return new Promise((resolve) => {
    const finish = (snapshots: readonly MetricsSnapshot[]): void => {
      child.off('message', listen);
      child.off('disconnect', leave);
      clearTimeout(patience);
      resolve(snapshots);
    };
    const listen = (message: unknown): void => {
      const answer = MetricsAnswer.safeParse(message);
      if (answer.success) finish([answer.data.snapshot]);
    };
    const leave = (): void => {
      finish([]);
    };
    const patience = setTimeout(leave, ANSWER_TIMEOUT_MS);
    child.on('message', listen);
    child.once('disconnect', leave);
    child.send({ kind: 'AskMetrics' }, (error) => {
      if (error !== null) leave();
    });
  });
}
