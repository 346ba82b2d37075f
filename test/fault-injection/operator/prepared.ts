/** A harness in which the steps before a given one are already enforced. */
import { defaultPolicy } from '#core/policy/policy-defaults.ts';

import { declare, ERASED_TENANT, STEPS, type Step } from './declared.ts';
import { settledState } from './settled.ts';
import type { OperatorHarness } from './harness.ts';

/** What was declared before the step is enforced, by an operator that is gone by then. */
export async function prepare(harness: OperatorHarness, step: Step): Promise<void> {
  const before = STEPS.slice(0, STEPS.indexOf(step));
  for (const each of before) {
    // All of it before anybody looks, so that every run sees the same.
    await declare(harness.api, harness.namespace, each);
    await using _operator = harness.start();
    await settledState(harness);
    if (each === 'create') await spend(harness);
  }
}

/** An account has limits of its own once something was spent; until then the policy has them. */
async function spend({ store }: OperatorHarness): Promise<void> {
  const tenant = ERASED_TENANT;
  const attempt = { tenant, attemptId: 'first', batchId: 'first' };
  const { budget } = (await store.policies.get(tenant))?.policy ?? defaultPolicy(tenant);
  const amount = { tokens: 10, microDollars: 0 };
  const now = Date.now();
  const call = { purpose: 'summary', model: 'house' } as const;
  await store.accounts.reserve({ attempt: { ...attempt, ...call }, amount, budget, now });
  await store.accounts.settle(attempt, amount, { outcome: 'Usage', now });
}
