/** Embeddings by a model on this machine, in ONNX Runtime: no account, and no text leaves it. */
import { VarveError } from '#core/errors.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import type { Log } from '#core/ports/platform.ts';
import { EmbeddingThread } from './embedding-thread.ts';
import type { LocalModel } from './read-model-folder.ts';

/** Texts of one call, after which a caller can report progress. */
const TEXTS_MAX = 32;

export interface OnnxEmbedder extends Embedder, AsyncDisposable {}

/** Creates the embedder. The model loads at the first text; disposing frees it. */
export function createOnnxEmbedder(model: LocalModel, { log }: { log: Log }): OnnxEmbedder {
  const thread = new EmbeddingThread(model, log);
  return {
    generation: model.generation,
    dimensions: model.dimensions,
    quality: 'semantic',
    textsMax: TEXTS_MAX,
    microDollarsPerMillionTokens: null,
    async embed(texts, { purpose, signal }) {
      const vectors: number[][] = [];
      // One at a time: a query then waits for one text of each call under way, not for all.
      for (const text of texts) {
        if (signal?.aborted === true) throw new VarveError('CANCELLED', 'Embedding was cancelled.');
        vectors.push(numbersOf(await thread.ask({ prefix: model.prefixes[purpose], text }), model));
      }
      return vectors;
    },
    [Symbol.asyncDispose]: () => thread.close(),
  };
}

function numbersOf(vector: Float32Array, { name, dimensions }: LocalModel): number[] {
  if (vector.length !== dimensions) {
    const message =
      `The embedding model ${name} gives ${String(vector.length)} numbers, and its config.json ` +
      `says ${String(dimensions)}. Choose another model.`;
    throw new VarveError('MODEL_OUTPUT_INVALID', message);
  }
  if (!vector.every(Number.isFinite)) {
    const message = `The embedding model ${name} gave a vector of zeros or of no numbers.`;
    throw new VarveError('MODEL_OUTPUT_INVALID', message);
  }
  return [...vector];
}
