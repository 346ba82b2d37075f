/**
 * The embedders of an installation: the configured one, and those that still serve old vectors. A
 * ModelProvider that declares one takes precedence over the settings of the process.
 */
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';

import { VarveError } from '#core/errors.ts';
import type { Embedder, Embedders } from '#core/ports/embedder.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { LocalModel } from '#providers/onnx/read-model-folder.ts';
import { cacheFolder } from '#providers/temporal/server-cache.ts';
import type { Report } from '#providers/temporal/server-progress.ts';

import { declaringProvider, type ProviderCache } from './model-providers/provider-cache.ts';
import type {
  EmbeddingSettings,
  LocalModelSettings,
  PartsSettings,
} from './store-and-model-settings.ts';

const MICRO_DOLLARS = 1_000_000;
/** Another process may be downloading the same model. */
const DOWNLOAD_WAIT_MS = 1_800_000;
/** `model` or `organization/model`, as Hugging Face names them. */
const MODEL_NAME = /^[A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9][\w.-]*)?$/u;

/** The embedders of the settings. */
interface LoadedEmbedders extends AsyncDisposable {
  readonly configured: Embedder;
  /** Returns null if the settings have no embedder of this generation. */
  ofGeneration(generation: string): Embedder | null;
}

interface EmbedderPorts {
  readonly platform: Platform;
  /** Shows a download; if absent, a progress bar on a terminal. */
  readonly report?: Report | undefined;
}

/**
 * Loads the embedders. The built-in embedder and an endpoint stay next to a local model, and
 * the built-in one next to an endpoint, so that what they embedded is found until `varve embeddings
 * migrate` has changed it.
 */
export async function loadEmbedders(
  { embedding, local }: Pick<PartsSettings, 'embedding' | 'local'>,
  ports: EmbedderPorts,
): Promise<LoadedEmbedders> {
  const { createLexicalEmbedder } = await import('#providers/lexical/embedder.ts');
  await using held = new AsyncDisposableStack();
  const lexical = createLexicalEmbedder();
  const all: Embedder[] = [lexical];
  if (embedding !== undefined) all.push(await endpoint(embedding, ports.platform));
  if (local !== undefined) {
    const model = await openLocalModel(local, ports);
    const { createOnnxEmbedder } = await import('#providers/onnx/embedder.ts');
    all.push(held.use(createOnnxEmbedder(model, ports.platform)));
  }
  const byGeneration = new Map(all.map((each) => [each.generation, each]));
  const open = held.move();
  return {
    configured: all.at(-1) ?? lexical,
    ofGeneration: (generation) => byGeneration.get(generation) ?? null,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/**
 * Returns the embedder of the ModelProvider that declares one, and else those of the settings,
 * which still serve their own generations.
 */
export function withDeclared(
  own: Pick<LoadedEmbedders, 'configured' | 'ofGeneration'>,
  providers: ProviderCache,
): Embedders {
  return {
    configured: async () => declaringProvider(await providers.all())?.embedder ?? own.configured,
    ofGeneration: async (generation) => {
      const mine = own.ofGeneration(generation);
      // Another process may have begun with a model that was declared a moment ago.
      const known = await providers.all(
        (kept) => mine === null && declaringProvider(kept)?.embedder?.generation !== generation,
      );
      const declared = declaringProvider(known)?.embedder ?? null;
      return declared?.generation === generation ? declared : mine;
    },
  };
}

async function endpoint(
  settings: EmbeddingSettings,
  { digest, clock, tracing }: Platform,
): Promise<Embedder> {
  const { createOpenAiEmbedder } = await import('#providers/openai/embedder.ts');
  const { url, model, dimensions, textsMax, dollarsPerMillionTokens: price } = settings;
  const { timeoutMs, searchWaitMs } = settings;
  return createOpenAiEmbedder({
    baseUrl: url,
    apiKey: settings.apiKey ?? null,
    model,
    dimensions,
    dimensionsSent: settings.dimensionsSent ?? false,
    queryPrefix: settings.queryPrefix ?? '',
    passagePrefix: settings.passagePrefix ?? '',
    ...(textsMax === undefined ? {} : { textsMax }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(searchWaitMs === undefined ? {} : { searchWaitMs }),
    microDollarsPerMillionTokens: price === undefined ? null : Math.ceil(price * MICRO_DOLLARS),
    digest,
    clock,
    tracing,
  });
}

/** Returns the folder of a model's files, or where they will be after the download. */
export function localModelFolder({ model, cacheDir }: LocalModelSettings): string {
  if (isModelFolder(model)) return path.resolve(model);
  const cache = cacheDir ?? cacheFolder({ env: {}, os: process.platform, homeFolder: homedir() });
  return path.join(cache, 'models', model.replace('/', '--'));
}

/** Whether nothing has to be downloaded. */
export async function isLocalModelThere(local: LocalModelSettings): Promise<boolean> {
  const { modelIn } = await import('#providers/onnx/model-files.ts');
  return (await modelIn(localModelFolder(local))) !== null;
}

/** Downloads the model if it was named and is missing. */
async function openLocalModel(
  local: LocalModelSettings,
  ports: EmbedderPorts,
): Promise<LocalModel> {
  requirePackages();
  const { readLocalModel } = await import('#providers/onnx/read-model-folder.ts');
  const folder = localModelFolder(local);
  const { model: name, queryPrefix, passagePrefix } = local;
  if (!isModelFolder(name)) await obtain(local, folder, ports);
  return readLocalModel({ name, folder, queryPrefix, passagePrefix });
}

/** Checks the packages before anything is downloaded. @throws the error for a missing package */
function requirePackages(): void {
  const { resolve } = createRequire(import.meta.url);
  for (const name of ['@huggingface/tokenizers', 'onnxruntime-node']) resolve(name);
}

async function obtain(
  local: LocalModelSettings,
  folder: string,
  { platform: { log }, report: given }: EmbedderPorts,
): Promise<void> {
  const { model: name, url } = local;
  if (!MODEL_NAME.test(name)) {
    const message =
      `VARVE_LOCAL_MODEL takes organization/model, or a folder that begins with / or ., ` +
      `not "${name}".`;
    throw new VarveError('INVALID_INPUT', message);
  }
  if (await isLocalModelThere(local)) return;
  const [{ downloadModel }, { acquireExclusiveLock }] = await Promise.all([
    import('#providers/onnx/model-download.ts'),
    import('#providers/node/exclusive-lock.ts'),
  ]);
  const report = given ?? (await ownReport());
  const onWait = () => {
    report.line(`another process downloads ${name}; waiting for it`);
  };
  await using _lock = await acquireExclusiveLock(`${folder}.lock`, {
    waitMs: DOWNLOAD_WAIT_MS,
    onWait,
  });
  if (await isLocalModelThere(local)) return;
  log.info({ model: name }, 'downloading the embedding model');
  report.line(`downloading the embedding model ${name}, once, to ${folder}`);
  await downloadModel({ name, url, folder, report });
  report.finish();
}

/** Shows progress on a terminal; prints nothing if another program reads the output. */
async function ownReport(): Promise<Report> {
  const { createProgress } = await import('./progress-bar.ts');
  return createProgress({ stream: process.stderr, quiet: !process.stderr.isTTY });
}

export function isModelFolder(model: string): boolean {
  return model.startsWith('.') || path.isAbsolute(model);
}
