/** The command line as a person runs it: its own process, its output, its exit status. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TEST_BUNDLE } from '#test/cluster/test-temporal.ts';
import { familyOf, untilGone, type Running } from './processes.ts';
import { until } from './until.ts';

export const ROOT = path.dirname(path.dirname(import.meta.dirname));
export const VARVE_MAIN = path.join(ROOT, 'cli', 'main.ts');
/** For the environment of a command, which starts in half the time with it, as `npm start` does. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: path.join(ROOT, 'node_modules', '.cache', 'compiled'),
};
/** What `npm start` and `npm run demo` run. */
export const LAUNCHER = path.join(ROOT, 'scripts', 'varve.mjs');

export interface VarveOptions {
  /** An empty folder of its own if absent. */
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** `LAUNCHER`, or the command itself, which is the default. */
  readonly program?: string;
  /** Largest size in KiB of a file that the process may write. */
  readonly fileKibibytesMax?: number;
}

export interface Ended {
  /** 128 and the signal's number is not told apart here: a signal's name, or the status. */
  readonly status: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface VarveProcess extends AsyncDisposable {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  stdout(): string;
  stderr(): string;
  /** Waits for a text on standard output; throws with all output where the process ends first. */
  untilSaid(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  family(): Promise<readonly Running[]>;
}

/** Runs a command to its end. */
export async function runVarve(args: readonly string[], options?: VarveOptions): Promise<Ended> {
  return startVarve(args, options).ended;
}

export function startVarve(args: readonly string[], options: VarveOptions = {}): VarveProcess {
  // No command finds what another one left, or leaves anything to the next one.
  const ownFolder =
    options.cwd === undefined ? mkdtempSync(path.join(tmpdir(), 'varve-cwd-')) : null;
  const child = spawnVarve(args, { cwd: ownFolder ?? undefined, ...options });
  const said = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (said.stdout += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (said.stderr += chunk));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (ownFolder !== null) rmSync(ownFolder, { recursive: true, force: true });
      resolve({ status: code ?? signal, ...said });
    });
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('The command could not be started.');
  return {
    pid,
    ended,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    untilSaid: (text) => untilSaid(text, said, child),
    kill: (signal) => child.kill(signal),
    family: () => familyOf(pid),
    [Symbol.asyncDispose]: async () => {
      const family = await familyOf(pid);
      child.kill('SIGKILL');
      await ended;
      await untilGone(family);
    },
  };
}

/** A folder for one test; symbolic links resolved, as the commands print it. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'varve-e2e-')));
  return {
    path: folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function untilSaid(text: string, said: Ended | Omit<Ended, 'status'>, child: ChildProcess) {
  await until(`it said "${text}"`, async () => {
    if (said.stdout.includes(text)) return Promise.resolve(true);
    if (child.exitCode === null && child.signalCode === null) return Promise.resolve(false);
    throw new Error(`It ended without saying "${text}":\n${said.stdout}\n${said.stderr}`);
  });
}

function spawnVarve(args: readonly string[], options: VarveOptions): ChildProcess {
  const { program = VARVE_MAIN, cwd, fileKibibytesMax } = options;
  const command = [process.execPath, program, ...args];
  // The shell's `ulimit` is what sets a limit for a process; its unit is 512 bytes by POSIX.
  const limited =
    fileKibibytesMax === undefined
      ? command
      : ['/bin/sh', '-c', `ulimit -f ${String(fileKibibytesMax * 2)}; exec "$@"`, 'sh', ...command];
  const [file = '', ...rest] = limited;
  return spawn(file, rest, {
    cwd,
    env: { ...ownEnvironment(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/**
 * Without what the tester has set for Varve and Temporal, and without colors, but with the
 * workflows that the run bundled.
 */
function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(VARVE_(?!CACHE_DIR)|TEMPORAL_|VITEST|FORCE_COLOR|NODE_OPTIONS)/u.test(name),
  );
  const bundle = process.env[TEST_BUNDLE];
  const bundled = bundle === undefined ? {} : { VARVE_WORKFLOW_BUNDLE: bundle };
  return { ...Object.fromEntries(kept), ...COMPILE_CACHE, ...bundled };
}
