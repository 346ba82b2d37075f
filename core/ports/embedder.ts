/** The embedding port: turns texts into vectors of one generation. */

export interface EmbedCall {
  /** Some models embed a query differently from a stored passage. */
  readonly purpose: 'query' | 'passage';
  readonly signal?: AbortSignal;
  /** Called with the tokens that the provider counted, if it reports them. */
  readonly onUsage?: (tokens: number) => void;
}

export interface Embedder {
  /** Names model, dimensions and method. Vectors of different generations are never compared. */
  readonly generation: string;
  readonly dimensions: number;
  /** What search can match: words in common only, or meaning. */
  readonly quality: 'keyword' | 'semantic';
  /** The most texts of one call of `embed`. */
  readonly textsMax: number;
  /** Milliseconds that a search waits for vectors before it uses words alone; absent: no limit. */
  readonly searchWaitMs?: number;
  /** List price in micro-dollars for a million tokens; null where calls cost nothing. */
  readonly microDollarsPerMillionTokens: number | null;
  /**
   * Returns vectors of length 1, in the order of the texts. Never retries.
   * @throws VarveError RATE_LIMITED with `retryAfterMs`, PROVIDER_ERROR, PROVIDER_REJECTED,
   * TIMEOUT, MODEL_OUTPUT_INVALID for vectors that are zero, not finite, or of another length
   */
  embed(texts: readonly string[], call: EmbedCall): Promise<readonly number[][]>;
}

/**
 * The embedders of an installation: the one for new tenants, and all that are still served. Both
 * may change while a process runs, since a ModelProvider can declare one.
 */
export interface Embedders {
  /** @throws VarveError errors of the store */
  configured(): Promise<Embedder>;
  /**
   * Returns null if no configured embedder makes vectors of this generation.
   * @throws VarveError errors of the store
   */
  ofGeneration(generation: string): Promise<Embedder | null>;
}
