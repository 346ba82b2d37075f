/** Varve with tenants whose scopes are due: each refresh is one run for its own tenant. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createActivities } from '#activities/create-activities.ts';
import { forTemporal, temporalCall } from '#activities/heartbeats-and-failures.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { apiPortsOf, openParts, type Parts } from '#cli/composition-root.ts';
import { LAYERS } from '#core/layer.ts';
import type { BatchItem, ModelBatch, SummaryModel } from '#core/ports/model.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import type { BatchAnswer } from '#core/prompt/parse-answer.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { connectTemporal, type TemporalClient } from '#providers/temporal/client.ts';
import { bundleWorkflows, startWorker, type WorkflowBundle } from '#providers/temporal/worker.ts';

const WORKFLOWS = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));

export interface RefreshedTenants extends AsyncDisposable {
  readonly parts: Parts;
  readonly client: TemporalClient;
  readonly bundle: WorkflowBundle;
  /** Writes one memory into each of `scopes` scopes; all are due, and no run is notified. */
  prepare(tenant: string, scopes: { count: number; layer: 'project' | 'user' }): Promise<void>;
  /** Notifies the run of the tenant, awaits its end, and returns its summaries and its calls. */
  refresh(tenant: string): Promise<{ readonly generated: number; readonly calls: number }>;
}

export async function openRefreshedTenants(address: string): Promise<RefreshedTenants> {
  await using held = new AsyncDisposableStack();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'varve-bench-refresh-'));
  held.defer(() => rm(dataDir, { recursive: true, force: true }));
  const parts = held.use(await openParts({ dataDir, log: SILENT_LOG, model: quickModel }));
  const client = held.use(await connectTemporal({ address, namespace: 'default' }));
  const activities = forTemporal(createActivities(parts, client, temporalCall), SILENT_LOG);
  const bundle = await bundleWorkflows(WORKFLOWS, SILENT_LOG);
  const place = { address, namespace: 'default', bundle, activities, log: SILENT_LOG };
  held.use(await startWorker(place));
  const running = held.move();
  return {
    parts,
    client,
    bundle,
    prepare: (tenant, scopes) => prepare(parts, tenant, scopes),
    refresh: async (tenant) => {
      await client.notify(tenant, { urgent: false });
      const { generated = 0, modelCalls: calls = 0 } = (await client.settled(tenant)) ?? {};
      return { generated, calls };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function prepare(
  parts: Parts,
  tenant: string,
  { count, layer }: { count: number; layer: 'project' | 'user' },
): Promise<void> {
  const owner = { cluster: 'bench', namespace: 'bench', name: tenant, uid: tenant };
  await parts.store.policies.put(owner, eagerPolicy(tenant), {
    hash: tenant,
    now: parts.platform.clock(),
  });
  const ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
  const memories = Array.from({ length: count }, (_, n) => {
    const name = `scope-${String(n)}`;
    const identifiers = layer === 'user' ? { userId: name } : { projectId: name };
    const content = `The release of ${name} moves to week ${String(n % 52)} of the next year.`;
    return { layer, identifiers, content };
  });
  const { failed } = await OPERATIONS.memory.bulkAdd.call(ports, LOCAL_OPERATOR, {
    tenant,
    memories,
  });
  if (failed > 0) throw new Error(`${String(failed)} memories were refused`);
}

/** Makes the first change due at once, without a batch window. */
function eagerPolicy(tenant: string): TenantPolicy {
  const policy = defaultPolicy(tenant);
  const eager = { updateOnChanges: 1, batchWindowMs: 0 };
  const layers = LAYERS.map((layer) => [layer, { ...policy.layers[layer], ...eager }] as const);
  return { ...policy, layers: Object.fromEntries(layers) as TenantPolicy['layers'] };
}

const PRICE = { inputMicroDollarsPerMillion: 150_000, outputMicroDollarsPerMillion: 600_000 };
/** The context window with which the large scope is summarized. */
const INPUT_TOKENS_MAX = 32_000;
/** Room for as many items as a call may have. */
const OUTPUT_TOKENS_MAX = 64_000;
/** Facts of one item: as many short statements as fit a detailed text. */
const FACTS_MAX = 20;
const ITEM_TOKENS = 40;

/** For `openParts`. */
export function quickModel(extractive: SummaryModel): SummaryModel {
  return {
    ...extractive,
    name: 'quick',
    revision: 'quick-1',
    price: PRICE,
    inputTokensMax: INPUT_TOKENS_MAX,
    outputTokensMax: OUTPUT_TOKENS_MAX,
    usageMax: (batch) => ({ inputTokens: tokensOf(batch), outputTokens: OUTPUT_TOKENS_MAX }),
    answer: (batch) => {
      const answer: BatchAnswer = { items: batch.items.map(answerOf) };
      const usage = {
        inputTokens: tokensOf(batch),
        outputTokens: ITEM_TOKENS * batch.items.length,
      };
      return Promise.resolve({ text: JSON.stringify(answer), usage });
    },
  };
}

function answerOf({ item, task, sources }: BatchItem): BatchAnswer['items'][number] {
  const first = sources.slice(0, FACTS_MAX);
  if (task === 'Select') return { item, kept: first.map(({ id }) => id) };
  return { item, facts: first.map(({ id, text }) => ({ text, sources: [id], quote: text })) };
}

function tokensOf({ items }: ModelBatch): number {
  return items.flatMap(({ sources }) => sources).reduce((sum, { tokens }) => sum + tokens, 0);
}
