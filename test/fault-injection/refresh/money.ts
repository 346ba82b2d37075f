/**
 * Proofs about money and limits: a budget that runs out and is raised, a provider that is too busy.
 */
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import type { BudgetPolicy } from '#core/records/policy.ts';
import { eventually, openStack } from '../../workflows/fixture.ts';
import { stubbed } from '../../workflows/model-stub.ts';
import { addScopes } from './batching.ts';
import { historyFindings, spendingOf, unsettled } from './end-state.ts';
import { findings, type Scenario } from './scenario.ts';
import { RATE_LIMITS } from './rate-limit.ts';

const HOUR_MS = 3_600_000;
const SCOPES = 12;
/** Enough for some of the scopes and not for all. */
const LIMIT_MICRO_DOLLARS = 1_500;
const GRANT_MICRO_DOLLARS = 100_000;

export const MONEY: readonly Scenario[] = [
  {
    id: 'budget-granted',
    requirement: 'SUM-15',
    run: async ({ address }) => {
      const budget: BudgetPolicy = {
        limitTokens: null,
        limitMicroDollars: LIMIT_MICRO_DOLLARS,
        onExhausted: 'Reject',
      };
      const { model, calls } = stubbed();
      await using stack = await openStack({ address, model });
      const { tenant } = stack;
      await stack.declare(tenant, { tenant: { budget }, layers: { batchWindowMs: HOUR_MS } });
      await addScopes(stack, tenant, { count: SCOPES, layer: 'user' });
      stack.advance(HOUR_MS);
      await stack.temporal.notify(tenant, { urgent: false });
      await stack.settled(tenant);
      const found = findings();
      const { spent } = await spendingOf(stack, tenant);
      const within = spent > 0 && spent <= LIMIT_MICRO_DOLLARS;
      found.expect(within, `${String(spent)} spent of ${String(LIMIT_MICRO_DOLLARS)}`);
      found.expect(calls.length < SCOPES, 'the budget never ended');
      const query = `Tenant = "${tenant}" AND BudgetState = "Exhausted"`;
      await eventually('a run that says so', async () => {
        return (await stack.temporal.client.workflow.count(query)).count > 0;
      });
      const grant = { tenant, microDollars: GRANT_MICRO_DOLLARS, reason: 'proof' };
      await OPERATIONS.budget.grant.call(stack.ports, LOCAL_OPERATOR, grant);
      await eventually('the last summary', async () => {
        const scopes = await stack.scopes(tenant);
        return scopes.every(({ generatedAt }) => generatedAt !== null);
      });
      await stack.settled(tenant);
      found.expect(calls.length === SCOPES, `${String(calls.length)} calls`);
      found.add(await unsettled(stack, tenant));
      found.add(await historyFindings(stack, tenant));
      return found.list;
    },
  },
  ...RATE_LIMITS,
];
