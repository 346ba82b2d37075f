/**
 * Finds a server that an earlier process of ours left behind, and ends it before its database file
 * is opened again: two servers on one file would corrupt it.
 *
 * Assumes that the caller holds the lock of the database file, so a server still running on it no
 * longer has an owner.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { access, readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { codeOf, VarveError } from '#core/errors.ts';
import type { ServerPorts } from './server-ports.ts';

/** Content of the file `<database>.pid` while a server runs. */
interface ServerRecord {
  readonly pid: number;
  /** When the server was started, ISO 8601 in UTC. */
  readonly startedAt: string;
  readonly ports: ServerPorts;
}

/** Access to the system's processes, replaceable in tests. */
export interface ProcessTable {
  /** Returns the command line of a live process, arguments joined by spaces; undefined if none. */
  commandLine(pid: number): Promise<string | undefined>;
  signal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void;
}

type OrphanOutcome =
  | { readonly kind: 'NoRecord' }
  | { readonly kind: 'Gone'; readonly pid: number }
  /** The process id now belongs to another program than a server on our file. */
  | { readonly kind: 'Reused'; readonly pid: number }
  | { readonly kind: 'Stopped'; readonly pid: number; readonly signal: 'SIGTERM' | 'SIGKILL' };

/** How long the process may take to end after each of the two signals. */
const GRACE_MS = 5_000;
const POLL_MS = 50;

/** Writes the record, in the same tick as the start, so that a server hardly ever lacks one. */
export function writeServerRecord(databaseFile: string, record: ServerRecord): void {
  writeFileSync(recordPath(databaseFile), `${JSON.stringify(record)}\n`);
}

/** Whether a server was started and not stopped cleanly; a clean stop removes the record. */
export function hasServerRecord(databaseFile: string): Promise<boolean> {
  return access(recordPath(databaseFile)).then(
    () => true,
    () => false,
  );
}

export async function removeServerRecord(databaseFile: string): Promise<void> {
  await rm(recordPath(databaseFile), { force: true });
}

/**
 * Ends the recorded server if it still runs on this database file, and waits until it is gone.
 * Errors: PROVIDER_ERROR if it outlives SIGKILL by `graceMs`.
 */
export async function stopOrphan(
  databaseFile: string,
  processes: ProcessTable,
  graceMs: number = GRACE_MS,
): Promise<OrphanOutcome> {
  const pid = await recordedPid(databaseFile);
  if (pid === undefined) return { kind: 'NoRecord' };
  const commandLine = await processes.commandLine(pid);
  if (commandLine === undefined) return { kind: 'Gone', pid };
  if (!runsOn(commandLine, databaseFile)) return { kind: 'Reused', pid };
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    processes.signal(pid, signal);
    if (await isGone({ pid, databaseFile, processes, graceMs })) {
      return { kind: 'Stopped', pid, signal };
    }
  }
  const message = `Process ${pid} uses Temporal's file and can't be ended.`;
  throw new VarveError('PROVIDER_ERROR', message, { details: { pid } });
}

/** Returns access to the processes of this machine. */
export function systemProcesses(): ProcessTable {
  return { commandLine, signal: signalProcess };
}

async function recordedPid(databaseFile: string): Promise<number | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(recordPath(databaseFile), 'utf8'));
    if (typeof record !== 'object' || record === null || !('pid' in record)) return undefined;
    return typeof record.pid === 'number' ? record.pid : undefined;
  } catch (error) {
    // A record cut off by a full disk names no process, so there is nothing to look for.
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function isGone(wait: {
  readonly pid: number;
  readonly databaseFile: string;
  readonly processes: ProcessTable;
  readonly graceMs: number;
}): Promise<boolean> {
  const deadline = performance.now() + wait.graceMs;
  while (performance.now() < deadline) {
    const commandLine = await wait.processes.commandLine(wait.pid);
    if (commandLine === undefined || !runsOn(commandLine, wait.databaseFile)) return true;
    await sleep(POLL_MS);
  }
  return false;
}

/** Whether the file is a whole argument of the command line; file names may contain spaces. */
function runsOn(commandLine: string, databaseFile: string): boolean {
  return `${commandLine} `.includes(` ${databaseFile} `);
}

async function commandLine(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? commandLineFromProc(pid) : commandLineFromPs(pid);
}

async function commandLineFromProc(pid: number): Promise<string | undefined> {
  try {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    // A process that has ended but wasn't reaped has an empty command line.
    return line === '' ? undefined : line.replaceAll('\0', ' ').trimEnd();
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return undefined;
    throw error;
  }
}

async function commandLineFromPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', `${pid}`]);
    return stdout.trim() || undefined;
  } catch (error) {
    // `ps` ends with status 1 when there is no such process.
    if (codeOf(error) === 1) return undefined;
    throw error;
  }
}

function signalProcess(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // The process ended before the signal, which is the goal.
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

function recordPath(databaseFile: string): string {
  return `${databaseFile}.pid`;
}
