/**
 * Workflow: runs one erasure until it has its receipt.
 *
 * Flow: erase in passes until one finds nothing → let the database rewrite its files → write the
 * receipt. A run that cannot proceed rests, longer each time, and continues as new.
 * Guarantees: the request is in the store, so any run may be terminated and started again; each
 * step finds what an earlier try of it did; only ids, times and codes enter the history.
 */
import {
  type EraseActivities,
  type EraseRunInput,
  restMs,
  runErasure,
} from '#core/erasure/erase-run.ts';
import type { ErrorCode } from '#core/error-codes.ts';
import { codeOf, STORE_RETRY_POLICY } from './activity-retry-policies.ts';
import { showErasure } from './temporal-ui.ts';
import {
  ActivityFailure,
  continueAsNew,
  isCancellation,
  proxyActivities,
  sleep,
} from '@temporalio/workflow';

/** Ends once the erasure has its receipt, or is no longer pending. */
export async function erase(input: EraseRunInput): Promise<void> {
  const { tenant, requestId } = input;
  // If no step failed, the erasure is blocked by others that keep writing what it erases.
  let lastError: ErrorCode = 'CONFLICT';
  try {
    const steps = { tenant, requestId };
    const show = (phase: Parameters<typeof showErasure>[1]) => {
      showErasure(tenant, phase, null);
    };
    if (await runErasure(eraseActivities, steps, show)) return;
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    lastError = codeOf(error);
  }
  showErasure(tenant, 'Resting', lastError);
  const rests = (input.rests ?? 0) + 1;
  await sleep(restMs(rests));
  return continueAsNew<typeof erase>({ tenant, requestId, rests });
}

/**
 * A pass reads a whole tenant, so a large tenant takes long. Activities send a heartbeat every
 * second; after this long without one, their worker is dead.
 */
const eraseActivities: EraseActivities = proxyActivities<EraseActivities>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '30 seconds',
  retry: STORE_RETRY_POLICY,
});
