/**
 * The embedded Temporal server: a child process on a SQLite file, for one owner at a time.
 *
 * Flow of a start: take the file's lock → end a server that a killed owner left behind → move an
 * unusable file aside → choose ports → start → wait until the namespace answers.
 *
 * Guarantees: at most one server per file; the server ends with its owner, however the owner ends;
 * a failed start leaves nothing running.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { VarveError } from '#core/errors.ts';
import type { Platform } from './server-platform.ts';
import { inspectDatabase, moveDatabaseAside } from './server-database.ts';
import { launchServer, type LaunchOptions, type LaunchedServer } from './server-launch.ts';
import {
  hasServerRecord,
  removeServerRecord,
  stopOrphan,
  systemProcesses,
} from './server-orphan.ts';
import { portRefused, type ServerPorts } from './server-ports.ts';
import { SEARCH_ATTRIBUTES } from './search-attributes.ts';
import type { ServerExit } from './server-process.ts';
import type { TemporalProgram } from './server-program.ts';
import type { Report } from './server-progress.ts';

const READY_TIMEOUT_MS = 60_000;
/** Maximum attempts with new ports when another program took one first. */
const START_ATTEMPTS_MAX = 5;
/** A previous owner that is ending may still be stopping its workers and its server. */
const LOCK_WAIT_MS = 10_000;
const REASON_LINES_MAX = 5;

export interface StartServerOptions {
  readonly platform: Platform;
  readonly program: TemporalProgram;
  /** See `temporalDatabaseFile`; the folder is created if missing. */
  readonly dbFile: string;
  /** Output is appended; a start empties the file if it is over 20 MB. */
  readonly logFile: string;
  readonly namespace: string;
  /** Address to listen on; default 127.0.0.1, since the server has no authentication. */
  readonly ip?: string | undefined;
  /** Port for gRPC; a free one by default. */
  readonly port?: number | undefined;
  readonly uiPort?: number | undefined;
  /** Default `SEARCH_ATTRIBUTES`. */
  readonly searchAttributes?: Readonly<Record<string, string>> | undefined;
  /** Settings of the server itself, by their names, as JSON; none by default. */
  readonly dynamicConfig?: Readonly<Record<string, string>> | undefined;
  readonly readyTimeoutMs?: number | undefined;
  readonly report?: Report | undefined;
  /** Cancels a start; dispose of a running server to end it. */
  readonly signal?: AbortSignal | undefined;
}

export interface TemporalServer extends AsyncDisposable {
  /** Host and port for gRPC clients. */
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string;
  readonly ports: ServerPorts;
  readonly pid: number;
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<ServerExit>;
}

/**
 * Starts the server and resolves once its namespace answers. Errors: CONFLICT when another process
 * runs a server on the file; INVALID_INPUT with `details.port` when a port that the user set is not
 * available; TIMEOUT when the namespace doesn't answer in time; PROVIDER_ERROR when the server ends
 * instead of starting; CANCELLED.
 */
export async function startTemporalServer(options: StartServerOptions): Promise<TemporalServer> {
  const launch = launchOptions(options);
  const file = launch.databaseFile;
  await mkdir(path.dirname(file), { recursive: true });
  await mkdir(path.dirname(launch.logFile), { recursive: true });
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.use(await lockDatabase(file, options));
  await clearTheWay(file, options.report);
  const server = await launchOnFile(launch, options.report);
  cleanUp.defer(() => removeServerRecord(file));
  cleanUp.defer(async () => {
    await server.child.stop();
  });
  return runningServer(launch, server, cleanUp.move());
}

function launchOptions(options: StartServerOptions): LaunchOptions {
  return {
    program: options.program.path,
    env: options.platform.env,
    databaseFile: path.resolve(options.dbFile),
    logFile: path.resolve(options.logFile),
    ip: options.ip ?? '127.0.0.1',
    desiredPorts: { grpc: options.port, ui: options.uiPort },
    namespace: options.namespace,
    searchAttributes: options.searchAttributes ?? SEARCH_ATTRIBUTES,
    dynamicConfig: options.dynamicConfig ?? {},
    readyTimeoutMs: options.readyTimeoutMs ?? READY_TIMEOUT_MS,
    signal: options.signal,
  };
}

function runningServer(
  { ip, namespace }: LaunchOptions,
  { child, ports }: LaunchedServer,
  cleanUp: AsyncDisposableStack,
): TemporalServer {
  return {
    address: `${ip}:${ports.grpc}`,
    namespace,
    uiUrl: `http://${ip}:${ports.ui}`,
    ports,
    pid: child.pid,
    exited: child.exited,
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}

async function lockDatabase(file: string, options: StartServerOptions): Promise<AsyncDisposable> {
  const { platform, signal, report } = options;
  try {
    return await platform.acquireLock(`${file}.lock`, {
      waitMs: LOCK_WAIT_MS,
      signal,
      onWait: (holder) =>
        report?.line(`waiting for process ${holder?.pid ?? '(unknown)'} to leave this folder`),
    });
  } catch (error) {
    if (!(error instanceof VarveError) || error.code !== 'CONFLICT') throw error;
    const advice = 'Another Varve runs in this folder. End it, or use another data folder.';
    const { details } = error;
    throw new VarveError('CONFLICT', `${advice} ${error.message}`, { details, cause: error });
  }
}

async function clearTheWay(file: string, report: Report | undefined): Promise<void> {
  const hasCrashed = await hasServerRecord(file);
  const orphan = await stopOrphan(file, systemProcesses());
  if (orphan.kind === 'Stopped') {
    report?.line(`ended the Temporal server of a run that was killed (process ${orphan.pid})`);
  }
  await removeServerRecord(file);
  const state = await inspectDatabase(file, { thorough: hasCrashed });
  if (state.kind === 'Unusable') await setAside(file, state.reason, report);
}

async function setAside(file: string, reason: string, report: Report | undefined): Promise<void> {
  const aside = path.basename(await moveDatabaseAside(file, new Date()));
  report?.line(`Temporal's file can't be used (${reason}); kept as ${aside}, starting a new one`);
}

async function launchOnFile(
  launch: LaunchOptions,
  report: Report | undefined,
): Promise<LaunchedServer> {
  let isNewFile = false;
  for (let attempt = 1; attempt <= START_ATTEMPTS_MAX; attempt += 1) {
    const outcome = await launchServer(launch);
    if (outcome.kind === 'Ready') return outcome.server;
    if (outcome.kind === 'PortTaken') {
      refuseWantedPort(outcome.port, launch);
      continue;
    }
    if (outcome.kind === 'Ended' || isNewFile) throw startFailed(launch, outcome.output);
    await setAside(launch.databaseFile, lastLines(outcome.output, 1), report);
    isNewFile = true;
  }
  const message = `Temporal found no free ports in ${START_ATTEMPTS_MAX} attempts.`;
  throw new VarveError('PROVIDER_ERROR', message);
}

/** Throws for a port that the user set; only ports that Varve chose are chosen again. */
function refuseWantedPort(port: number | undefined, { desiredPorts }: LaunchOptions): void {
  if (port === undefined) return;
  if (port === desiredPorts.grpc || port === desiredPorts.ui) throw portRefused(port);
}

function startFailed(launch: LaunchOptions, output: string): VarveError {
  const reason = lastLines(output, REASON_LINES_MAX) || 'It said nothing.';
  const log = path.basename(launch.logFile);
  const message = `Temporal ended instead of starting (its log is ${log}):\n${reason}`;
  return new VarveError('PROVIDER_ERROR', message);
}

function lastLines(output: string, count: number): string {
  return output.trim().split('\n').slice(-count).join('\n');
}
