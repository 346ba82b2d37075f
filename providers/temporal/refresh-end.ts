/** Ends the open run of a tenant: for a tenant that is let go of, nothing is to be refreshed. */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { refreshWorkflowId } from '#core/contract.ts';

/** Resolves too where no run is open. What the run had leased is free again when its leases end. */
export async function endRefresh(client: Client, tenant: string): Promise<void> {
  try {
    await client.workflow.getHandle(refreshWorkflowId(tenant)).terminate('the tenant was released');
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
