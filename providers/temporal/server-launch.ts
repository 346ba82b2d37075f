/** One attempt to start the server: its arguments, its outcome, and why it ended if it did. */
import { VarveError } from '#core/errors.ts';
import type { Environment } from './server-platform.ts';
import { blamesDatabase } from './server-database.ts';
import { removeServerRecord, writeServerRecord } from './server-orphan.ts';
import { choosePorts, type ServerPorts, type DesiredPorts } from './server-ports.ts';
import { spawnServer, type ServerProcess } from './server-process.ts';
import type { Connection } from '@temporalio/client';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LaunchOptions {
  readonly program: string;
  readonly env: Environment;
  /** Absolute, so that the command line identifies a process of ours. */
  readonly databaseFile: string;
  readonly logFile: string;
  readonly ip: string;
  readonly desiredPorts: DesiredPorts;
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

type EndReason =
  /** Another program took the port; `port` is undefined if the server chose it itself. */
  | { readonly kind: 'PortTaken'; readonly port: number | undefined }
  | { readonly kind: 'BadDatabase'; readonly output: string }
  | { readonly kind: 'Ended'; readonly output: string };

type LaunchOutcome = { readonly kind: 'Ready'; readonly server: LaunchedServer } | EndReason;

/**
 * Starts the program once on free ports; leaves nothing running unless the outcome is `Ready`.
 * Errors: INVALID_INPUT for a given port that is taken; PROVIDER_ERROR if the program cannot be
 * started; TIMEOUT if the namespace does not answer; CANCELLED if the signal fires.
 */
export async function launchServer(options: LaunchOptions): Promise<LaunchOutcome> {
  const ports = await choosePorts(options.ip, options.desiredPorts);
  const child = await spawnRecorded(options, ports);
  const ended = new AbortController();
  child.exited
    .finally(() => {
      ended.abort();
    })
    .catch(() => undefined);
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

/** A stack trace as Go prints it when a program crashes. */
const STACK_TRACE = /^(?:panic: |goroutine \d+ |created by )/mu;

/** Returns why the server ended instead of starting, by its output. */
export function explainEnd(output: string, ports: ServerPorts): EndReason {
  const lines = output.split('\n');
  const line = lines.find((text) => /address already in use|can't (set|use)/.test(text));
  if (line !== undefined) {
    const port = Object.values(ports).find((taken: number) => line.includes(`${taken}`));
    return { kind: 'PortTaken', port };
  }
  if (blamesDatabase(output)) return { kind: 'BadDatabase', output };
  // The services inside the server take their own ports. One that loses the race for a port ends in
  // a stack trace, and the tail may not include its first line, with the reason.
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
    const message = "Temporal's program could not be started. The log has the cause.";
    throw new VarveError('PROVIDER_ERROR', message, { cause });
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

/** A start takes about half a second; polling more often would only use CPU. */
const POLL_MS = 50;
const CALL_TIMEOUT_MS = 2_000;

interface ReadinessTarget {
  readonly ip: string;
  readonly port: number;
  readonly namespace: string;
  readonly timeoutMs: number;
  /** Fires when waiting is useless: the caller gave up or the server has ended. */
  readonly signal: AbortSignal;
}

/**
 * Resolves when the namespace answers by gRPC and its workflows can be counted, which needs the
 * server's frontend, history and visibility services.
 * Errors: TIMEOUT after `timeoutMs`; the signal's reason when it fires.
 */
async function waitUntilReady(target: ReadinessTarget): Promise<void> {
  const deadline = performance.now() + target.timeoutMs;
  // A refused gRPC connection backs off for a second, so the port is tried first.
  await retry(target, deadline, () => openPort(target));
  const { Connection } = await import('@temporalio/client');
  const connection = Connection.lazy({ address: `${target.ip}:${target.port}` });
  try {
    await retry(target, deadline, () => askNamespace(connection, target.namespace));
  } finally {
    await connection.close();
  }
}

async function retry(
  target: ReadinessTarget,
  deadline: number,
  attempt: () => Promise<void>,
): Promise<void> {
  for (;;) {
    target.signal.throwIfAborted();
    const failure = await attempt().then(
      () => undefined,
      (error: unknown) => ({ cause: error }),
    );
    target.signal.throwIfAborted();
    if (failure === undefined) return;
    if (performance.now() >= deadline) throw notReady(target, failure.cause);
    await sleep(POLL_MS);
  }
}

function openPort(target: ReadinessTarget): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: target.ip, port: target.port, timeout: CALL_TIMEOUT_MS });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
  });
}

async function askNamespace(connection: Connection, namespace: string): Promise<void> {
  await connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, async () => {
    await connection.workflowService.describeNamespace({ namespace });
    await connection.workflowService.countWorkflowExecutions({ namespace });
  });
}

function notReady(target: ReadinessTarget, cause: unknown): VarveError {
  const seconds = Math.round(target.timeoutMs / 1_000);
  return new VarveError('TIMEOUT', `Temporal didn't answer within ${seconds} s.`, { cause });
}
