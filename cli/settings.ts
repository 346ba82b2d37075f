/** Where memories are kept and what embeds them, as the environment or a caller says it. */

export interface MongoSettings {
  /** Address with credentials, where there are any. Never printed. */
  readonly uri: string;
  readonly database: string;
}

export interface EmbeddingSettings {
  /** Base URL of an endpoint that speaks OpenAI's `/embeddings`. */
  readonly url: string;
  readonly model: string;
  readonly dimensions: number;
  /** Whether to ask the endpoint for that many; it then has to know the field. */
  readonly dimensionsSent?: boolean;
  /** Never printed. */
  readonly apiKey?: string | undefined;
  readonly queryPrefix?: string;
  readonly passagePrefix?: string;
  /** Texts of one call at most. */
  readonly textsMax?: number | undefined;
  /** List price for a million tokens in US dollars; absent where calls cost nothing. */
  readonly dollarsPerMillionTokens?: number | undefined;
}

export interface PartsSettings {
  /** Absent for the SQLite file in the data folder. */
  readonly mongodb?: MongoSettings | undefined;
  /** Absent for the hashed lexical embedder, which needs no model. */
  readonly embedding?: EmbeddingSettings | undefined;
  /** Whether `/metrics` may be read without the token; false where absent. */
  readonly metricsOpen?: boolean;
}
