/** The refresh of the library: the rounds of the workflow, run where the caller is. */
import { createActivities } from '#activities/create-activities.ts';
import { settleLostReservations } from '#activities/lost-attempts.ts';
import { portsOfTenant, withModelsOf, type RefreshPorts } from '#activities/refresh-ports.ts';
import {
  addTotals,
  NO_TOTALS,
  type ClaimKind,
  type RefreshFailure,
  type RefreshReport,
  type RefreshTotals,
} from '#core/refresh/refresh-contract.ts';
import { VarveError, type ErrorCode } from '#core/errors.ts';
import type { Exhaustion } from '#core/records/account.ts';
import { refreshRound } from '#core/refresh/refresh-round.ts';
import { NO_REFRESH_TRIGGER } from './compose.ts';
import { flushDueHere } from './inline-flushes.ts';

/** Rounds of one inline refresh; each claims up to eight batches. */
const INLINE_ROUNDS_MAX = 1_000;

/**
 * Without a window: a caller who asks does not want to wait.
 * @throws VarveError BUDGET_EXHAUSTED once all that could be made is made, where the budget refused
 * something and the tenant's policy says `Reject`
 */
export async function refreshInline(
  parts: RefreshPorts,
  tenant: string,
  kind: ClaimKind,
): Promise<RefreshReport> {
  const { signal } = new AbortController();
  // Where no workflows run there is no tick that would do it.
  await settleLostReservations(withModelsOf(parts));
  const ports = await portsOfTenant(parts, tenant);
  await flushDueHere({ ...ports, refreshTrigger: NO_REFRESH_TRIGGER }, tenant);
  const activities = createActivities(parts, NO_REFRESH_TRIGGER, () => ({ signal }));
  const claim = parts.platform.newId();
  let totals = NO_TOTALS;
  const rejected: Exhaustion[] = [];
  const failures = new Map<ErrorCode, RefreshFailure>();
  /** Of the failure whose code is asked for just before it is told. */
  let message = '';
  for (let round = 0; round < INLINE_ROUNDS_MAX; round += 1) {
    const done = await refreshRound(activities, {
      tenant,
      claimId: `${claim}/${String(round)}`,
      kind,
      codeOf: (failure) => {
        message = failure instanceof Error ? failure.message : String(failure);
        return failure instanceof VarveError ? failure.code : 'CORRUPT';
      },
      onFailure: (code) => {
        const { batches = 0, message: first = message || wordsOf(code) } = failures.get(code) ?? {};
        failures.set(code, { code, batches: batches + 1, message: first });
        message = '';
        parts.platform.log.warn({ tenant, code }, 'batch released');
      },
      onExhausted: (report) => {
        if (report.rejected) rejected.push(report.details);
      },
    });
    totals = addTotals(totals, done);
    if (done.batches + done.unchanged + done.emptied === 0) break;
    if (done.generated + done.advanced + done.unchanged + done.emptied === 0) break;
  }
  const last = rejected.at(-1);
  if (last !== undefined) throw exhausted(last, totals);
  return { ...totals, failures: [...failures.values()] };
}

/** Where a failure is known by its code alone. */
function wordsOf(code: ErrorCode): string {
  return code === 'BUDGET_EXHAUSTED'
    ? 'The budget of the period does not allow it. Raise it in the policy, or grant more.'
    : 'Some calls of the batch failed; what was answered is kept. Refresh again.';
}

function exhausted(details: Exhaustion, { generated }: RefreshTotals): VarveError {
  const message =
    'The budget of the period does not allow every summary that is due. Raise it in the policy, ' +
    'grant more for this period, or wait for the next one.';
  return new VarveError('BUDGET_EXHAUSTED', message, { details: { ...details, generated } });
}
