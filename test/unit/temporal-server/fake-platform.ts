/** A machine made of plain values, for tests of getting Temporal. No process starts. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { Command, CommandOutcome } from '#providers/temporal/server-platform.ts';
import type { Platform } from '#providers/temporal/server-platform.ts';
import type { Report } from '#providers/temporal/server-progress.ts';

export interface Machine {
  /** Server version of the `temporal` on PATH, or `Broken` when it doesn't run. */
  readonly onPath?: string;
  /** Bytes that the vendor's host answers with; unreachable by default. */
  readonly archive?: string;
  /** Server version of the program in the archive, or `Broken`. */
  readonly downloaded?: string;
  readonly goVersion?: string;
  /** Server version of the program that Go builds, or `Broken` when the build fails. */
  readonly built?: string;
}

export interface FakePlatform {
  readonly platform: Platform;
  readonly report: Report;
  /** Programs that were run and hosts that were asked, in order. */
  readonly calls: string[];
  readonly lines: string[];
}

const TEMPORAL_ON_PATH = '/opt/bin/temporal';
const FAILED: CommandOutcome = { kind: 'Failed', reason: 'exit status 1', output: 'main.go:1: no' };

/** In this machine a `temporal` program is a file whose text is the version of its server. */
export function fakePlatform(machine: Machine, cacheFolder: string): FakePlatform {
  const calls: string[] = [];
  const lines: string[] = [];
  const platform: Platform = {
    env: { VARVE_CACHE_DIR: cacheFolder },
    os: 'linux',
    arch: 'x64',
    homeFolder: '/home/nobody',
    fetch: (request) => {
      const url = request instanceof Request ? request.url : request;
      calls.push(`GET ${new URL(url).host}`);
      if (machine.archive !== undefined) return Promise.resolve(new Response(machine.archive));
      return Promise.reject(new Error('no way to the host'));
    },
    run: async (command) => {
      calls.push(`${path.basename(command.program)} ${command.args[0] ?? ''}`);
      return await runOn(machine, command);
    },
    findProgram: (name) => Promise.resolve(findOn(machine, name)),
    acquireLock: () => Promise.resolve({ [Symbol.asyncDispose]: () => Promise.resolve() }),
  };
  const report: Report = {
    line: (text) => lines.push(text),
    step: () => undefined,
    finish: () => undefined,
  };
  return { platform, report, calls, lines };
}

async function runOn(machine: Machine, command: Command): Promise<CommandOutcome> {
  const { program, args } = command;
  const name = path.basename(program);
  if (name === 'tar') {
    const folder = args[args.indexOf('-C') + 1] ?? '';
    return await writeProgram(path.join(folder, 'temporal'), machine.downloaded);
  }
  if (name === 'go' && args[0] === 'version') {
    return { kind: 'Succeeded', output: `go version go${machine.goVersion} linux/amd64` };
  }
  if (name === 'go') {
    if (machine.built === 'Broken') return FAILED;
    return await writeProgram(args[args.indexOf('-o') + 1] ?? '', machine.built);
  }
  const version = program === TEMPORAL_ON_PATH ? machine.onPath : await readProgram(program);
  if (version === undefined || version === 'Broken') return FAILED;
  return { kind: 'Succeeded', output: `temporal version 1.8.2 (Server ${version}, UI 2.50.1)` };
}

async function writeProgram(file: string, version: string | undefined): Promise<CommandOutcome> {
  await writeFile(file, version ?? 'Broken');
  return { kind: 'Succeeded', output: '' };
}

function readProgram(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

function findOn(machine: Machine, name: string): string | undefined {
  if (name === 'go') return machine.goVersion === undefined ? undefined : '/opt/go/bin/go';
  return machine.onPath === undefined ? undefined : TEMPORAL_ON_PATH;
}
