/** One run of `temporal server start-dev` as a child process. */
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { programEnvironment } from './child-environment.ts';
import type { Environment } from './server-platform.ts';
import { endChildWithParent } from './end-child-with-parent.ts';

/** How long a server may take to end, while it writes its last state. */
const STOP_GRACE_MS = 5_000;
const LOG_BYTES_MAX = 20 * 1_024 * 1_024;
/** Maximum text of the log that is read to explain a failed start. */
const TAIL_BYTES_MAX = 16 * 1_024;

export interface ServerExit {
  /** Exit status; null if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServerProcess {
  readonly pid: number;
  readonly exited: Promise<ServerExit>;
  /** Returns what this run has written to the log, at most the last 16 KiB. */
  readonly logTail: () => string;
  /** Sends SIGTERM, then SIGKILL after 5 s; resolves when the process has ended. */
  readonly stop: () => Promise<ServerExit>;
}

/**
 * Starts the program and appends its output to the log. `onStarted` gets the process id in the same
 * tick, before anything can interrupt.
 * Errors: the system's own if the program cannot be started.
 */
export async function spawnServer(
  command: { program: string; args: readonly string[]; env: Environment; logFile: string },
  onStarted: (pid: number) => void,
): Promise<ServerProcess> {
  const log = openLog(command.logFile);
  const child = spawn(command.program, command.args, {
    // Its own session: Ctrl-C reaches only us, and workers can drain before the server ends.
    detached: true,
    stdio: ['ignore', log.descriptor, log.descriptor],
    env: { ...programEnvironment(command.env) },
  });
  closeSync(log.descriptor);
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
  });
  if (child.pid !== undefined) onStarted(child.pid);
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => {
      resolve(child.pid ?? 0);
    });
  });
  const release = endChildWithParent(pid);
  exited.then(release).catch(() => undefined);
  return {
    pid,
    exited,
    logTail: () => readTail(command.logFile, log.startOffset),
    stop: () => stopProcess((signal) => child.kill(signal), exited),
  };
}

async function stopProcess(
  kill: (signal: NodeJS.Signals) => boolean,
  exited: Promise<ServerExit>,
): Promise<ServerExit> {
  kill('SIGTERM');
  const timer = setTimeout(() => kill('SIGKILL'), STOP_GRACE_MS);
  try {
    return await exited;
  } finally {
    clearTimeout(timer);
  }
}

function openLog(file: string): { readonly descriptor: number; readonly startOffset: number } {
  const descriptor = openSync(file, 'a');
  if (fstatSync(descriptor).size > LOG_BYTES_MAX) ftruncateSync(descriptor, 0);
  return { descriptor, startOffset: fstatSync(descriptor).size };
}

function readTail(file: string, startOffset: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const end = fstatSync(descriptor).size;
    const start = Math.max(startOffset, end - TAIL_BYTES_MAX);
    const buffer = Buffer.alloc(Math.max(0, end - start));
    const length = readSync(descriptor, buffer, 0, buffer.length, start);
    return buffer.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}
