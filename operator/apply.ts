/**
 * Apply: carries out a plan through the store. The last of three steps.
 *
 * Flow: policy → event → limits of the current period → dreams → due marks → wake.
 * Guarantees: a repetition writes nothing once all of it is done; a death in between is mended by
 * the next run, which looks at all of them even where the policy is in place; a signal ends it
 * soon, and what is left is left to the next run.
 */
import { VarveError } from '#core/errors.ts';
import type { Calendar } from '#core/ports/calendar.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { PolicyRecord } from '#core/records/policy-record.ts';
import { carryOut, NOTHING_DONE, type CarriedOut } from './carry-out.ts';
import type { Outcome } from './outcome.ts';
import type { Action, ApplyPolicy, Keep, Plan } from './plan.ts';
import { ensurePolicyEvent } from './policy-event.ts';
import type { Settled } from './settled.ts';

export type PolicyStore = Pick<
  Store,
  'policies' | 'accounts' | 'scopes' | 'wakes' | 'events' | 'dreamSchedules'
>;

export interface ApplyContext {
  readonly store: PolicyStore;
  readonly platform: Platform;
  readonly calendar: Calendar;
  /** Owned by the caller and kept as long as it reconciles. */
  readonly settled: Settled;
  /** No further tenant is begun once it is aborted, and the one at work ends soon. */
  readonly signal?: AbortSignal | undefined;
}

/** Tenants one after the other; one that fails is an outcome and does not hold up the others. */
export async function applyPlan(plan: Plan, context: ApplyContext): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const action of plan.actions) {
    if (context.signal?.aborted === true) break;
    try {
      outcomes.push(await applyAction(action, context));
    } catch (error) {
      if (!(error instanceof VarveError)) throw error;
      const { code, message } = error;
      outcomes.push({ kind: 'Failed', tenant: action.tenant, code, message });
    }
  }
  return outcomes;
}

async function applyAction(action: Action, context: ApplyContext): Promise<Outcome> {
  if (action.kind === 'ApplyPolicy') return applyPolicy(action, context);
  if (action.kind === 'Keep') return keepPolicy(action, context);
  const { tenant, owner } = action;
  context.settled.delete(tenant);
  return { kind: action.kind === 'Refuse' ? 'Refused' : 'Orphaned', tenant, owner };
}

async function applyPolicy(action: ApplyPolicy, context: ApplyContext): Promise<Outcome> {
  const { store, platform, settled } = context;
  const { tenant, before, owner, policy, hash, reason } = action;
  // Nobody looks for the event of a policy that is replaced.
  if (before !== null) await ensureEvent(before, context);
  const put = await store.policies.put(owner, policy, { hash, now: platform.clock() });
  if (put.kind === 'Claimed') return { kind: 'Refused', tenant, owner: put.owner };
  if (put.kind === 'Fenced' || put.kind === 'Changed') {
    throw new VarveError('CONFLICT', 'Somebody else wrote the policy. It is looked at again.');
  }
  const { generation } = put.record;
  // Of what was known, nothing holds for another generation, even one that says the same again.
  settled.delete(tenant);
  const { rescheduled, isWoken } = await settle(put.record, context);
  return { kind: 'Applied', tenant, generation, reason, rescheduled, isWoken };
}

async function keepPolicy(action: Keep, context: ApplyContext): Promise<Outcome> {
  const { tenant, record } = action;
  const isSettled = context.settled.isKnown(tenant, record.hash);
  const carried = isSettled ? NOTHING_DONE : await settle(record, context);
  const { rescheduled, isWoken } = carried;
  return { kind: 'Kept', tenant, rescheduled, isWoken };
}

/** A policy that this process has carried out has its event. */
async function ensureEvent(
  record: PolicyRecord,
  { store, platform, settled }: ApplyContext,
): Promise<void> {
  if (settled.isKnown(record.tenant, record.hash)) return;
  const { digest, clock } = platform;
  await ensurePolicyEvent(record, store, { digest, now: clock() });
}

/** A tenant with very many scopes goes on where the run before ended. */
async function settle(record: PolicyRecord, context: ApplyContext): Promise<CarriedOut> {
  const { tenant, hash, policy, generation } = record;
  const { store, platform, calendar, settled, signal } = context;
  const now = platform.clock();
  await ensureEvent(record, context);
  const after = settled.goesOnAfter(tenant, hash);
  const carried = await carryOut(
    { policy, generation, after },
    { store, platform, calendar, signal },
  );
  settled.begun(tenant, hash, carried.goOnAfter);
  // Nobody else looks at the tenants of a folder, so that they need not be spread.
  if (carried.isComplete) settled.done(tenant, { hash, now, random: 0 });
  return carried;
}
