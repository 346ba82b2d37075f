/**
 * The requirements of summaries, checked after real runs: which depths are made, what is kept with
 * them, what makes a scope due, and what the counters say.
 */
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { BATCHES_IN_FLIGHT_MAX } from '#core/refresh/refresh-contract.ts';
import { DEFAULT_LAYERS } from '#core/policy/policy-defaults.ts';
import { DEPTHS, DEPTH_TOKENS_MAX } from '#core/records/summary.ts';
import type { Scope } from '#core/scope.ts';
import { HOUR_MS, userScope } from '#test/conformance/samples.ts';
import { eventually, openStack, type Stack } from './fixture.ts';
import { door, mentions, stubbed } from './model-stub.ts';
import { BEES, ROSES } from './refresh-samples.ts';

const ANN = { userId: 'ann' };
const CLOCKS = 'Ann repairs old clocks on Sundays.';

async function summaryOf({ parts }: Stack, scope: Scope) {
  const summary = await parts.store.summaries.get(scope, '');
  if (summary === null) throw new Error(`No summary of ${scope.layer} ${scope.scopeId}.`);
  return summary;
}

async function write(stack: Stack, ...contents: readonly string[]): Promise<void> {
  for (const content of contents) await stack.add(stack.tenant, { identifiers: ANN, content });
}

describe('what a run makes', () => {
  it('SUM-01: three depths within their limits, SUM-02: with tokens, hash and time', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant);
    const startedAt = Date.now();
    await write(stack, ...Array.from({ length: 40 }, (_, n) => `${ROSES} Bed ${String(n)}.`));
    await stack.settled(tenant);
    const record = await stack.parts.store.scopes.get(userScope(tenant));
    for (const depth of DEPTHS) {
      const input = { tenant, layer: 'user', identifiers: ANN, depth } as const;
      const answer = await OPERATIONS.summary.get.call(stack.ports, LOCAL_OPERATOR, input);
      expect(answer?.tokens).toBeGreaterThan(0);
      expect(answer?.tokens).toBeLessThanOrEqual(DEPTH_TOKENS_MAX[depth]);
      expect(answer?.tokens).toBe(stack.parts.tokens.count(answer?.text ?? ''));
      expect(answer).toMatchObject({ sourceHash: record.sourceHash, sourceCount: 40 });
      expect(answer?.generatedAt).toBeGreaterThanOrEqual(startedAt);
      expect(answer?.generatedAt).toBeLessThanOrEqual(record.generatedAt ?? 0);
    }
  });

  it('SUM-06: only the configured depths; SUM-07: null for any other', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant, { layers: { depths: ['sentence'] } });
    await write(stack, ROSES);
    await stack.settled(tenant);
    expect(Object.keys((await summaryOf(stack, userScope(tenant))).depths)).toEqual(['sentence']);
    const input = { tenant, layer: 'user', identifiers: ANN, depth: 'detailed' } as const;
    expect(await OPERATIONS.summary.get.call(stack.ports, LOCAL_OPERATOR, input)).toBeNull();
  });

  it('SUM-08: every layer by precedence with its tokens, SUM-10: and its relevance', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant);
    const identifiers = { ...ANN, projectId: 'checkout' };
    const shared = 'The checkout launches on December 1, after a security review.';
    await stack.add(tenant, { layer: 'project', identifiers, content: shared });
    await stack.add(tenant, { layer: 'user', identifiers, content: ROSES });
    await stack.settled(tenant);
    const query = 'When does the checkout launch?';
    const asked = { tenant, identifiers, query };
    const { summaries } = await OPERATIONS.summary.list.call(stack.ports, LOCAL_OPERATOR, asked);
    const made = summaries.filter(({ summary }) => summary !== null);
    expect(made.map(({ scope }) => scope.layer)).toEqual(['user', 'project']);
    expect(made.every(({ summary }) => (summary?.depths.sentence?.tokens ?? 0) > 0)).toBe(true);
    const [user = 0, project = 0] = made.map(({ relevance }) => relevance?.relevance ?? 0);
    expect(project).toBeGreaterThan(user);
  });

  it('SUM-09: a new context vector for a new text', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant);
    await write(stack, ROSES);
    await stack.settled(tenant);
    const before = await summaryOf(stack, userScope(tenant));
    await write(stack, CLOCKS);
    await stack.settled(tenant);
    const after = await summaryOf(stack, userScope(tenant));
    const { generation } = await stack.parts.embedders.configured();
    expect(before.contextVector?.generation).toBe(generation);
    expect(after.contextVector?.generation).toBe(generation);
    expect(after.contextVector?.values).not.toEqual(before.contextVector?.values);
  });
});

describe('what makes a scope due', () => {
  it('SUM-05: the threshold of changes, and nothing below it', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant, { layers: { updateOnChanges: 3 } });
    await write(stack, ROSES, BEES);
    await stack.temporal.notify(tenant, { urgent: false });
    expect(await stack.settled(tenant)).toMatchObject({ generated: 0 });
    await write(stack, CLOCKS);
    expect(await stack.settled(tenant)).toMatchObject({ generated: 1 });
    expect(await summaryOf(stack, userScope(tenant))).toMatchObject({ trigger: 'Changes' });
  });

  it('SUM-11, SUM-19: a changed source makes a summary stale until the next run', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant);
    await write(stack, ROSES);
    await stack.settled(tenant);
    await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
    await write(stack, BEES);
    const asked = { tenant, identifiers: ANN };
    const stale = await OPERATIONS.summary.list.call(stack.ports, LOCAL_OPERATOR, asked);
    expect(stale.summaries[0]?.freshness).toMatchObject({
      stale: true,
      reason: 'SourceChanged',
      needsRegeneration: true,
    });
    await stack.temporal.flush(tenant, { kind: 'Due' });
    await stack.settled(tenant);
    const fresh = await OPERATIONS.summary.list.call(stack.ports, LOCAL_OPERATOR, asked);
    // SUM-21: the answer says how fresh it is.
    expect(fresh.summaries[0]?.freshness).toMatchObject({ stale: false, reason: null });
  });

  it('SUM-12: the maximum age alone, even with an equal source hash', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant);
    await write(stack, ROSES);
    await stack.settled(tenant);
    const before = await summaryOf(stack, userScope(tenant));
    stack.advance(DEFAULT_LAYERS.user.maxAgeMs);
    await stack.temporal.notify(tenant, { urgent: false });
    await stack.settled(tenant);
    const after = await summaryOf(stack, userScope(tenant));
    expect(after).toMatchObject({ trigger: 'MaxAge', sourceHash: before.sourceHash });
    expect(after.id).not.toBe(before.id);
  });
});

describe('the order and the model of summaries', () => {
  it('SUM-17: more specific layers come first when calls are limited', async () => {
    const AGENTS = 6;
    const held = door();
    const { model, calls } = stubbed(() => held.opened);
    await using stack = await openStack({ model });
    const { tenant } = stack;
    await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
    await stack.add(tenant, { layer: 'org', identifiers: { orgId: 'o' }, content: CLOCKS });
    for (let n = 0; n < AGENTS; n += 1) {
      const identifiers = { agentId: `a${String(n)}` };
      await stack.add(tenant, { layer: 'agent', identifiers, content: ROSES });
    }
    stack.advance(HOUR_MS);
    await stack.temporal.notify(tenant, { urgent: false });
    await eventually('calls in every lane', async () => calls.length === BATCHES_IN_FLIGHT_MAX);
    expect(calls.every((batch) => mentions(batch, 'roses'))).toBe(true);
    held.open();
    expect(await stack.settled(tenant)).toMatchObject({ generated: AGENTS + 1 });
    expect(calls.filter((batch) => mentions(batch, 'clocks'))).toHaveLength(1);
  });

  it('SUM-13: each depth of a generation is counted with its duration', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant);
    await write(stack, ROSES);
    await stack.settled(tenant);
    // SUM-14: a read is counted too.
    const input = { tenant, layer: 'user', identifiers: ANN, depth: 'sentence' } as const;
    await OPERATIONS.summary.get.call(stack.ports, LOCAL_OPERATOR, input);
    const page = (await stack.ports.metricsPage?.render()) ?? '';
    const lines = page.split('\n');
    for (const depth of DEPTHS) {
      const of = `depth="${depth}"`;
      const made = lines.find(
        (line) => line.startsWith('memory_summary_generations_total{') && line.includes(of),
      );
      expect(made).toMatch(/layer="user".*trigger="Changes".* 1$/u);
    }
    expect(page).toContain('memory_summary_generation_duration_ms_count');
    expect(page).toContain('memory_summary_retrievals_total{');
    expect(page).toContain('memory_summary_retrieval_latency_ms_count');
  });
});
