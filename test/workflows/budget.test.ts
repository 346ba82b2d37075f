/** A budget that runs out and is increased, on a running server. */
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import type { BudgetPolicy } from '#core/records/policy.ts';
import { openStack } from './fixture.ts';
import { stubbed } from './model-stub.ts';
import { ANN } from './refresh-samples.ts';

const BUDGET: BudgetPolicy = { limitTokens: 1, limitMicroDollars: null, onExhausted: 'Reject' };

describe('a grant for an exhausted budget', () => {
  it('resumes the refresh, while writes before it call no model', async () => {
    const { model, calls } = stubbed();
    await using stack = await openStack({ model });
    const { tenant, ports, parts } = stack;
    await stack.declare(tenant, { tenant: { budget: BUDGET } });
    await stack.add(tenant, { ...ANN, content: 'Ann grows roses in her garden in Lisbon.' });
    await stack.settled(tenant);
    await stack.add(tenant, { ...ANN, content: 'Ann grows lavender as well.' });
    const shown = await OPERATIONS.budget.get.call(ports, LOCAL_OPERATOR, { tenant });
    expect(shown).toMatchObject({ waitingScopes: 1, exhaustion: { measure: 'tokens', limit: 1 } });
    expect(calls).toHaveLength(0);

    const grant = { tenant, tokens: 1_000_000, reason: 'The garden show.' };
    expect(await OPERATIONS.budget.grant.call(ports, LOCAL_OPERATOR, grant)).toMatchObject({
      freedScopes: 1,
    });
    expect(await stack.settled(tenant)).toMatchObject({ generated: 1, modelCalls: 1 });
    const user = { tenant, layer: 'user', scopeId: 'ann' } as const;
    const summary = await parts.store.summaries.get(user, '');
    expect(summary?.sourceCount).toBe(2);
    expect(await parts.store.scopes.get(user)).toMatchObject({ hold: null, changes: 0 });
  });
});
