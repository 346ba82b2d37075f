/**
 * Apply: carries out a plan through the store. The last of three steps.
 *
 * Flow: policy → event → limits of the current period → due marks → wake.
 * Guarantees: a repetition writes nothing once all of it is done; a death in between is mended by
 * the next run, which looks at limits and due marks even where the policy is in place.
 */
import { VarveError } from '#core/errors.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import { carryOut, NOTHING_DONE, type CarriedOut } from './carry-out.ts';
import type { Outcome } from './outcome.ts';
import type { Action, ApplyPolicy, Keep, Plan } from './plan.ts';

export type PolicyStore = Pick<Store, 'policies' | 'accounts' | 'scopes' | 'wakes' | 'events'>;

export interface ApplyContext {
  readonly store: PolicyStore;
  readonly platform: Platform;
  /**
   * Hash of the policy that this process has carried out to the end, by tenant. Owned by the caller
   * and kept as long as it reconciles; saves reading every scope when nothing changed.
   */
  readonly settled: Map<string, string>;
}

/** Tenants one after the other; one that fails is an outcome and does not hold up the others. */
export async function applyPlan(plan: Plan, context: ApplyContext): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const action of plan.actions) {
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
  return { kind: action.kind === 'Refuse' ? 'Refused' : 'Orphaned', tenant, owner };
}

async function applyPolicy(action: ApplyPolicy, context: ApplyContext): Promise<Outcome> {
  const { store, platform } = context;
  const { tenant, owner, policy, hash, reason } = action;
  const put = await store.policies.put(owner, policy, { hash, now: platform.clock() });
  if (put.kind === 'Claimed') return { kind: 'Refused', tenant, owner: put.owner };
  if (put.kind === 'Fenced' || put.kind === 'Changed') {
    throw new VarveError('CONFLICT', 'Somebody else wrote the policy. It is looked at again.');
  }
  const { generation } = put.record;
  if (put.kind === 'Applied') {
    await store.events.append({
      tenant,
      id: platform.newId(),
      at: platform.clock(),
      type: 'memory_policy_applied',
      attributes: { generation, hash, owner: owner.uid },
    });
  }
  const { rescheduled, isWoken } = await settle(action, generation, context);
  return { kind: 'Applied', tenant, generation, reason, rescheduled, isWoken };
}

async function keepPolicy(action: Keep, context: ApplyContext): Promise<Outcome> {
  const { tenant, hash, generation } = action;
  const isSettled = context.settled.get(tenant) === hash;
  const carried = isSettled ? NOTHING_DONE : await settle(action, generation, context);
  const { rescheduled, isWoken } = carried;
  return { kind: 'Kept', tenant, rescheduled, isWoken };
}

async function settle(
  { tenant, policy, hash }: ApplyPolicy | Keep,
  generation: number,
  context: ApplyContext,
): Promise<CarriedOut> {
  const carried = await carryOut({ policy, generation }, context);
  if (carried.isComplete) context.settled.set(tenant, hash);
  return carried;
}
