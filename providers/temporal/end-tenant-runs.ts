/** Ends the open runs of a tenant: a released tenant is no longer refreshed. */
import { WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import { refreshWorkflowId, UNDER_WAY_MS_MAX } from '#core/refresh/refresh-contract.ts';
import { compactWorkflowId } from '#core/retention/retention-contract.ts';

/** A server that hangs must not block the release of a tenant; as for a refresh request. */
const END_MS_MAX = 2_000;
/** Maximum runs that one call ends; the release of a tenant calls until none is open. */
const RUNS_PER_CALL_MAX = 200;

/** The parts of a client that this file uses. */
export interface RunsEnding {
  readonly connection: Pick<Client['connection'], 'withDeadline'>;
  readonly workflow: Pick<Client['workflow'], 'getHandle' | 'list'>;
}

type Run = Pick<WorkflowHandle, 'terminate' | 'describe'>;

/**
 * Ends the open runs, if there are any. Their leases expire on their own. Returns when the last run
 * was cut short, by this call or before, in milliseconds since the epoch; its activities may
 * outlive it for a while. Null if no run was cut short: a run that ends by itself ends after its
 * activities. Throws after two seconds without an answer.
 */
export async function endRunsOf(client: RunsEnding, tenant: string): Promise<number | null> {
  return client.connection.withDeadline(Date.now() + END_MS_MAX, async () => {
    const named = [refreshWorkflowId(tenant), compactWorkflowId(tenant)];
    const runs: Run[] = named.map((id) => client.workflow.getHandle(id));
    runs.push(...(await unnamedOf(client, tenant)));
    const ends = await Promise.all(runs.map((run) => end(run)));
    return ends.reduce((last, at) => (at === null ? last : Math.max(last ?? at, at)), null);
  });
}

/** Running and recently terminated runs whose id does not name the tenant. */
async function unnamedOf({ workflow }: RunsEnding, tenant: string): Promise<readonly Run[]> {
  const since = new Date(Date.now() - UNDER_WAY_MS_MAX).toISOString();
  // Tenant ids contain no quotation mark.
  const query =
    `WorkflowType IN ('dream', 'applyDream', 'flushSession') AND Tenant = '${tenant}' AND ` +
    `(ExecutionStatus = 'Running' OR CloseTime > '${since}')`;
  const runs: Run[] = [];
  for await (const { workflowId, runId } of workflow.list({ query })) {
    runs.push(workflow.getHandle(workflowId, runId));
    if (runs.length >= RUNS_PER_CALL_MAX) break;
  }
  return runs;
}

async function end(run: Run): Promise<number | null> {
  try {
    await run.terminate('the tenant was released');
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
  try {
    const { status, startTime, closeTime } = await run.describe();
    if (status.name === 'COMPLETED') return null;
    return (closeTime ?? startTime).getTime();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return null;
  }
}
