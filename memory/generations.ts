/** Which generations a tenant's memories are embedded and compared with (EmbeddingRecords). */
import { VarveError } from '#core/errors.ts';
import type { Embedder, Embedders } from '#core/ports/embedder.ts';
import { firstState } from '#core/embedding/reembed.ts';
import type { EmbeddingState } from '#core/records/embedding-state.ts';
import type { Call } from './operation.ts';
import type { EnginePorts } from './ports.ts';

/** Others who write the same state at once; each of them ends with one. */
const TRIES_MAX = 8;

export interface Generation {
  readonly name: string;
  /** Null where no configured embedder makes its vectors. */
  readonly embedder: Embedder | null;
}

export interface Generations {
  readonly active: Generation;
  /** The generation of a change of model under way. */
  readonly target: Generation | null;
}

/** What is compared: the configured generation before the first memory. */
export async function generationsToSearch(ports: EnginePorts, call: Call): Promise<Generations> {
  const { store, embedders } = ports;
  const state = await call.retried(() => store.embeddings.state(call.tenant));
  return served(embedders, state);
}

/** What is written: the tenant's first write says which generation its memories have. */
export async function generationsToWrite(ports: EnginePorts, call: Call): Promise<Generations> {
  const { store, embedders } = ports;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const state = await call.retried(() => store.embeddings.state(call.tenant));
    if (state !== null) return served(embedders, state);
    const first = await stateOfFirstWrite(ports, call);
    if (await call.retried(() => store.embeddings.putState(first))) return served(embedders, first);
  }
  throw new VarveError('CONFLICT', 'The embedding state changes all the time; try again.');
}

/** Memories older than the state keep the generation they have; a model may be configured since. */
async function stateOfFirstWrite(
  { store, embedders, platform }: EnginePorts,
  call: Call,
): Promise<EmbeddingState> {
  const { tenant } = call;
  const now = platform.clock();
  const { generation } = embedders.configured;
  const query = { generation, after: null, limit: 1, now };
  const [older] = await call.retried(() => store.embeddings.missing(tenant, query));
  const memory =
    older === undefined ? null : await call.retried(() => store.memories.get(tenant, older.id));
  return firstState(tenant, memory?.embeddingGeneration ?? generation, now);
}

function served(embedders: Embedders, state: EmbeddingState | null): Generations {
  const generation = (name: string): Generation => ({
    name,
    embedder: embedders.ofGeneration(name),
  });
  if (state === null) return { active: generation(embedders.configured.generation), target: null };
  const { active, target } = state;
  return { active: generation(active), target: target === null ? null : generation(target) };
}
