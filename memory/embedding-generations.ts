/** Chooses the generations to embed and compare a tenant's memories in (EmbeddingRecords). */
import { VarveError } from '#core/errors.ts';
import type { Embedder, Embedders } from '#core/ports/embedder.ts';
import { firstEmbeddingState } from '#core/embedding/reembed-transitions.ts';
import type { EmbeddingState } from '#core/records/embedding-state.ts';
import type { Call } from './measured-call.ts';
import type { ProviderPorts } from './provider-ports.ts';

/** Maximum tries against concurrent writers of the same state; one of them wins each time. */
const TRIES_MAX = 8;

export interface Generation {
  readonly name: string;
  /** Null if no configured embedder makes vectors of this generation. */
  readonly embedder: Embedder | null;
}

export interface Generations {
  readonly active: Generation;
  /** The target generation of a model change in progress. */
  readonly target: Generation | null;
}

/** A state and when it was read, which bounds how long it may be acted on. */
export interface StateRead {
  readonly state: EmbeddingState | null;
  readonly readAt: number;
}

export async function readState({ store, timers }: ProviderPorts, call: Call): Promise<StateRead> {
  const readAt = timers.timer();
  return { readAt, state: await call.retried(() => store.embeddings.state(call.tenant)) };
}

/** Returns the generations to compare; the configured one before the first memory. */
export async function generationsToSearch(ports: ProviderPorts, call: Call): Promise<Generations> {
  const { state } = await readState(ports, call);
  return served(ports.embedders, call, state);
}

/** Returns the generations to write; a tenant's first write fixes its generation. */
export async function generationsToWrite(
  ports: ProviderPorts,
  call: Call,
  read: EmbeddingState | null,
): Promise<Generations> {
  const { store, embedders } = ports;
  let state = read;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    if (state !== null) return served(embedders, call, state);
    const first = await unwrittenState(ports, call);
    if (await call.retried(() => store.embeddings.putState(first))) {
      return served(embedders, call, first);
    }
    ({ state } = await readState(ports, call));
  }
  throw stateKeepsChanging();
}

export function stateKeepsChanging(): VarveError {
  const message = 'Other calls keep changing the embedding state of the tenant. Try again.';
  return new VarveError('CONFLICT', message);
}

/**
 * Returns the state of a tenant that has none. Memories older than the state keep their generation,
 * even if another model is now configured.
 */
export async function unwrittenState(
  { store, embedders, platform }: Pick<ProviderPorts, 'store' | 'embedders' | 'platform'>,
  { tenant, retried }: Pick<Call, 'tenant' | 'retried'>,
): Promise<EmbeddingState> {
  const now = platform.clock();
  const { generation } = await retried(() => embedders.configured());
  const query = { generation, after: null, limit: 1, now };
  const [older] = await retried(() => store.embeddings.missing(tenant, query));
  const memory =
    older === undefined ? null : await retried(() => store.memories.get(tenant, older.id));
  return firstEmbeddingState(tenant, memory?.embeddingGeneration ?? generation, now);
}

async function served(
  embedders: Embedders,
  { retried }: Pick<Call, 'retried'>,
  state: EmbeddingState | null,
): Promise<Generations> {
  if (state === null) {
    const embedder = await retried(() => embedders.configured());
    return { active: { name: embedder.generation, embedder }, target: null };
  }
  const generation = async (name: string): Promise<Generation> => ({
    name,
    embedder: await retried(() => embedders.ofGeneration(name)),
  });
  const { active, target } = state;
  return {
    active: await generation(active),
    target: target === null ? null : await generation(target),
  };
}
