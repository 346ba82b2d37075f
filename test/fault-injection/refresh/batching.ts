/** Proofs of batching: as few calls as the limits allow, and nothing written meanwhile is lost. */
import { VarveError } from '#core/errors.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { ITEMS_PER_BATCH_MAX } from '#core/refresh/plan-batches.ts';
import { ATTEMPTS_MAX } from '#core/refresh/retries-and-dead-letters.ts';
import { openStack, type Stack } from '../../workflows/fixture.ts';
import { mentions, stubbed } from '../../workflows/model-stub.ts';
import {
  historyFindings,
  PERSON,
  SECRET_WORD,
  spendingOf,
  startsOf,
  unsettled,
} from './end-state.ts';
import { findings, type Scenario } from './scenario.ts';

const HOUR_MS = 3_600_000;

/** Memories of many scopes of one layer, due once the hour of their window is over. */
export async function addScopes(
  stack: Stack,
  tenant: string,
  { count, layer }: { count: number; layer: 'project' | 'user' },
): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const name = `${PERSON}${String(n)}`;
    const identifiers = layer === 'user' ? { userId: name } : { projectId: name };
    const content = `${SECRET_WORD} is visited by group ${String(n)} in week ${String(n % 52)}.`;
    await stack.add(tenant, { layer, identifiers, content }, NO_REFRESH_TRIGGER);
  }
}

export const BATCHING: readonly Scenario[] = [
  {
    id: 'one-window',
    requirement: 'SUM-16',
    run: async ({ address, scale }) => {
      const count = scale === 'Full' ? 1_000 : 100;
      const { model, calls } = stubbed();
      await using stack = await openStack({ address, model });
      const { tenant } = stack;
      await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
      await addScopes(stack, tenant, { count, layer: 'project' });
      stack.advance(HOUR_MS);
      await stack.temporal.notify(tenant, { urgent: false });
      const totals = await stack.settled(tenant);
      const fewest = Math.ceil(count / ITEMS_PER_BATCH_MAX);
      const found = findings();
      found.expect(calls.length === fewest, `${String(calls.length)} calls, not ${String(fewest)}`);
      found.expect(totals.generated === count, `${String(totals.generated)} summaries`);
      const starts = await startsOf(stack, tenant);
      found.expect(starts === 1, `${String(starts)} runs were started`);
      found.add(await unsettled(stack, tenant));
      found.add(await historyFindings(stack, tenant));
      return found.list;
    },
  },
  {
    id: 'mark-during-batch',
    requirement: 'TMP-02',
    run: async ({ address }) => {
      const MARKS = 10;
      const box: { stack?: Stack } = {};
      const { model, calls } = stubbed(async (_batch, call) => {
        if (call <= MARKS) await box.stack?.add(box.stack.tenant, noteOf(call));
      });
      await using stack = await openStack({ address, model });
      box.stack = stack;
      const { tenant } = stack;
      await stack.declare(tenant);
      await stack.add(tenant, noteOf(0));
      await stack.settled(tenant);
      const found = findings();
      found.expect(calls.length === MARKS + 1, `${String(calls.length)} calls`);
      const [scope] = await stack.scopes(tenant);
      found.expect(scope?.sourceCount === MARKS + 1, 'a memory is missing');
      found.add(await unsettled(stack, tenant));
      found.add(await historyFindings(stack, tenant));
      return found.list;
    },
  },
  {
    id: 'poison',
    requirement: 'SUM-16',
    run: async ({ address }) => {
      const SIBLINGS = 6;
      const { model } = stubbed((batch) => {
        if (mentions(batch, 'nightshade')) throw refused();
      });
      await using stack = await openStack({ address, model });
      const { tenant } = stack;
      await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
      await addScopes(stack, tenant, { count: SIBLINGS, layer: 'project' });
      const poison = { layer: 'project' as const, identifiers: { projectId: 'poison' } };
      await stack.add(
        tenant,
        { ...poison, content: 'A nightshade grows here.' },
        NO_REFRESH_TRIGGER,
      );
      await untilDeadLettered(stack, tenant);
      const scopes = await stack.scopes(tenant);
      const found = findings();
      const dead = scopes.filter(({ deadLetter }) => deadLetter !== null);
      found.expect(dead.length === 1, `${String(dead.length)} dead letters`);
      found.expect(dead[0]?.scopeId === 'poison', 'a sibling became a dead letter');
      found.expect(dead[0]?.deadLetter?.code === 'PROVIDER_REJECTED', 'no reason is kept');
      const siblings = scopes.filter(({ scopeId }) => scopeId !== 'poison');
      const made = siblings.filter(({ generatedAt }) => generatedAt !== null).length;
      found.expect(made === SIBLINGS, `${String(made)} siblings have a summary`);
      const given = { tenant, layer: 'project' as const, scopeId: 'poison' };
      const summary = await stack.parts.store.summaries.get(given, '');
      found.expect(summary?.model === 'extractive', 'the dead letter has no fallback');
      const pending = await unsettled(stack, tenant);
      found.add(pending.filter((each) => !each.startsWith('project/poison')));
      const { calls } = await spendingOf(stack, tenant);
      found.expect(calls <= SIBLINGS, `${String(calls)} calls are paid`);
      found.add(await historyFindings(stack, tenant));
      return found.list;
    },
  },
];

function noteOf(n: number) {
  const content = `${SECRET_WORD} note ${String(n)} says the harbour opens at hour ${String(n)}.`;
  return { identifiers: { userId: `${PERSON}1` }, content };
}

function refused(): VarveError {
  return new VarveError('PROVIDER_REJECTED', 'The provider refused the request.');
}

/** Lets the pauses after failures pass until the scopes are made or put aside. */
async function untilDeadLettered(stack: Stack, tenant: string): Promise<void> {
  for (let failures = 0; failures < ATTEMPTS_MAX; failures += 1) {
    stack.advance(2 * HOUR_MS);
    await stack.temporal.notify(tenant, { urgent: false });
    await stack.settled(tenant);
  }
}
