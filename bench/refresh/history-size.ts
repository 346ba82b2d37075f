/** What a run leaves in Temporal: events, bytes, and the answers that went over the wire. */
import type { Client } from '@temporalio/client';

export interface HistorySize {
  readonly events: number;
  readonly bytes: number;
  /** Tasks that a worker took and answered: steps of the workflow and activities. */
  readonly roundTrips: number;
}

export interface RunHistory extends HistorySize {
  readonly workflowId: string;
  readonly history: unknown;
}

/** Of every run of a workflow, the earliest first. */
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
