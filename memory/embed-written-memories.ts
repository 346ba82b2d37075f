/** Embeds a text that is being written in every generation of its tenant's memories. */
import { VarveError } from '#core/errors.ts';
import type { ErrorCode } from '#core/error-codes.ts';
import type { Memory } from '#core/records/memory.ts';
import {
  type Generations,
  generationsToWrite,
  readState,
  type StateRead,
  stateKeepsChanging,
} from './embedding-generations.ts';
import type { Call } from './measured-call.ts';
import type { ProviderPorts } from './provider-ports.ts';
import type { EmbeddedText, TextToEmbed, Vectors } from './embedding-batches.ts';
import { STATE_AGE_MS_MAX } from '#core/embedding/reembed-transitions.ts';
import type { ProviderParts } from './provider-parts.ts';

/** Errors that end a write. After any other, the memory is written without a vector for now. */
const ENDS_A_WRITE: ReadonlySet<ErrorCode> = new Set(['CANCELLED', 'CONTENT_TOO_LONG', 'CORRUPT']);

export type Passage =
  | {
      readonly ok: true;
      /** The memory's own vector, of the active generation. */
      readonly own: Pick<Memory, 'embeddingGeneration' | 'vector'>;
      /** The vector in the generation of a model change in progress; null if there is none. */
      readonly beside: { readonly generation: string; readonly vector: readonly number[] } | null;
      readonly embeddingGenerated: boolean;
      /** Why the memory has no vector of its own; null if it has one. */
      readonly failure: VarveError | null;
    }
  | { readonly ok: false; readonly error: VarveError };

/** Returns one outcome per text, in all generations. @throws VarveError CANCELLED */
async function embedPassages(
  vectors: Vectors,
  call: Call,
  { generations, texts }: { generations: Generations; texts: readonly TextToEmbed[] },
): Promise<readonly Passage[]> {
  const { active, target } = generations;
  const [own, beside] = await Promise.all([
    active.embedder === null ? null : vectors.passages(call, active.embedder, texts),
    target?.embedder == null ? null : vectors.passages(call, target.embedder, texts),
  ]);
  return texts.map((_, index) =>
    passageOf(generations, own?.[index] ?? unserved(active.name), beside?.[index] ?? null),
  );
}

function passageOf(
  { active, target }: Generations,
  own: EmbeddedText,
  beside: EmbeddedText | null,
): Passage {
  const failed = [own, beside].find((each) => each?.ok === false && ends(each.error));
  if (failed?.ok === false) return failed;
  const second =
    target !== null && beside?.ok === true
      ? { generation: target.name, vector: beside.vector }
      : null;
  return {
    ok: true,
    own: own.ok
      ? { embeddingGeneration: active.name, vector: [...own.vector] }
      : { embeddingGeneration: null, vector: null },
    beside: second,
    embeddingGenerated: own.ok || second !== null,
    failure: own.ok ? null : own.error,
  };
}

function ends({ code }: VarveError): boolean {
  return ENDS_A_WRITE.has(code);
}

function unserved(generation: string): EmbeddedText {
  const message =
    'No configured embedder makes vectors of the generation that these memories have. Configure ' +
    'it again, or change to another with varve embeddings migrate.';
  return {
    ok: false,
    error: new VarveError('PROVIDER_REJECTED', message, { details: { generation } }),
  };
}

/**
 * Keeps the second vectors of written memories. A failure does not fail the write: search finds
 * the memory by its own vector, and the model change adds what is missing.
 */
export async function storeSecondVectors(
  { store, platform }: ProviderPorts,
  call: Call,
  written: readonly { memory: Memory; passage: Passage }[],
): Promise<void> {
  const byGeneration = new Map<string, { id: string; contentHash: string; vector: number[] }[]>();
  for (const { memory, passage } of written) {
    if (!passage.ok || passage.beside === null) continue;
    const { generation, vector } = passage.beside;
    const { id, contentHash } = memory;
    const vectors = byGeneration.get(generation) ?? [];
    vectors.push({ id, contentHash, vector: [...vector] });
    byGeneration.set(generation, vectors);
  }
  for (const [generation, vectors] of byGeneration) {
    const write = { generation, vectors, own: false };
    try {
      await call.retried(() => store.embeddings.putVectors(call.tenant, write));
    } catch (error) {
      if (!(error instanceof VarveError)) throw error;
      const { code } = error;
      platform.log.warn({ tenant: call.tenant, code, generation }, 'second vectors not stored');
    }
  }
}

/** Maximum tries, each after a model change, which takes at least a minute. */
const TRIES_MAX = 4;

/**
 * Embeds texts. If a model change starts or ends meanwhile, embeds those that are now missing: many
 * embedder calls take longer than such a change waits for earlier writers. Texts that are already
 * embedded come from the cache.
 * @throws VarveError CANCELLED, CONFLICT if the generations keep changing
 */
export async function currentPassages(
  { ports, vectors }: Pick<ProviderParts, 'ports' | 'vectors'>,
  call: Call,
  texts: readonly TextToEmbed[],
  begun?: StateRead,
): Promise<readonly Passage[]> {
  let { state, readAt } = begun ?? (await readState(ports, call));
  let generations = await generationsToWrite(ports, call, state);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const passages = await embedPassages(vectors, call, { generations, texts });
    if (ports.timers.timer() - readAt <= STATE_AGE_MS_MAX) return passages;
    ({ state, readAt } = await readState(ports, call));
    const now = await generationsToWrite(ports, call, state);
    if (isSame(generations, now)) return passages;
    generations = now;
  }
  throw stateKeepsChanging();
}

function isSame(before: Generations, now: Generations): boolean {
  return before.active.name === now.active.name && before.target?.name === now.target?.name;
}
