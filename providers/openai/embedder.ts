/**
 * Embeddings by any endpoint with OpenAI's `/embeddings`: OpenAI, Azure, vLLM, Ollama, text
 * embeddings inference and others. Nothing is retried here; only the caller retries.
 */
import { z } from 'zod';
import type { Digest } from '#core/hash.ts';
import type { Clock } from '#core/ports/platform.ts';
import type { EmbedCall, Embedder } from '#core/ports/embedder.ts';
import type { Tracing } from '#core/ports/tracing.ts';
import { VarveError } from '#core/errors.ts';
import { clientOf, type Endpoint } from './client.ts';
import { embeddingFailure, isTimeout } from './failure.ts';
import { modelSpan } from './model-span.ts';

/** OpenAI takes 2,048, others far fewer; this size is efficient enough for both. */
export const TEXTS_MAX = 64;
export const TIMEOUT_MS = 30_000;
/** A search by words now is worth more than one by meaning later. */
export const SEARCH_WAIT_MS = 1_000;
/** Digits of the hash of prefixes in the name of a generation. */
const MARK_DIGITS = 8;

export interface OpenAiEmbedderOptions extends Endpoint {
  readonly model: string;
  /** Dimensions of a vector: checked, and part of the generation's name. */
  readonly dimensions: number;
  /** Whether to request this number: for models with several vector lengths. */
  readonly dimensionsSent: boolean;
  /** Prefixes that some models need, such as `query: ` and `passage: ` of the e5 family. */
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  readonly textsMax?: number;
  readonly timeoutMs?: number;
  readonly searchWaitMs?: number;
  /** Null if calls cost nothing. */
  readonly microDollarsPerMillionTokens: number | null;
  /** Where people set the number of dimensions, for errors; its variable if absent. */
  readonly dimensionsSetting?: string;
  readonly digest: Digest;
  readonly clock: Clock;
  readonly tracing: Tracing;
}

export function createOpenAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const { model, dimensions, dimensionsSent, clock } = options;
  const { dimensionsSetting = 'VARVE_EMBEDDING_DIMENSIONS' } = options;
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const client = clientOf(options, timeoutMs);
  const ask = async (texts: readonly string[], { purpose, signal, onUsage }: EmbedCall) => {
    const prefix = purpose === 'query' ? options.queryPrefix : options.passagePrefix;
    // The client's timeout ends with the headers, but a body may be slow too.
    const timeout = AbortSignal.timeout(timeoutMs);
    const signals = signal === undefined ? [timeout] : [timeout, signal];
    try {
      const answer: unknown = await client.embeddings.create(
        {
          model,
          input: texts.map((text) => `${prefix}${text}`),
          encoding_format: 'float',
          ...(dimensionsSent ? { dimensions } : {}),
        },
        { signal: AbortSignal.any(signals) },
      );
      const { data, usage } = readAnswer(answer);
      if (usage !== undefined) onUsage?.(usage.total_tokens);
      return inOrder(data, { texts: texts.length, dimensions, dimensionsSetting });
    } catch (error) {
      if (signal?.aborted === true) throw cancelled(error);
      if (timeout.aborted || isTimeout(error)) throw timedOut(timeoutMs);
      throw embeddingFailure(error, clock());
    }
  };
  return {
    generation: generationOf(options),
    dimensions,
    quality: 'semantic',
    textsMax: options.textsMax ?? TEXTS_MAX,
    searchWaitMs: options.searchWaitMs ?? SEARCH_WAIT_MS,
    microDollarsPerMillionTokens: options.microDollarsPerMillionTokens,
    embed: async (texts, call) => {
      if (texts.length === 0) return [];
      return options.tracing.inSpan(modelSpan('embeddings', options), (span) =>
        ask(texts, {
          ...call,
          onUsage: (tokens) => {
            span.note({ 'gen_ai.usage.input_tokens': tokens });
            call.onUsage?.(tokens);
          },
        }),
      );
    },
  };
}

/** Names the generation by everything that changes a vector: model, dimensions, prefixes. */
function generationOf(options: OpenAiEmbedderOptions): string {
  const { model, dimensions, queryPrefix, passagePrefix, digest } = options;
  const name = `${model}-${String(dimensions)}`;
  if (queryPrefix === '' && passagePrefix === '') return name;
  const mark = digest(JSON.stringify([queryPrefix, passagePrefix])).slice(0, MARK_DIGITS);
  return `${name}-${mark}`;
}

const Answer = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()) })),
  usage: z.object({ total_tokens: z.int().min(0) }).optional(),
});
type Answer = z.infer<typeof Answer>;

/** @throws VarveError MODEL_OUTPUT_INVALID */
function readAnswer(answer: unknown): Answer {
  const parsed = Answer.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw invalid('The embedding endpoint gave an unreadable answer. Check its address.');
}

interface Expected {
  readonly dimensions: number;
  readonly dimensionsSetting: string;
}

/** Returns vectors of length 1 in the order of the texts, whatever order they came in. */
function inOrder(
  data: Answer['data'],
  { texts, ...expected }: { texts: number } & Expected,
): number[][] {
  const vectors = data.toSorted((a, b) => a.index - b.index);
  if (vectors.length !== texts || vectors.some(({ index }, at) => index !== at)) {
    throw invalid('The embedding endpoint answered for other texts than it was asked for.');
  }
  return vectors.map(({ embedding }) => unit(embedding, expected));
}

function unit(vector: readonly number[], { dimensions, dimensionsSetting }: Expected): number[] {
  if (vector.length !== dimensions) {
    throw invalid(
      `The embedding model gives ${String(vector.length)} dimensions, and ${String(dimensions)} ` +
        `are configured. Set ${dimensionsSetting} to what the model gives.`,
    );
  }
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length === 0) {
    throw invalid('The embedding model gave a vector of zeros or of values that are not finite.');
  }
  // Single precision, so that a store with 32 bits returns the same vector.
  return vector.map((value) => Math.fround(value / length));
}

function invalid(message: string): VarveError {
  return new VarveError('MODEL_OUTPUT_INVALID', message);
}

function cancelled(cause: unknown): VarveError {
  return new VarveError('CANCELLED', 'The embedding was cancelled.', { cause });
}

function timedOut(timeoutMs: number): VarveError {
  return new VarveError('TIMEOUT', 'The embedding endpoint did not answer in time.', {
    details: { timeoutMs },
  });
}
