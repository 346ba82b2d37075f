/** Starts a workflow of which one run at a time is open. */
import {
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  type Client,
} from '@temporalio/client';
import { rpcFailure } from './rpc-failure.ts';

/** A caller waits at most this long for an answer; pending work lies in the store. */
export const START_DEADLINE_MS = 5_000;

/** What is asked of a client: tests have a server that hangs. */
export type RunStarting = Pick<Client, 'withDeadline'>;

/** An open run is left to itself, and another one is refused. */
export const ONE_OPEN_RUN = {
  workflowIdConflictPolicy: 'FAIL',
  workflowIdReusePolicy: 'ALLOW_DUPLICATE',
} as const;

/**
 * False where a run is open already.
 * @param doing what is being started, e.g. `start a dream`
 * @throws VarveError PROVIDER_ERROR, TIMEOUT where the server does not answer; others it refuses by
 */
export async function startedRun(
  client: RunStarting,
  start: () => Promise<unknown>,
  doing: string,
): Promise<boolean> {
  try {
    await client.withDeadline(Date.now() + START_DEADLINE_MS, start);
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw rpcFailure(error instanceof ServiceError ? error.cause : error, doing);
  }
}
