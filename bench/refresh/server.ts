/** A Temporal server for the measurement, whose CPU time can be read. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import { createProgress } from '#cli/progress-bar.ts';
import { nodePlatform } from '#providers/temporal/server-platform.ts';
import { temporalDatabaseFile } from '#providers/temporal/server-database.ts';
import { obtainTemporal } from '#providers/temporal/server-program.ts';
import { startTemporalServer, type TemporalServer } from '#providers/temporal/server.ts';
import { ownCpuMs } from '../rounds.ts';

/** Linux counts CPU time of processes in hundredths of a second. */
const TICK_MS = 10;
/** Fields of /proc/PID/stat after the name of the program, which may contain spaces. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

export interface BenchServer extends AsyncDisposable {
  readonly server: TemporalServer;
  /** CPU milliseconds of this process, and of the server if the system reports them. */
  cpuMs(): number;
  /** Whether the server's share is included. */
  readonly isWhole: boolean;
}

export async function startBenchServer(): Promise<BenchServer> {
  await using held = new AsyncDisposableStack();
  const platform = nodePlatform(process.env);
  const report = createProgress({ stream: process.stderr });
  const program = await obtainTemporal({ platform, report });
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-bench-temporal-'));
  held.defer(() => rm(folder, { recursive: true, force: true }));
  const dbFile = temporalDatabaseFile(folder, program.serverVersion);
  const logFile = path.join(folder, 'temporal.log');
  const options = { platform, program, dbFile, logFile, namespace: 'default' };
  const server = held.use(await startTemporalServer(options));
  const running = held.move();
  return {
    server,
    cpuMs: () => ownCpuMs() + (processCpuMs(server.pid) ?? 0),
    isWhole: processCpuMs(server.pid) !== null,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Returns null if the system has no such file. */
function processCpuMs(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) * TICK_MS;
  } catch {
    return null;
  }
}

export interface HistorySize {
  readonly events: number;
  readonly bytes: number;
  /** Tasks that a worker took and answered: workflow steps and activities. */
  readonly roundTrips: number;
}

export interface RunHistory extends HistorySize {
  readonly workflowId: string;
  readonly history: unknown;
}

/** Returns the sizes of every run of a workflow, earliest first. */
export async function historySizes(
  client: Client,
  workflowId: string,
): Promise<readonly RunHistory[]> {
  const sizes: RunHistory[] = [];
  let runId: string | undefined = await firstRunId(client, workflowId);
  while (runId !== undefined && runId !== '') {
    const handle = client.workflow.getHandle(workflowId, runId);
    const { historySize = 0 } = await handle.describe();
    const history = await handle.fetchHistory();
    const events = history.events ?? [];
    const roundTrips = events.filter(
      (event) =>
        event.workflowTaskCompletedEventAttributes != null ||
        event.activityTaskCompletedEventAttributes != null,
    ).length;
    sizes.push({ workflowId, history, events: events.length, bytes: historySize, roundTrips });
    const end = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes;
    runId = end?.newExecutionRunId ?? undefined;
  }
  return sizes;
}

async function firstRunId(client: Client, workflowId: string): Promise<string | undefined> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  return raw.workflowExecutionInfo?.firstRunId ?? undefined;
}

/** Returns what the runs leave in Temporal in total: events, bytes, and answers sent by workers. */
export function summed(sizes: readonly HistorySize[]): HistorySize {
  const none = { events: 0, bytes: 0, roundTrips: 0 };
  return sizes.reduce<HistorySize>(
    (sum, { events, bytes, roundTrips }) => ({
      events: sum.events + events,
      bytes: sum.bytes + bytes,
      roundTrips: sum.roundTrips + roundTrips,
    }),
    none,
  );
}
