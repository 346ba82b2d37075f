/**
 * One round of refreshing: claim, summarise, commit. The same code runs inside the workflow, where
 * each call is a recorded activity, and inline for people who use Varve as a library.
 */
import {
  addTotals,
  BATCHES_IN_FLIGHT_MAX,
  NO_TOTALS,
  type ClaimedBatch,
  type ClaimKind,
  type ClaimReport,
  type RefreshActivities,
  type RefreshTotals,
} from './contract.ts';
import type { ErrorCode } from './errors.ts';

export interface RoundInput {
  readonly tenant: string;
  readonly claimId: string;
  readonly kind: ClaimKind;
  /** The code of a failed activity, as its caller sees it. */
  readonly codeOf: (failure: unknown) => ErrorCode;
  readonly onClaimed?: (report: ClaimReport) => void;
  readonly onFailure?: (code: ErrorCode) => void;
}

/** Runs one claim to its end. A batch that fails is given back; the others go on. */
export async function refreshRound(
  activities: RefreshActivities,
  input: RoundInput,
): Promise<RefreshTotals> {
  const { tenant, claimId, kind } = input;
  const claim = await activities.claimBatches({ tenant, claimId, kind });
  input.onClaimed?.(claim);
  let totals = addTotals(NO_TOTALS, {
    rounds: 1,
    batches: claim.batches.length,
    unchanged: claim.unchanged,
    emptied: claim.emptied,
  });
  await inFlight(claim.batches, async (batch) => {
    // Awaited first: the lanes share the sum, and what was read before an await may be outdated.
    const done = await runBatch(activities, batch, input);
    totals = addTotals(totals, done);
  });
  return totals;
}

async function runBatch(
  activities: RefreshActivities,
  { batchId }: ClaimedBatch,
  { tenant, codeOf, onFailure }: RoundInput,
): Promise<Partial<RefreshTotals>> {
  try {
    const answer = await activities.summarizeBatch({ tenant, batchId });
    if (answer.kind === 'Gone') return {};
    if (answer.kind === 'Exhausted') {
      onFailure?.('BUDGET_EXHAUSTED');
      await activities.releaseBatch({ tenant, batchId, code: 'BUDGET_EXHAUSTED' });
      return {};
    }
    const { generated, emptied, refused } = await activities.commitBatch({ tenant, batchId });
    const { inputTokens, outputTokens } = answer;
    const modelCalls = answer.called ? 1 : 0;
    return { generated, emptied, refused, modelCalls, inputTokens, outputTokens };
  } catch (failure) {
    const code = codeOf(failure);
    if (code === 'CANCELLED') throw failure;
    onFailure?.(code);
    await activities.releaseBatch({ tenant, batchId, code });
    return {};
  }
}

/** Works through the batches in order with a bounded number at work. */
async function inFlight(
  batches: readonly ClaimedBatch[],
  run: (batch: ClaimedBatch) => Promise<void>,
): Promise<void> {
  const waiting = [...batches];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: BATCHES_IN_FLIGHT_MAX }, lane));
}
