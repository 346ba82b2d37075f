/** Builds a program of a Go module of this folder, once per version of the module. */
import { existsSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

import { createProgress } from '#cli/progress-bar.ts';
import { goBuildEnvironment } from '#providers/temporal/child-environment.ts';
import { nodePlatform, programFile, type Platform } from '#providers/temporal/server-platform.ts';
import { cacheFolder } from '#providers/temporal/server-cache.ts';
import type { Report } from '#providers/temporal/server-progress.ts';

export interface GoProgram {
  readonly name: string;
  /** Folder with go.mod and go.sum; nothing is written there. */
  readonly moduleFolder: string;
  /** Files of the module, besides go.mod and go.sum, that the program is made of. */
  readonly sources: readonly string[];
  readonly package: string;
  /** Values given to variables of the program when it is linked. */
  readonly variables: Readonly<Record<string, string>>;
  /** What `go list -deps` counts on Linux; only the progress bar rests on it. */
  readonly packages: number;
}

const HASH_CHARACTERS = 8;
/** Minutes on two cores; the longest build takes seven. */
const BUILD_MS_MAX = 60 * 60 * 1_000;
/** Longer than the slowest build, so that a second run doesn't give up on the first. */
const LOCK_MS_MAX = BUILD_MS_MAX + 60_000;
const REASON_LINES_MAX = 15;
const GO_FOLDERS = ['/usr/local/go/bin'];

/** What this machine lacks to build, in words for a person; null where it lacks nothing. */
export async function missingForGo(): Promise<string | null> {
  return (await findGo(machine())) === undefined ? 'Go 1.26.8 or newer' : null;
}

/**
 * The path of the program, built where it must be; two test runs at once build once. What has the
 * final name is whole, since it got the name last.
 */
export async function obtainGoProgram(program: GoProgram): Promise<string> {
  const platform = machine();
  const folder = path.join(cacheFolder(platform), `${program.name}-${await keyOf(program)}`);
  const file = path.join(folder, programFile(program.name, platform.os));
  if (existsSync(file)) return file;
  await mkdir(folder, { recursive: true });
  const lock = path.join(folder, 'lock');
  await using _held = await platform.acquireLock(lock, { waitMs: LOCK_MS_MAX });
  if (!existsSync(file)) await build(program, platform, file);
  return file;
}

function machine(): Platform {
  return nodePlatform(process.env);
}

function findGo(platform: Platform): Promise<string | undefined> {
  return platform.findProgram('go', GO_FOLDERS);
}

async function keyOf(program: GoProgram): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(program.variables));
  for (const name of ['go.mod', 'go.sum', ...program.sources]) {
    hash.update(await readFile(path.join(program.moduleFolder, name)));
  }
  return hash.digest('hex').slice(0, HASH_CHARACTERS);
}

async function build(program: GoProgram, platform: Platform, file: string): Promise<void> {
  const go = await findGo(platform);
  if (go === undefined) throw new Error(`Building ${program.name} needs Go 1.26.8 on PATH.`);
  const report = createProgress({ stream: process.stderr });
  report.line(`building ${program.name} with Go; this takes some minutes, once`);
  const work = await mkdtemp(path.join(path.dirname(file), 'partial-'));
  try {
    const made = path.join(work, path.basename(file));
    const outcome = await platform.run({
      program: go,
      args: argumentsOf(program, made),
      cwd: program.moduleFolder,
      env: { ...goBuildEnvironment(platform.env), GOTOOLCHAIN: 'local' },
      timeoutMs: BUILD_MS_MAX,
      onLine: createLineCounter(program, report),
    });
    if (outcome.kind === 'Failed') {
      const lines = outcome.output.split('\n').slice(-REASON_LINES_MAX).join('\n');
      throw new Error(`Building ${program.name} failed (${outcome.reason}):\n${lines}`);
    }
    await rename(made, file);
  } finally {
    report.finish();
    await rm(work, { recursive: true, force: true });
  }
}

function argumentsOf(program: GoProgram, made: string): readonly string[] {
  const values = Object.entries(program.variables).map(([name, value]) => `-X ${name}=${value}`);
  const link = ['-s', '-w', ...values].join(' ');
  const flags = ['-mod=readonly', '-trimpath', '-buildvcs=false', '-v', '-ldflags', link];
  return ['build', ...flags, '-o', made, program.package];
}

/** Go names each module as it is fetched and, with -v, each package as it is compiled. */
function createLineCounter(program: GoProgram, report: Report): (line: string) => void {
  const total = program.packages;
  let done = 0;
  return (line) => {
    if (!/^[\w.~/-]+$/u.test(line)) return;
    done = Math.min(done + 1, total);
    report.step({ label: `building ${program.name}`, done, total, unit: 'packages' });
  };
}
