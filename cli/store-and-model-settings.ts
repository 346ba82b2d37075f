/** Settings of the store, the embedder and the models, from the environment or from a caller. */
import type { CallLimitSettings } from '#api/call-limits.ts';
import type { PolicyDefaults } from '#core/records/policy.ts';
import { z } from 'zod';

interface MongoSettings {
  /** Address, with any credentials. Never printed. */
  readonly uri: string;
  readonly database: string;
}

export interface EmbeddingSettings {
  /** Base URL of an endpoint that speaks OpenAI's `/embeddings`. */
  readonly url: string;
  readonly model: string;
  readonly dimensions: number;
  /** Whether to request that many from the endpoint, which then must support the field. */
  readonly dimensionsSent?: boolean;
  /** Never printed. */
  readonly apiKey?: string | undefined;
  readonly queryPrefix?: string;
  readonly passagePrefix?: string;
  /** Most texts of one call. */
  readonly textsMax?: number | undefined;
  /** Time limit of one call in milliseconds; 30,000 if absent. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds after which a search goes on with words alone; 1,000 if absent. */
  readonly searchWaitMs?: number | undefined;
  /** List price for a million tokens in US dollars; absent if calls are free. */
  readonly dollarsPerMillionTokens?: number | undefined;
}

/** A model that runs on this machine. */
export interface LocalModelSettings {
  /** `organization/model` of Hugging Face, or a folder: absolute, or beginning with `.` */
  readonly model: string;
  /** Where a named model is downloaded from. */
  readonly url: string;
  /** The folder of downloads; the user's cache if absent. */
  readonly cacheDir?: string | undefined;
  /** Prepended to a question and to stored texts; if absent, as the model's family requires. */
  readonly queryPrefix?: string | undefined;
  readonly passagePrefix?: string | undefined;
}

export interface ModelSettings {
  readonly name: string;
  /** List prices for a million tokens in US dollars; 0 if calls are free. */
  readonly inputDollarsPerMillion: number;
  readonly outputDollarsPerMillion: number;
  /** Tokens that one call can hold, its answer included. */
  readonly contextTokens: number;
  /** The longest answer that is requested. */
  readonly outputTokensMax: number;
  /** Tokens that a model may use to think before it answers; they are paid as output. */
  readonly thinkingTokens: number;
}

/** The models that write summaries, by model class. */
export interface ModelsSettings {
  /** Base URL of an endpoint that speaks OpenAI's `/chat/completions`. */
  readonly url: string;
  /** Never printed. */
  readonly apiKey?: string | undefined;
  readonly standard: ModelSettings;
  readonly economy: ModelSettings;
}

/** In a data folder: the token of the installation that uses it. */
export const TOKEN_FILE = 'api-token';

export interface PartsSettings {
  /** Absent for the SQLite file in the data folder. */
  readonly mongodb?: MongoSettings | undefined;
  /** Absent for the hashed lexical embedder, which needs no model. */
  readonly embedding?: EmbeddingSettings | undefined;
  /** Takes precedence over other embedders; absent if no model runs on this machine. */
  readonly local?: LocalModelSettings | undefined;
  /** Absent for the extractive summarizer, which needs no model. */
  readonly models?: ModelsSettings | undefined;
  /** Whether `/metrics` may be read without the token; false if absent. */
  readonly metricsOpen?: boolean;
  /** Whether calls are refused for a tenant that no resource declares; false if absent. */
  readonly declaredOnly?: boolean;
  /**
   * A folder outside of all backups of the database. If absent, it is next to the SQLite file; with
   * MongoDB there is none.
   */
  readonly erasureLedger?: string;
  /** How long writes and refused calls are kept in the audit; nothing is kept if absent or 0. */
  readonly auditDays?: number;
  /** For tenants that no resource declares; Varve's own defaults if absent. */
  readonly policyDefaults?: PolicyDefaults;
  /** Rate limits of callers with keys; none if absent. */
  readonly callLimits?: CallLimitSettings;
}

export const EMBEDDING_MS_MIN = 10;
export const EMBEDDING_MS_MAX = 600_000;
/** Milliseconds to wait for an embedding endpoint. */
export const EmbeddingMs = z.coerce
  .number('expected a number of milliseconds')
  .int()
  .min(EMBEDDING_MS_MIN)
  .max(EMBEDDING_MS_MAX);

/** The check shared by several environment variables. */
export const Address = z.url({
  protocol: /^https?$/u,
  error: 'expected an http or https address',
});

/** An empty variable counts as not set, since shells and manifests write it so. */
export function unlessEmpty<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema.optional());
}
