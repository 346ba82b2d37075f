/** The embedding port: texts to vectors of one generation. */

export interface EmbedCall {
  /** Some models embed what is asked for otherwise than what is kept. */
  readonly purpose: 'query' | 'passage';
  readonly signal?: AbortSignal;
  /** Called with the tokens that the provider counted, if it reports them. */
  readonly onUsage?: (tokens: number) => void;
}

export interface Embedder {
  /** Names model, dimensions and method; vectors of different generations are never compared. */
  readonly generation: string;
  readonly dimensions: number;
  /** What search can hope for: words in common only, or meaning. */
  readonly quality: 'keyword' | 'semantic';
  /** Texts of one call of `embed` at most. */
  readonly textsMax: number;
  /** Milliseconds that a search waits for it before words answer; absent: as long as it takes. */
  readonly searchWaitMs?: number;
  /** List price in micro-dollars for a million tokens; null where calls cost nothing. */
  readonly microDollarsPerMillionTokens: number | null;
  /**
   * Vectors of length 1, in the order of the texts. Never retried inside.
   * @throws VarveError RATE_LIMITED with `retryAfterMs`, PROVIDER_ERROR, PROVIDER_REJECTED,
   * TIMEOUT, MODEL_OUTPUT_INVALID for vectors that are zero, not finite, or of another length
   */
  embed(texts: readonly string[], call: EmbedCall): Promise<readonly number[][]>;
}

/** The embedders of an installation: one that new tenants begin with, and those still served. */
export interface Embedders {
  readonly configured: Embedder;
  /** Null where nothing is configured that makes vectors of this generation. */
  ofGeneration(generation: string): Embedder | null;
}
