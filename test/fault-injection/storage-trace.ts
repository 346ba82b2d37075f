/** Runs the workload under strace, which counts system calls on its files or makes one fail. */
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Told } from './storage-end.ts';

/** What SQLite does to its files; a rename it never does in this mode of its journal. */
export const SYSTEM_CALLS = ['pwrite64', 'fsync', 'fdatasync', 'ftruncate'] as const;
export type SystemCall = (typeof SYSTEM_CALLS)[number];

export interface Fault {
  readonly call: SystemCall;
  /** Which one, counted from 1. */
  readonly nth: number;
  /** `Kill` at the call, `EIO` for this one call, `ENOSPC` for it and all that follow. */
  readonly effect: 'Kill' | 'EIO' | 'ENOSPC';
}

const WORKLOAD = path.join(import.meta.dirname, 'storage-workload.ts');
/** A run takes seconds; one that hangs has failed. */
const RUN_MS_MAX = 60_000;

/** Why the proof can't run here; null where it can. */
export async function missingForTrace(): Promise<string | null> {
  if (process.platform !== 'linux') return 'strace, which is for Linux only';
  const { status } = await run('strace', ['-f', '-e', 'trace=none', 'true']).catch(() => ({
    status: null,
  }));
  return status === 0 ? null : 'strace, allowed to trace';
}

/** How often the undisturbed workload makes each call. */
export async function countCalls(file: string): Promise<Readonly<Record<SystemCall, number>>> {
  const log = `${file}.strace`;
  const { status, told } = await traced(file, ['-o', log]);
  if (status !== 0 || told.acknowledged.size === 0) {
    throw new Error(`The undisturbed workload ended with status ${String(status)}.`);
  }
  const lines = (await readFile(log, 'utf8')).split('\n');
  await rm(log);
  const count = (call: SystemCall) => lines.filter((line) => line.includes(`${call}(`)).length;
  return {
    pwrite64: count('pwrite64'),
    fsync: count('fsync'),
    fdatasync: count('fdatasync'),
    ftruncate: count('ftruncate'),
  };
}

/** Runs the workload with one fault; answers what it said before it died, and how it ended. */
export async function runWith(file: string, fault: Fault): Promise<Ended> {
  const { call, nth, effect } = fault;
  const inject = {
    Kill: `signal=SIGKILL:when=${String(nth)}`,
    EIO: `error=EIO:when=${String(nth)}`,
    ENOSPC: `error=ENOSPC:when=${String(nth)}+`,
  }[effect];
  return traced(file, ['-o', '/dev/null', '-e', `inject=${call}:${inject}`]);
}

export interface Ended {
  readonly status: number | null;
  readonly told: Told;
  /** What was refused: number of the write and code, in order. */
  readonly refused: readonly string[];
  readonly stderr: string;
}

async function traced(file: string, options: readonly string[]): Promise<Ended> {
  const files = ['', '-wal', '-shm'].flatMap((ending) => ['-P', `${file}${ending}`]);
  const trace = `trace=${SYSTEM_CALLS.join(',')}`;
  const command = [process.execPath, WORKLOAD, file];
  const { status, stdout, stderr } = await run('strace', [
    ...['-f', '-qq', ...files, '-e', trace],
    ...options,
    ...command,
  ]);
  const lines = stdout.split('\n');
  const acknowledged = new Set(
    lines
      .filter((line) => line.startsWith('ack '))
      .map((line) => Number(line.slice('ack '.length))),
  );
  const refused = lines.filter((line) => line.startsWith('err ') || line.startsWith('end '));
  return { status, told: { acknowledged }, refused, stderr };
}

interface Output {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, args: readonly string[]): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_MS_MAX,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', (status) => {
      resolve({ status, stdout, stderr });
    });
  });
}
