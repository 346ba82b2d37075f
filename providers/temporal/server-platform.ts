/** What obtaining and running a server needs of the machine; tests pass in their own. */
import path from 'node:path';
import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { VarveError } from '#core/errors.ts';
import { acquireExclusiveLock, type LockOptions } from '#providers/node/exclusive-lock.ts';
import { endChildWithParent } from './end-child-with-parent.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Platform {
  readonly env: Environment;
  readonly os: NodeJS.Platform;
  /** CPU in Node's words: `x64`, `arm64`. */
  readonly arch: string;
  readonly homeFolder: string;
  readonly fetch: typeof globalThis.fetch;
  readonly run: (command: Command) => Promise<CommandOutcome>;
  /** Finds the absolute path of a program on PATH or in one of the further folders. */
  readonly findProgram: (name: string, folders: readonly string[]) => Promise<string | undefined>;
  /** Takes a lock between processes. */
  readonly acquireLock: (path: string, options: LockOptions) => Promise<AsyncDisposable>;
}

/** Returns the platform of this machine. `env` is what the composition root read. */
export function nodePlatform(env: Environment): Platform {
  return {
    env,
    os: process.platform,
    arch: process.arch,
    homeFolder: homedir(),
    fetch: globalThis.fetch,
    run: runCommand,
    findProgram: (name, folders) => findOnPath(name, [...pathFolders(env), ...folders]),
    acquireLock: acquireExclusiveLock,
  };
}

function pathFolders(env: Environment): readonly string[] {
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(path.delimiter);
  return folders.filter((folder) => path.isAbsolute(folder));
}

async function findOnPath(name: string, folders: readonly string[]): Promise<string | undefined> {
  const file = programFile(name, process.platform);
  for (const folder of folders) {
    const candidate = path.join(folder, file);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

/** Returns a program's file name on an operating system. */
export function programFile(name: string, os: NodeJS.Platform): string {
  return os === 'win32' ? `${name}.exe` : name;
}

function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

// Runs a short-lived program: its outcome is a value, its output is bounded.

/** Lines kept from the end of the output: enough for a version or the reason of a failure. */
const OUTPUT_LINES_MAX = 60;
const LINE_CHARACTERS_MAX = 2_000;

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with each line of standard output and standard error as it comes. */
  readonly onLine?: ((line: string) => void) | undefined;
}

export type CommandOutcome =
  | { readonly kind: 'Succeeded'; readonly output: string }
  | { readonly kind: 'Failed'; readonly reason: string; readonly output: string };

/**
 * Runs a program to its end. A missing or failing program or a timeout is an outcome, not an error.
 * Errors: CANCELLED when the signal fires; the program is stopped first.
 */
async function runCommand(command: Command): Promise<CommandOutcome> {
  const { program, args, timeoutMs, cwd, env } = command;
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = (): void => {
    child.kill('SIGTERM');
  };
  const lines: string[] = [];
  const keep = (line: string): void => {
    if (lines.push(line.slice(0, LINE_CHARACTERS_MAX)) > OUTPUT_LINES_MAX) lines.shift();
    command.onLine?.(line);
  };
  createInterface({ input: child.stdout }).on('line', keep);
  createInterface({ input: child.stderr }).on('line', keep);
  command.signal?.addEventListener('abort', stop, { once: true });
  // Our own timer: that of spawn outlives a program that could not be started.
  const timer = setTimeout(stop, timeoutMs);
  const release = child.pid === undefined ? undefined : endChildWithParent(child.pid);
  try {
    const reason = await ending(child);
    if (command.signal?.aborted)
      throw new VarveError('CANCELLED', `Stopped while ${path.basename(program)} ran.`);
    const output = lines.join('\n');
    if (reason !== undefined) return { kind: 'Failed', reason, output };
    return { kind: 'Succeeded', output };
  } finally {
    clearTimeout(timer);
    release?.();
    command.signal?.removeEventListener('abort', stop);
  }
}

/** Returns why the program failed, or undefined; settles when its output is read to the end. */
function ending(child: ReturnType<typeof spawn>): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve(error.message);
    });
    child.once('close', (code, signal) => {
      if (code === 0) resolve(undefined);
      else resolve(code === null ? `ended by ${signal ?? 'a signal'}` : `exit status ${code}`);
    });
  });
}
