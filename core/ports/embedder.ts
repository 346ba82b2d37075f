/** The embedding port: texts to vectors of one generation. */

export interface Embedder {
  /** Names model, dimensions and method; vectors of different generations are never compared. */
  readonly generation: string;
  readonly dimensions: number;
  /** What search can hope for: words in common only, or meaning. */
  readonly quality: 'keyword' | 'semantic';
  /** Vectors of length 1, in the order of the texts. */
  embed(texts: readonly string[], call: { signal?: AbortSignal }): Promise<readonly number[][]>;
}
