/** A busy provider answers 429: two workers pause for as long as it asks. */
import { createActivities } from '#activities/create-activities.ts';
import { forTemporal, temporalCall } from '#activities/heartbeats-and-failures.ts';
import { openParts, type PartsOptions } from '#cli/composition-root.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { createOpenAiSummaryModel } from '#providers/openai/summary-model.ts';
import { MODEL_ACTIVITIES_MAX, startWorker } from '#providers/temporal/worker.ts';
import { loadTokenCounter } from '#providers/tokenizers/token-counter.ts';
import type { Behave } from '../../cluster/model-server/behavior.ts';
import { startModelServer } from '../../cluster/model-server/model-server.ts';
import { openStack, PRICE, testPlace, type Stack } from '../../workflows/fixture.ts';
import { addScopes } from './batching.ts';
import { historyFindings, spendingOf, unsettled } from './end-state.ts';
import { findings, type Scenario } from './scenario.ts';

/** More lanes than the workers have places for calls, so that some wait for a place. */
const TENANTS = 8;
const WORKERS = 2;
const PAUSE_S = 3;
const CONTEXT_TOKENS = 32_000;
const OUTPUT_TOKENS_MAX = 4_000;
/** The calls at which a storm begins. */
const STORMS: ReadonlySet<number> = new Set([1, 20]);

export const RATE_LIMITS: readonly Scenario[] = [
  {
    id: 'storm-of-429',
    requirement: 'SUM-16',
    run: async ({ address, scale }) => {
      const scopes = scale === 'Full' ? 12 : 4;
      const storm = stormy();
      await using server = await startModelServer({ behave: storm.behave });
      const model = await modelAt(server.baseUrl);
      await using stack = await openStack({ address, model });
      await using _other = await anotherWorker(stack, { address, model });
      const tenants = Array.from({ length: TENANTS }, (_, n) => `${stack.tenant}-${String(n)}`);
      for (const tenant of tenants) {
        await stack.declare(tenant);
        await addScopes(stack, tenant, { count: scopes, layer: 'user' });
      }
      await Promise.all(tenants.map((tenant) => stack.temporal.notify(tenant, { urgent: false })));
      const found = findings();
      for (const tenant of tenants) {
        await stack.settled(tenant);
        found.add(await unsettled(stack, tenant));
        const { calls } = await spendingOf(stack, tenant);
        found.expect(calls === scopes, `${String(calls)} calls of ${tenant} are paid`);
        found.add(await historyFindings(stack, tenant));
      }
      // Calls under way when a storm began; no worker asks again before it is over.
      const inFlight = WORKERS * MODEL_ACTIVITIES_MAX;
      for (const early of storm.early) {
        found.expect(early <= inFlight, `${String(early)} calls came during a pause`);
      }
      found.expect(storm.early.length > 0, 'no storm came');
      const { answers } = server.charged();
      found.expect(answers === TENANTS * scopes, `${String(answers)} calls are charged`);
      return found.list;
    },
  },
];

/** Refuses every call for some seconds, again and again; counts who came too early. */
function stormy(): { readonly behave: Behave; readonly early: readonly number[] } {
  const early: number[] = [];
  let until = 0;
  let answered = 0;
  return {
    early,
    behave: () => {
      const now = Date.now();
      if (now >= until && !STORMS.has(answered + 1)) {
        answered += 1;
        return { kind: 'Answer' };
      }
      if (now >= until) {
        until = now + PAUSE_S * 1_000;
        answered += 1;
        early.push(0);
      }
      early[early.length - 1] = (early.at(-1) ?? 0) + 1;
      const rest = Math.max(1, Math.ceil((until - now) / 1_000));
      return { kind: 'Refuse', status: 429, retryAfter: String(rest) };
    },
  };
}

async function modelAt(baseUrl: string): Promise<NonNullable<PartsOptions['model']>> {
  const platform = createPlatform({ log: SILENT_LOG });
  const tokens = await loadTokenCounter({ log: SILENT_LOG });
  const model = createOpenAiSummaryModel({
    baseUrl,
    apiKey: null,
    model: 'stub',
    classes: ['standard', 'economy'],
    price: PRICE,
    contextTokens: CONTEXT_TOKENS,
    outputTokensMax: OUTPUT_TOKENS_MAX,
    thinkingTokens: 0,
    tokens,
    platform,
  });
  return () => model;
}

/** Another worker over the same store, which knows nothing of what the first one was told. */
async function anotherWorker(
  { dataDir, temporal }: Stack,
  { address, model }: { address: string; model: NonNullable<PartsOptions['model']> },
): Promise<AsyncDisposable> {
  await using held = new AsyncDisposableStack();
  const parts = held.use(await openParts({ dataDir, log: SILENT_LOG, model }));
  const activities = forTemporal(createActivities(parts, temporal, temporalCall), SILENT_LOG);
  const place = await testPlace(address);
  held.use(await startWorker({ ...place, activities, log: SILENT_LOG }));
  return held.move();
}
