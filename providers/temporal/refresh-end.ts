/** Ends the open run of a tenant: for a tenant that is let go of, nothing is to be refreshed. */
import { WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import { refreshWorkflowId } from '#core/contract.ts';

/** A server that hangs must not hold up what lets go of the tenant; as long as for a wake. */
const END_MS_MAX = 2_000;

/** What is used of a client. */
export interface RefreshEnding {
  readonly connection: Pick<Client['connection'], 'withDeadline'>;
  readonly workflow: Pick<Client['workflow'], 'getHandle'>;
}

/**
 * Resolves too where no run is open. What the run had leased is free again when its leases end.
 * Answers when the last run was cut short, by this call or before, in milliseconds since the epoch:
 * its activities may outlive it for a while. Null where no run is known, or where the last one came
 * to its own end, which it does not before its activities. Throws after two seconds without an
 * answer.
 */
export async function endRefresh(client: RefreshEnding, tenant: string): Promise<number | null> {
  const run = client.workflow.getHandle(refreshWorkflowId(tenant));
  return client.connection.withDeadline(Date.now() + END_MS_MAX, () => end(run));
}

async function end(run: Pick<WorkflowHandle, 'terminate' | 'describe'>): Promise<number | null> {
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
