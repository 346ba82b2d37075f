/** The composition root: adapters for ports, built once per process and passed down. */
import path from 'node:path';
import type { Models, RefreshPorts } from '#activities/refresh-ports.ts';
import type { ApiPorts } from '#api/ports.ts';
import type { Log, Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { Waker } from '#core/ports/waker.ts';

export const STORE_FILE = 'varve.db';

export interface Parts extends RefreshPorts, AsyncDisposable {}

export interface PartsOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** Stands in for the extractive model of both classes; for tests of budgets and crashes. */
  readonly model?: (extractive: SummaryModel) => SummaryModel;
}

/** Opens the store and loads what every face of Varve needs. */
export async function openParts({ dataDir, log, model }: PartsOptions): Promise<Parts> {
  const [node, sqlite, tokenizers, lexical, extractive] = await Promise.all([
    import('#providers/node/platform.ts'),
    import('#providers/sqlite/store.ts'),
    import('#providers/tokenizers/token-counter.ts'),
    import('#providers/lexical/embedder.ts'),
    import('#providers/extractive/extractive-model.ts'),
  ]);
  const platform: Platform = node.createPlatform({ log });
  const tokens = await tokenizers.loadTokenCounter({ log });
  const store: Store = await sqlite.openSqliteStore({
    file: path.join(dataDir, STORE_FILE),
    platform,
  });
  const plain = extractive.createExtractiveModel(tokens);
  return {
    store,
    platform,
    tokens,
    embedder: lexical.createLexicalEmbedder(),
    models: modelsOf(plain, model?.(plain) ?? plain),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** The same parts as the API sees them. */
export function apiPortsOf(
  parts: RefreshPorts,
  waker: Waker,
  refreshHealth: ApiPorts['refreshHealth'],
): ApiPorts {
  return {
    ...parts,
    waker,
    refreshHealth,
    modelOf: (modelClass) => parts.models.ofClass(modelClass),
  };
}

/** Where no Temporal runs, a refresh is asked for by calling `refresh()`. */
export const NO_WAKER: Waker = { wake: () => Promise.resolve() };

function modelsOf(extractive: SummaryModel, model: SummaryModel): Models {
  const byName = new Map([extractive, model].map((each) => [each.name, each]));
  return { ofClass: () => model, byName: (name) => byName.get(name), extractive };
}
