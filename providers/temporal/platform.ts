/** What obtaining and running a server needs of the machine, passed in so that tests decide it. */
import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

import { runCommand } from './command.ts';
import type { Command, CommandOutcome } from './command.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface LockHolder {
  readonly pid: number;
  readonly since: string;
}

/** Takes a lock between processes; `acquireExclusiveLock` of providers/node is one. */
export type AcquireLock = (
  path: string,
  options: {
    readonly waitMs?: number | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly onWait?: ((holder: LockHolder | undefined) => void) | undefined;
  },
) => Promise<AsyncDisposable>;

export interface Platform {
  readonly env: Environment;
  readonly os: NodeJS.Platform;
  /** CPU in Node's words: `x64`, `arm64`. */
  readonly arch: string;
  readonly homeFolder: string;
  readonly fetch: typeof globalThis.fetch;
  readonly run: (command: Command) => Promise<CommandOutcome>;
  /** Absolute path of a program on PATH or in one of the further folders. */
  readonly findProgram: (name: string, folders: readonly string[]) => Promise<string | undefined>;
  readonly acquireLock: AcquireLock;
}

/** The machine itself. `env` is the environment as the composition root read it. */
export function nodePlatform(options: {
  readonly env: Environment;
  readonly acquireLock: AcquireLock;
}): Platform {
  const { env, acquireLock } = options;
  return {
    env,
    os: process.platform,
    arch: process.arch,
    homeFolder: homedir(),
    fetch: globalThis.fetch,
    run: runCommand,
    findProgram: (name, folders) => findOnPath(name, [...pathFolders(env), ...folders]),
    acquireLock,
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

/** A program's file name on an operating system. */
export function programFile(name: string, os: NodeJS.Platform): string {
  return os === 'win32' ? `${name}.exe` : name;
}

function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
