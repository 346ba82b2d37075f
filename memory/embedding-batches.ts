/**
 * Embeds texts in one generation. Texts seen before come from the cache; concurrent requests for
 * equal texts share one call; the rest is batched up to the embedder's maximum. A text that can't
 * be embedded does not affect the others of its call.
 */
import { VarveError } from '#core/errors.ts';
import type { ErrorCode } from '#core/error-codes.ts';
import { contentHash as hashOf } from '#core/hash.ts';
import type { EmbedCall, Embedder } from '#core/ports/embedder.ts';
import { CONTENT_LENGTH_MAX } from '#core/records/memory.ts';
import { chunksOf } from '#core/text/cut-long-text.ts';
import { embedTexts } from './embedding-call.ts';
import { openCall, type Call } from './measured-call.ts';
import type { ProviderPorts } from './provider-ports.ts';
import { unlessCancelled } from './store-and-embedder-retries.ts';

// Vectors of this process's latest texts. Owner: the embeddings of one provider. Key: tenant,
// generation, purpose, content hash. Lifetime: until newer ones need the room. Never invalid, since
// equal keys always have equal vectors.

/** Maximum numbers kept in all: 8 MB, or some thousand vectors of common models. */
const NUMBERS_MAX = 1_000_000;

interface RecentVectors {
  get(key: string): readonly number[] | undefined;
  put(key: string, vector: readonly number[]): void;
}

function createRecentVectors(numbersMax = NUMBERS_MAX): RecentVectors {
  const kept = new Map<string, readonly number[]>();
  let numbers = 0;
  const remove = (key: string): void => {
    numbers -= kept.get(key)?.length ?? 0;
    kept.delete(key);
  };
  return {
    get(key) {
      const vector = kept.get(key);
      if (vector === undefined) return undefined;
      // A map keeps insertion order, so the most recently used entry is dropped last.
      kept.delete(key);
      kept.set(key, vector);
      return vector;
    },
    put(key, vector) {
      remove(key);
      kept.set(key, vector);
      numbers += vector.length;
      for (const oldest of kept.keys()) {
        if (numbers <= numbersMax) break;
        remove(oldest);
      }
    },
  };
}

/** Errors that concern one text and not the others of its call. */
export const OF_ONE_TEXT: ReadonlySet<ErrorCode> = new Set([
  'CONTENT_TOO_LONG',
  'MODEL_OUTPUT_INVALID',
]);

export interface TextToEmbed {
  readonly content: string;
  readonly contentHash: string;
  /** Absent if nobody counted them yet. */
  readonly tokenCount?: number;
}

export type EmbeddedText =
  | { readonly ok: true; readonly vector: readonly number[] }
  | { readonly ok: false; readonly error: VarveError };

export interface Vectors {
  /** One outcome per text, in the same order. @throws VarveError CANCELLED */
  passages(
    call: Call,
    embedder: Embedder,
    texts: readonly TextToEmbed[],
  ): Promise<readonly EmbeddedText[]>;
  /** @throws VarveError what the embedder throws, BUDGET_EXHAUSTED, CANCELLED */
  query(call: Call, embedder: Embedder, text: string): Promise<readonly number[]>;
}

/** A call continues until `end` even if a caller leaves, since others may wait for it. */
export function createVectors(ports: ProviderPorts, end: AbortSignal): Vectors {
  const recent = createRecentVectors();
  const underWay = new Map<string, Promise<EmbeddedText>>();
  const { metrics } = ports;

  const ask = async (call: Call, asked: Asked): Promise<readonly EmbeddedText[]> => {
    const { tenant } = call;
    const { purpose, embedder } = asked;
    const { generation } = embedder;
    const waiting = new Map<string, (outcome: EmbeddedText) => void>();
    const mine: TextToEmbed[] = [];
    const outcomes = asked.texts.map((text): Promise<EmbeddedText> => {
      const key = JSON.stringify([tenant, generation, purpose, text.contentHash]);
      const vector = recent.get(key);
      if (vector !== undefined) {
        metrics.count('memory_embedding_requests_total', { outcome: 'Cache' });
        return Promise.resolve({ ok: true, vector });
      }
      const shared = underWay.get(key);
      if (shared !== undefined) {
        metrics.count('memory_embedding_requests_total', { outcome: 'Shared' });
        return shared;
      }
      const { promise, resolve } = Promise.withResolvers<EmbeddedText>();
      underWay.set(key, promise);
      waiting.set(text.contentHash, (outcome) => {
        if (outcome.ok) recent.put(key, outcome.vector);
        underWay.delete(key);
        resolve(outcome);
      });
      mine.push(text);
      return promise;
    });
    if (mine.length > 0) {
      const own = openCall(ports, end, { operation: call.operation, tenant, by: call.by });
      settleAll(ports, own, { ...asked, texts: mine, waiting }).catch(() => undefined);
    }
    return unlessCancelled(Promise.all(outcomes), call.signal);
  };

  return {
    passages: (call, embedder, texts) => ask(call, { embedder, purpose: 'passage', texts }),
    async query(call, embedder, content) {
      const text = { content, contentHash: hashOf(ports.platform.digest, content) };
      const [outcome] = await ask(call, { embedder, purpose: 'query', texts: [text] });
      if (outcome?.ok === true) return outcome.vector;
      throw outcome?.error ?? unexpected(undefined);
    },
  };
}

interface Asked {
  readonly embedder: Embedder;
  readonly purpose: EmbedCall['purpose'];
  readonly texts: readonly TextToEmbed[];
  /** See `EmbeddingRequest`. */
  readonly batchId?: string;
}

type WaitingTexts = ReadonlyMap<string, (outcome: EmbeddedText) => void>;

/** Gives every text its outcome, whatever fails on the way. */
async function settleAll(
  ports: ProviderPorts,
  call: Call,
  { waiting, ...asked }: Asked & { waiting: WaitingTexts },
): Promise<void> {
  let left = asked.texts;
  const settle = (text: TextToEmbed, outcome: EmbeddedText): void => {
    waiting.get(text.contentHash)?.(outcome);
  };
  try {
    const cached = await cachedOf(ports, call, asked);
    for (const text of left) {
      const vector = cached.get(text.contentHash);
      if (vector !== undefined) settle(text, { ok: true, vector });
    }
    left = left.filter(({ contentHash }) => !cached.has(contentHash));
    count(ports, 'Cache', cached.size);
    count(ports, 'Call', left.length);
    const { textsMax } = asked.embedder;
    while (left.length > 0) {
      const texts = left.slice(0, textsMax);
      const outcomes = await embedParts(ports, call, { ...asked, texts });
      for (const [index, text] of texts.entries()) {
        settle(text, outcomes[index] ?? { ok: false, error: unexpected(undefined) });
      }
      left = left.slice(textsMax);
    }
  } catch (cause) {
    const error = cause instanceof VarveError ? cause : unexpected(cause);
    if (!(cause instanceof VarveError))
      ports.platform.log.error({ error: cause }, 'embedding failed');
    for (const text of left) settle(text, { ok: false, error });
  }
}

/**
 * Reads vectors of memories with equal content. Questions have none, and hashed vectors are faster
 * to make than to read.
 */
async function cachedOf(
  { store }: ProviderPorts,
  call: Call,
  { embedder: { generation, quality }, purpose, texts }: Asked,
): Promise<ReadonlyMap<string, readonly number[]>> {
  if (purpose === 'query' || quality === 'keyword') return new Map();
  const contentHashes = texts.map(({ contentHash }) => contentHash);
  const query = { generation, contentHashes };
  return call.retried(() => store.embeddings.cached(call.tenant, query));
}

/**
 * Embeds a long text in parts, up to the maximum per memory, and returns the mean of their vectors,
 * so that a query finds the text by any of its parts.
 */
export async function embedParts(
  ports: Pick<ProviderPorts, 'store' | 'platform'>,
  call: Call,
  asked: Asked,
): Promise<readonly EmbeddedText[]> {
  const parts = asked.texts.map(({ content, tokenCount, ...text }) =>
    chunksOf(content, { aim: CONTENT_LENGTH_MAX })
      .filter((part, _, all) => all.length === 1 || part.trim() !== '')
      .map((part) => {
        if (tokenCount === undefined) return { ...text, content: part };
        const share = part.length / content.length;
        return { ...text, content: part, tokenCount: Math.ceil(tokenCount * share) };
      }),
  );
  const outcomes: EmbeddedText[] = [];
  for (let left = parts.flat(); left.length > 0; left = left.slice(asked.embedder.textsMax)) {
    const texts = left.slice(0, asked.embedder.textsMax);
    outcomes.push(...(await embedApart(ports, call, { ...asked, texts })));
  }
  return parts.map(({ length }) => meanOf(outcomes.splice(0, length)));
}

function meanOf(parts: readonly EmbeddedText[]): EmbeddedText {
  const [first, ...others] = parts;
  const wrong = parts.find(({ ok }) => !ok);
  if (first === undefined) return { ok: false, error: unexpected(undefined) };
  if (wrong !== undefined || others.length === 0) return wrong ?? first;
  const vectors = parts.flatMap((part) => (part.ok ? [part.vector] : []));
  const sums = (vectors[0] ?? []).map((_, at) =>
    vectors.reduce((sum, vector) => sum + (vector[at] ?? 0), 0),
  );
  const length = Math.hypot(...sums);
  return { ok: true, vector: sums.map((sum) => (length === 0 ? 0 : Math.fround(sum / length))) };
}

/** Bisects a batch that fails because of one text until that text is alone. */
async function embedApart(
  ports: Parameters<typeof embedParts>[0],
  call: Call,
  asked: Asked,
): Promise<readonly EmbeddedText[]> {
  const { texts } = asked;
  try {
    const estimatedTokens = texts.reduce<number | undefined>(
      (sum, { tokenCount }) =>
        sum === undefined || tokenCount === undefined ? undefined : sum + tokenCount,
      0,
    );
    const request = { ...asked, texts: texts.map(({ content }) => content), estimatedTokens };
    const vectors = await embedTexts(ports, call, request);
    return vectors.map((vector) => ({ ok: true, vector }));
  } catch (error) {
    if (!(error instanceof VarveError && OF_ONE_TEXT.has(error.code))) throw error;
    if (texts.length === 1) return [{ ok: false, error }];
    const middle = Math.ceil(texts.length / 2);
    const first = await embedApart(ports, call, { ...asked, texts: texts.slice(0, middle) });
    const second = await embedApart(ports, call, { ...asked, texts: texts.slice(middle) });
    return [...first, ...second];
  }
}

function count({ metrics }: ProviderPorts, outcome: string, by: number): void {
  if (by > 0) metrics.count('memory_embedding_requests_total', { outcome }, by);
}

function unexpected(cause: unknown): VarveError {
  return new VarveError('CORRUPT', 'The embedder failed unexpectedly.', { cause });
}
