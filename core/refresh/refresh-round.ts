/**
 * Runs one round of refreshing: claim, summarize, commit. The same code runs inside the workflow,
 * where each call is a recorded activity, and inline in the library.
 */
import { addTotals } from '../add-totals.ts';
import { chargeOf } from '../budget/failures-not-charged.ts';
import * as contract from './refresh-contract.ts';
import type { ErrorCode } from '../error-codes.ts';

export interface RoundInput {
  readonly tenant: string;
  readonly claimId: string;
  readonly kind: contract.ClaimKind;
  /** Claims whose batches an earlier round left over; requested instead of a new claim. */
  readonly openClaims?: readonly string[];
  /** Returns the error code of a failed activity, as its caller sees it. */
  readonly codeOf: (failure: unknown) => ErrorCode;
  readonly onClaimed?: (batches: readonly contract.ClaimedBatch[]) => void;
  readonly onFailure?: (code: ErrorCode) => void;
  /** Called, in addition to `onFailure`, for each batch that the budget did not allow. */
  readonly onExhausted?: (
    report: contract.SummarizeReport & { readonly kind: 'Exhausted' },
  ) => void;
  /** Called before each batch; returns true once each time urgent work becomes due. */
  readonly takeUrgent?: () => boolean;
  /** Called before each batch; on a pause, claimed batches not yet begun stay under their lease. */
  readonly isPaused?: () => boolean;
  /** Called with the claims whose batches are left over. */
  readonly onLeft?: (claimIds: readonly string[]) => void;
}

interface Waiting {
  readonly claimId: string;
  readonly batch: contract.ClaimedBatch;
}

/**
 * Sum over the lanes. Each lane reads and adds after its await, because an earlier value may be
 * outdated.
 */
interface Sum {
  totals: contract.RefreshTotals;
}

/**
 * Processes one claim with a bounded number of concurrent batches. A failed batch is released; the
 * others continue. Urgent work that arrives meanwhile is claimed at the next free lane, ahead of
 * the waiting batches, so it waits for at most the batches in flight.
 */
export async function refreshRound(
  activities: contract.RefreshActivities,
  input: RoundInput,
): Promise<contract.RefreshTotals> {
  const { claimId, openClaims = [], takeUrgent, isPaused, onLeft } = input;
  const sum: Sum = { totals: addTotals(contract.NO_TOTALS, { rounds: 1 }) };
  const waiting: Waiting[] = [];
  for (const id of openClaims.length === 0 ? [claimId] : openClaims) {
    waiting.push(...(await claim(activities, { ...input, claimId: id }, sum)));
  }
  input.onClaimed?.(waiting.map(({ batch }) => batch));
  let again = 0;
  const lane = async (): Promise<void> => {
    while (waiting.length > 0) {
      if (isPaused?.() === true) return;
      if (again < contract.URGENT_CLAIMS_MAX && takeUrgent?.() === true) {
        again += 1;
        const urgent = {
          ...input,
          claimId: `${claimId}/${String(again)}`,
          kind: 'Closed' as const,
        };
        waiting.unshift(...(await claim(activities, urgent, sum)));
      }
      const next = waiting.shift();
      if (next === undefined) return;
      const done = await runBatch(activities, next.batch, input);
      sum.totals = addTotals(sum.totals, { batches: 1, ...done });
    }
  };
  await Promise.all(Array.from({ length: contract.BATCHES_IN_FLIGHT_MAX }, lane));
  if (waiting.length > 0) onLeft?.([...new Set(waiting.map(({ claimId: id }) => id))]);
  return sum.totals;
}

async function claim(
  activities: contract.RefreshActivities,
  { tenant, claimId, kind }: Pick<RoundInput, 'tenant' | 'claimId' | 'kind'>,
  sum: Sum,
): Promise<readonly Waiting[]> {
  const { batches, unchanged, emptied } = await activities.claimBatches({ tenant, claimId, kind });
  sum.totals = addTotals(sum.totals, { unchanged, emptied });
  return batches.map((batch) => ({ claimId, batch }));
}

async function runBatch(
  activities: contract.RefreshActivities,
  { batchId }: contract.ClaimedBatch,
  { tenant, codeOf, onFailure, onExhausted }: RoundInput,
): Promise<Partial<contract.RefreshTotals>> {
  try {
    const answer = await activities.summarizeBatch({ tenant, batchId });
    if (answer.kind === 'Gone') return {};
    if (answer.kind === 'Exhausted') {
      const { details: exhaustion } = answer;
      onFailure?.('BUDGET_EXHAUSTED');
      onExhausted?.(answer);
      await activities.releaseBatch({ tenant, batchId, code: 'BUDGET_EXHAUSTED', exhaustion });
      return {};
    }
    const { failure } = answer;
    if (failure !== undefined) onFailure?.(failure);
    const failed = failure === undefined ? {} : { failure };
    const commit = await activities.commitBatch({ tenant, batchId, ...failed });
    const { generated, emptied, refused, advanced } = commit;
    const { inputTokens, outputTokens, calls: modelCalls } = answer;
    return { generated, emptied, refused, advanced, modelCalls, inputTokens, outputTokens };
  } catch (failure) {
    const code = codeOf(failure);
    if (code === 'CANCELLED') throw failure;
    onFailure?.(code);
    await activities.releaseBatch({ tenant, batchId, code });
    const { calls: modelCalls = 0, inputTokens = 0, outputTokens = 0 } = chargeOf(failure) ?? {};
    return { modelCalls, inputTokens, outputTokens };
  }
}
