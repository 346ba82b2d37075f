/**
 * Which layer's summary is deepened for a question: 200 labelled questions over the example tenant
 * (test/relevance/), with the hashed embedder and, where it can be had, with a real model.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { STORE_FILE } from '#cli/compose.ts';
import { openVarve } from '#cli/open-varve.ts';
import type { EmbeddingSettings } from '#cli/settings.ts';
import { LAYERS } from '#core/layer.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { acquireExclusiveLock } from '#providers/node/exclusive-lock.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { nodePlatform } from '#providers/temporal/platform.ts';

import { missingForEmbeddingServer } from './embedding-server-install.ts';
import { startEmbeddingServer } from './embedding-server.ts';
import { labelledQueries, type LabelledQuery } from './relevance-queries.ts';
import { deepestLayer, fillExampleTenant } from './relevance-tenant.ts';

const OWNER = { cluster: 'bench', namespace: 'bench', name: 'acme', uid: 'acme' };

/** Prints, by half and layer, for how many questions the right layer alone is deepest. */
export async function run(args: readonly string[]): Promise<void> {
  const queries = await labelledQueries();
  await report('hashed vectors', queries, null);
  if (args.includes('--offline')) return;
  const platform = nodePlatform({ env: process.env, acquireLock: acquireExclusiveLock });
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
  queries: readonly LabelledQuery[],
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
  readonly query: LabelledQuery;
  readonly isRight: boolean;
}

async function answersTo(
  queries: readonly LabelledQuery[],
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
