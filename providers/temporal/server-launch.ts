/** One attempt to start the server: its arguments, its outcome, and why it ended if it did. */
import { VarveError } from '#core/errors.ts';

import type { Environment } from './platform.ts';
import { blamesDatabase } from './server-database.ts';
import { removeServerRecord, writeServerRecord } from './server-orphan.ts';
import { choosePorts } from './server-ports.ts';
import type { ServerPorts, DesiredPorts } from './server-ports.ts';
import { spawnServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import { waitUntilReady } from './server-readiness.ts';

export interface LaunchOptions {
  readonly program: string;
  readonly env: Environment;
  /** Absolute, so that a process can be told to be ours by its command line. */
  readonly databaseFile: string;
  readonly logFile: string;
  readonly ip: string;
  readonly wantedPorts: DesiredPorts;
  readonly namespace: string;
  readonly searchAttributes: Readonly<Record<string, string>>;
  readonly dynamicConfig: Readonly<Record<string, string>>;
  readonly readyTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface LaunchedServer {
  readonly child: ServerProcess;
  readonly ports: ServerPorts;
}

export type EndReason =
  /** Another program was quicker; `port` is unknown when the server chose it itself. */
  | { readonly kind: 'PortTaken'; readonly port: number | undefined }
  | { readonly kind: 'BadDatabase'; readonly output: string }
  | { readonly kind: 'Ended'; readonly output: string };

export type LaunchOutcome = { readonly kind: 'Ready'; readonly server: LaunchedServer } | EndReason;

/**
 * Starts the program once on free ports; leaves nothing running unless the outcome is `Ready`.
 * Errors: INVALID_INPUT for a wanted port that is taken; PROVIDER_ERROR when the program can't be
 * started; TIMEOUT when the namespace doesn't answer; CANCELLED when the signal fires.
 */
export async function launchServer(options: LaunchOptions): Promise<LaunchOutcome> {
  const ports = await choosePorts(options.ip, options.wantedPorts);
  const child = await spawnRecorded(options, ports);
  const ended = new AbortController();
  void child.exited.then(() => {
    ended.abort();
  });
  const { ip, namespace, readyTimeoutMs: timeoutMs } = options;
  const outer = options.signal === undefined ? [] : [options.signal];
  const signal = AbortSignal.any([ended.signal, ...outer]);
  try {
    await waitUntilReady({ ip, port: ports.grpc, namespace, timeoutMs, signal });
    return { kind: 'Ready', server: { child, ports } };
  } catch (error) {
    const hasEnded = ended.signal.aborted;
    await child.stop();
    await removeServerRecord(options.databaseFile);
    if (hasEnded) return explainEnd(child.logTail(), ports);
    if (!options.signal?.aborted) throw error;
    throw new VarveError('CANCELLED', 'Stopped while Temporal was starting.', { cause: error });
  }
}

/** How Go prints where a program was when it gave up. */
const STACK_TRACE = /^(?:panic: |goroutine \d+ |created by )/mu;

/** Tells from the server's own words why it ended instead of starting. */
export function explainEnd(output: string, ports: ServerPorts): EndReason {
  const lines = output.split('\n');
  const line = lines.find((text) => /address already in use|can't (set|use)/.test(text));
  if (line !== undefined) {
    const port = Object.values(ports).find((taken: number) => line.includes(`${taken}`));
    return { kind: 'PortTaken', port };
  }
  if (blamesDatabase(output)) return { kind: 'BadDatabase', output };
  // The services inside the server take ports of their own. One that loses the race for a port ends
  // in a stack trace, whose first line, with the reason, may be out of the tail.
  if (STACK_TRACE.test(output)) return { kind: 'PortTaken', port: undefined };
  return { kind: 'Ended', output };
}

async function spawnRecorded(options: LaunchOptions, ports: ServerPorts): Promise<ServerProcess> {
  const { program, env, logFile, databaseFile } = options;
  try {
    const command = { program, args: serverArguments(options, ports), env, logFile };
    return await spawnServer(command, (pid) => {
      writeServerRecord(databaseFile, { pid, startedAt: new Date().toISOString(), ports });
    });
  } catch (cause) {
    throw new VarveError('PROVIDER_ERROR', "Temporal's program could not be started.", { cause });
  }
}

function serverArguments(options: LaunchOptions, ports: ServerPorts): readonly string[] {
  const attributes = Object.entries(options.searchAttributes);
  const settings = Object.entries(options.dynamicConfig);
  const flags: readonly (readonly [string, string])[] = [
    ['--db-filename', options.databaseFile],
    ['--namespace', options.namespace],
    ['--ip', options.ip],
    ['--port', `${ports.grpc}`],
    ['--ui-port', `${ports.ui}`],
    ['--http-port', `${ports.http}`],
    ['--metrics-port', `${ports.metrics}`],
    // Without a write-ahead log every workflow step waits for the disk two or three times.
    ['--sqlite-pragma', 'journal_mode=WAL'],
    ['--sqlite-pragma', 'synchronous=NORMAL'],
    ...attributes.map(([name, type]) => ['--search-attribute', `${name}=${type}`] as const),
    ...settings.map(([name, value]) => ['--dynamic-config-value', `${name}=${value}`] as const),
  ];
  const switches = ['--ui-disable-news-fetch', '--disable-config-file', '--disable-config-env'];
  return ['server', 'start-dev', ...flags.flat(), ...switches];
}
