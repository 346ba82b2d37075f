/** The MongoDB of a test run: the one that `MONGODB_URI` names, or the server of `mongodb/`. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

import { nodePlatform, type Platform } from '#providers/temporal/server-platform.ts';

import { obtainJars } from './mongodb-build.ts';

export interface TestMongodb extends AsyncDisposable {
  readonly uri: string;
}

type Server = ChildProcessByStdio<Writable, Readable, null>;

const START_MS_MAX = 60_000;
const STOP_MS_MAX = 5_000;
/** It lives for seconds: the quick compiler alone, and no second thread to collect garbage. */
const JAVA_FLAGS = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xmx512m'];

/** What this machine lacks to start one, in words for a person; null where it lacks nothing. */
export async function missingForMongodb(): Promise<string | null> {
  return givenUri() === null ? missingForOwnMongodb() : null;
}

/** As `missingForMongodb`, for tests of what stands before the server of `mongodb/` alone. */
export async function missingForOwnMongodb(): Promise<string | null> {
  const missing = [];
  for (const name of ['java', 'mvn']) {
    if ((await platform().findProgram(name, [])) === undefined) missing.push(name);
  }
  return missing.length === 0 ? null : `${missing.join(' and ')} on PATH, or MONGODB_URI`;
}

/** Builds where it must, and starts; what it holds goes with it. */
export async function startTestMongodb(): Promise<TestMongodb> {
  const given = givenUri();
  if (given !== null) return { uri: given, [Symbol.asyncDispose]: () => Promise.resolve() };
  return startOwnMongodb();
}

/** The server of `mongodb/`, whatever address is given. */
export async function startOwnMongodb(): Promise<TestMongodb> {
  const { server, port } = await spawnServer();
  return { uri: uriOf(port), [Symbol.asyncDispose]: () => stop(server) };
}

/** A server that keeps its documents in a file, and can be killed and started again on it. */
export interface KillableMongodb extends TestMongodb {
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts it again on its port and its file. */
  revive(): Promise<void>;
}

/** The server of `mongodb/` on a file that is not there yet. */
export async function startKillableMongodb(file: string): Promise<KillableMongodb> {
  const started = await spawnServer('0', file);
  const { port } = started;
  let { server } = started;
  return {
    uri: uriOf(port),
    async kill() {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    },
    async revive() {
      ({ server } = await spawnServer(port, file));
    },
    [Symbol.asyncDispose]: () => stop(server),
  };
}

async function spawnServer(...own: string[]): Promise<{ server: Server; port: string }> {
  const machine = platform();
  const [java, maven] = [await find(machine, 'java'), await find(machine, 'mvn')];
  const jars = await obtainJars(machine, maven);
  const args = [...JAVA_FLAGS, '-cp', path.join(jars, '*'), 'TestMongodb', ...own];
  // Its logging library complains about itself on stderr.
  const server = spawn(java, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  return { server, port: await portOf(server) };
}

function uriOf(port: string): string {
  return `mongodb://127.0.0.1:${port}/?directConnection=true`;
}

function givenUri(): string | null {
  const uri = process.env['MONGODB_URI'];
  return uri === undefined || uri === '' ? null : uri;
}

function platform(): Platform {
  return nodePlatform(process.env);
}

async function find(machine: Platform, name: string): Promise<string> {
  const program = await machine.findProgram(name, []);
  if (program === undefined) throw new Error(`The MongoDB tests need ${name} on PATH.`);
  return program;
}

async function portOf(server: Server): Promise<string> {
  const signal = AbortSignal.timeout(START_MS_MAX);
  const lines = createInterface({ input: server.stdout, signal });
  for await (const line of lines) {
    const port = /^port (\d+)$/u.exec(line)?.[1];
    if (port !== undefined) return port;
  }
  server.kill('SIGKILL');
  throw new Error('The MongoDB test server ended or hung before it named its port.');
}

/** The end of its input is its word to stop. */
async function stop(server: Server): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.stdin.end();
  const timer = setTimeout(() => server.kill('SIGKILL'), STOP_MS_MAX);
  await ended;
  clearTimeout(timer);
}
