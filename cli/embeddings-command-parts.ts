/** What the commands on embeddings share: the store, the models, and the running stack. */
import { generationsOf } from '#core/embedding/reembed-transitions.ts';
import { VarveError } from '#core/errors.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { EmbeddingState } from '#core/records/embedding-state.ts';
import { TenantId } from '#core/scope.ts';
import type { TemporalClient } from '#providers/temporal/client.ts';
import { openParts, type Parts } from './composition-root.ts';
import type { Config } from './config.ts';
import type { EmbedderName } from './model-settings.ts';
import { declaringProvider } from './model-providers/provider-cache.ts';
import { readAddresses, stackPaths } from './installation-files.ts';

type Model = EmbedderName;

/** What the options say about the change. */
export interface ChangeOptions {
  readonly to?: Model;
  readonly tenant?: readonly string[];
}

/**
 * Opens the parts of an installation; other processes may have the store open too. Opens nothing if
 * an option is wrong.
 * @throws VarveError INVALID_INPUT
 */
export async function openInstallation(
  { dataDir, settings }: Config,
  { to, tenant = [] }: ChangeOptions = {},
): Promise<Parts> {
  const wrong = tenant.find((each) => !TenantId.safeParse(each).success);
  if (wrong !== undefined) {
    const message = `--tenant takes 1 to 63 characters of a-z, 0-9 and -, not "${wrong}".`;
    throw new VarveError('INVALID_INPUT', message);
  }
  if (to === 'local' && settings.local === undefined) {
    const message =
      'No local model is configured. Set VARVE_EMBEDDER=local, here and for varve start.';
    throw new VarveError('INVALID_INPUT', message);
  }
  if (to === 'endpoint' && (settings.embedding === undefined || settings.local !== undefined)) {
    const message =
      'No embedding endpoint is configured. Set VARVE_EMBEDDING_URL, VARVE_EMBEDDING_MODEL and ' +
      'VARVE_EMBEDDING_DIMENSIONS, and no VARVE_EMBEDDER=local, here and for varve start.';
    throw new VarveError('INVALID_INPUT', message);
  }
  return openParts({ dataDir, log: SILENT_LOG, settings, measured: false });
}

/**
 * Returns the model to change to: the named one, or the configured one.
 * @throws VarveError INVALID_INPUT if a ModelProvider declares another one than the named
 */
export async function modelToChangeTo(
  { embedders, modelProviders }: Pick<Parts, 'embedders' | 'modelProviders'>,
  to: Model | undefined,
): Promise<Embedder> {
  if (to === undefined) return embedders.configured();
  if (to !== 'lexical') {
    const declaring = declaringProvider(await modelProviders.all());
    if (declaring === null) return embedders.configured();
    const message =
      `ModelProvider ${declaring.record.name} declares the embedding model of the installation. ` +
      `Leave out --to to change to that model, or remove embedding from the ModelProvider first.`;
    throw new VarveError('INVALID_INPUT', message);
  }
  const { createLexicalEmbedder } = await import('#providers/lexical/embedder.ts');
  return createLexicalEmbedder();
}

/**
 * Connects to the stack that runs on the data folder.
 * @throws VarveError PROVIDER_ERROR if nothing runs, or no worker is there
 */
export async function connectRunning(config: Config): Promise<TemporalClient> {
  const running = await readAddresses(stackPaths(config.dataDir).addresses);
  const address = config.temporalAddress ?? running?.temporalAddress;
  if (address === undefined) {
    const message =
      'No varve runs on this data folder. Run varve start in another terminal, with the same ' +
      '--data-dir, --embedder and VARVE_EMBEDDING_ variables, and try again. Nothing was changed.';
    throw new VarveError('PROVIDER_ERROR', message);
  }
  const namespace = running?.temporalNamespace ?? config.temporalNamespace;
  const { connectTemporal } = await import('#providers/temporal/client.ts');
  await using held = new AsyncDisposableStack();
  const client = held.use(
    await connectTemporal({ address, namespace, security: config.temporalSecurity }),
  );
  const { ok, findings } = await client.health();
  if (!ok)
    throw new VarveError(
      'PROVIDER_ERROR',
      `No worker would run the re-embedding: ${findings.join('; ')}.`,
    );
  held.move();
  return client;
}

/** Limit of tenants; a longer list would be unreadable. */
const CHANGES_MAX = 1_000;

type Embeddings = Pick<Store, 'embeddings'>;

export async function changesOf(
  { embeddings }: Embeddings,
  generation?: string,
): Promise<readonly EmbeddingState[]> {
  const states = await embeddings.changing({ after: null, limit: CHANGES_MAX });
  if (generation === undefined) return states;
  return states.filter((state) => generationsOf(state).includes(generation));
}

/** Returns the generation of an order: the named one, or that of the change under way. */
export function orderedGeneration(states: readonly EmbeddingState[], named: string): string | null {
  const [first] = states;
  if (first === undefined) return null;
  if (states.some((state) => generationsOf(state).includes(named))) return named;
  return first.target ?? first.active;
}

interface MissingVectors {
  readonly memories: number;
  /** Tenants that are not cut over yet. */
  readonly tenants: number;
}

/** Counts what must still be embedded before the last cut-over. */
export async function countMissingVectors(
  { embeddings }: Embeddings,
  states: readonly EmbeddingState[],
  now: number,
): Promise<MissingVectors> {
  let memories = 0;
  let tenants = 0;
  for (const { tenant, target, phase } of states) {
    if (target === null || phase === 'Dropping') continue;
    const { missing } = await embeddings.progress(tenant, { generation: target, now });
    memories += missing;
    tenants += 1;
  }
  return { memories, tenants };
}
