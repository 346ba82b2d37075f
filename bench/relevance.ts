/**
 * Measures which layer's summary is deepened for a question: 200 labeled questions about the
 * example tenant (test/relevance/), with the hashed embedder and, if available, with a real model.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { STORE_FILE } from '#cli/choose-store.ts';
import { openVarve, type Varve } from '#cli/open-varve.ts';
import type { EmbeddingSettings } from '#cli/store-and-model-settings.ts';
import type { ReceiptLine } from '#core/context/context-receipt.ts';
import { LAYERS, Layer } from '#core/layer.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { DEPTHS } from '#core/records/summary.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { nodePlatform } from '#providers/temporal/server-platform.ts';
import { missingForEmbeddingServer, startEmbeddingServer } from './embedding-server.ts';

const OWNER = { cluster: 'bench', namespace: 'bench', name: 'acme', uid: 'acme' };

/** Prints, by half and layer, for how many questions only the right layer is deepest. */
export async function run(args: readonly string[]): Promise<void> {
  const queries = await labeledQueries();
  await report('hashed vectors', queries, null);
  if (args.includes('--offline')) return;
  const platform = nodePlatform(process.env);
  const missing = await missingForEmbeddingServer(platform);
  if (missing !== null) {
    console.log(`relevance: no figures with the real model, which needs ${missing}`);
    return;
  }
  await using server = await startEmbeddingServer(platform);
  const { baseUrl: url, model, dimensions, prefixes } = server;
  const settings = { url, model, dimensions, dimensionsSent: false };
  await report(`real model, ${model}`, queries, {
    ...settings,
    queryPrefix: prefixes.query,
    passagePrefix: prefixes.passage,
  });
}

async function report(
  title: string,
  queries: readonly LabeledQuery[],
  embedding: EmbeddingSettings | null,
): Promise<void> {
  const answers = await answersTo(queries, embedding);
  console.log(`\n${title}: right layer deepest`);
  for (const half of ['develop', 'report'] as const) {
    const own = answers.filter(({ query }) => query.split === half);
    const cells = LAYERS.flatMap((layer) => {
      const asked = own.filter(({ query }) => query.layer === layer);
      const right = asked.filter(({ isRight }) => isRight);
      return asked.length === 0 ? [] : [`${layer} ${right.length}/${asked.length}`];
    });
    const right = own.filter(({ isRight }) => isRight).length;
    console.log(`${half.padEnd(8)} ${(right / own.length).toFixed(3)}   ${cells.join('  ')}`);
  }
}

interface Answer {
  readonly query: LabeledQuery;
  readonly isRight: boolean;
}

async function answersTo(
  queries: readonly LabeledQuery[],
  embedding: EmbeddingSettings | null,
): Promise<readonly Answer[]> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'varve-relevance-'));
  await using held = new AsyncDisposableStack();
  held.defer(() => rm(dataDir, { recursive: true, force: true }));
  const settings = embedding === null ? {} : { embedding };
  const varve = held.use(await openVarve({ dataDir, settings }));
  const store = held.use(
    await openSqliteStore({
      file: path.join(dataDir, STORE_FILE),
      platform: createPlatform(),
      analyzer: createTextAnalyzer(),
    }),
  );
  await fillExampleTenant({
    varve,
    declare: (policy) => store.policies.put(OWNER, policy, { hash: 'bench', now: Date.now() }),
  });
  const answers: Answer[] = [];
  for (const query of queries) {
    answers.push({ query, isRight: (await deepestLayer(varve, query.query)) === query.layer });
  }
  return answers;
}

const MEMORIES = new URL('../examples/acme/memories.jsonl', import.meta.url);
const TENANT = 'acme';
const IDENTIFIERS = {
  agentId: 'release-bot',
  userId: 'dana',
  projectId: 'checkout',
  teamId: 'payments',
  orgId: 'commerce',
  companyId: 'acme',
};

/**
 * Room for the shortest texts of six layers and the paragraph of one, or a little more. It includes
 * no related memories, which would take that room from the summaries.
 */
const TOKENS_MAX = 540;

export interface TenantFolder {
  readonly varve: Varve;
  readonly declare: (policy: TenantPolicy) => Promise<unknown>;
}

/** The fields that are read from a line. Its identifiers are not: `IDENTIFIERS` includes them. */
type Line = Readonly<Record<'content' | 'at', string>> & { readonly layer: Layer };

/** Fills the example tenant with its memories and summarizes them. */
export async function fillExampleTenant({ varve, declare }: TenantFolder): Promise<void> {
  const { context, ...policy } = defaultPolicy(TENANT);
  await declare({ ...policy, context: { ...context, relatedEntitiesLimit: 0 } });
  const lines = (await readFile(MEMORIES, 'utf8')).trim().split('\n');
  const memories = lines.map((line) => {
    const { layer, content, at } = JSON.parse(line) as Line;
    return { layer, content, at, identifiers: IDENTIFIERS };
  });
  await varve.memory.bulkAdd({ tenant: TENANT, memories });
  await varve.refresh({ tenant: TENANT });
}

/** Returns the layer whose text is deeper than all others; null if there is none. */
export async function deepestLayer(varve: Varve, query: string): Promise<Layer | null> {
  const { receipt } = await varve.context.assemble({
    ...{ tenant: TENANT, identifiers: IDENTIFIERS, query },
    ...{ layerSummaries: true, maxTokens: TOKENS_MAX },
  });
  const lines = receipt.filter(({ kind, depth }) => kind === 'layerSummary' && depth !== null);
  const [first, second] = lines.toSorted((a, b) => placeOf(b) - placeOf(a));
  if (first === undefined) return null;
  const isAlone = second === undefined || placeOf(second) < placeOf(first);
  return isAlone ? first.layer : null;
}

function placeOf({ depth }: ReceiptLine): number {
  return depth === null ? -1 : DEPTHS.indexOf(depth);
}

const QUERIES = new URL('../test/relevance/queries.jsonl', import.meta.url);

interface LabeledQuery {
  readonly id: string;
  readonly layer: Layer;
  readonly query: string;
  readonly split: 'develop' | 'report';
}

/**
 * 200 questions about the example tenant, each with the layer that answers it. They use other words
 * than the memories where people would, in full sentences and as a few keywords. Half are for
 * development; results are reported on the other half, which influenced no rule.
 */
export async function labeledQueries(): Promise<readonly LabeledQuery[]> {
  const lines = (await readFile(QUERIES, 'utf8')).trim().split('\n');
  return lines.map((line) => {
    const { id, layer, query } = JSON.parse(line) as Record<'id' | 'layer' | 'query', string>;
    return { id, layer: Layer.parse(layer), query, split: splitOf(query) };
  });
}

/** Splits by a hash, so that nobody chooses which question is in which half. */
function splitOf(query: string): LabeledQuery['split'] {
  const [first = 0] = createHash('sha256').update(query).digest();
  return first % 2 === 0 ? 'develop' : 'report';
}
