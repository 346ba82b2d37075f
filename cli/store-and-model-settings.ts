/** Where memories are kept, and what embeds and summarizes them: by environment or by caller. */
import type { CallLimitSettings } from '#api/call-rate-limits.ts';
import { z } from 'zod';

interface MongoSettings {
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
  /** Milliseconds that one call may take; 30,000 where absent. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds that a search waits before its words answer; 1,000 where absent. */
  readonly searchWaitMs?: number | undefined;
  /** List price for a million tokens in US dollars; absent where calls cost nothing. */
  readonly dollarsPerMillionTokens?: number | undefined;
}

/** A model that runs on this machine. */
export interface LocalModelSettings {
  /** `organization/model` of Hugging Face, or a folder: its path is absolute or begins with `.` */
  readonly model: string;
  /** Where a model that is named is downloaded from. */
  readonly url: string;
  /** Where downloads are kept; the user's cache where absent. */
  readonly cacheDir?: string | undefined;
  /** Put before a question and before what is kept; as the model's family wants it where absent. */
  readonly queryPrefix?: string | undefined;
  readonly passagePrefix?: string | undefined;
}

export interface ModelSettings {
  readonly name: string;
  /** List prices for a million tokens in US dollars; 0 where calls cost nothing. */
  readonly inputDollarsPerMillion: number;
  readonly outputDollarsPerMillion: number;
  /** Tokens that one call can hold, its answer included. */
  readonly contextTokens: number;
  /** The longest answer that is asked for. */
  readonly outputTokensMax: number;
  /** Tokens that a model may think with before it answers; they are paid as output. */
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

/** Of a data folder: the token of the installation that uses it. */
export const TOKEN_FILE = 'api-token';

export interface PartsSettings {
  /** Absent for the SQLite file in the data folder. */
  readonly mongodb?: MongoSettings | undefined;
  /** Absent for the hashed lexical embedder, which needs no model. */
  readonly embedding?: EmbeddingSettings | undefined;
  /** What embeds before all others; absent where no model runs on this machine. */
  readonly local?: LocalModelSettings | undefined;
  /** Absent for the extractive summarizer, which needs no model. */
  readonly models?: ModelsSettings | undefined;
  /** Whether `/metrics` may be read without the token; false where absent. */
  readonly metricsOpen?: boolean;
  /** Whether calls for a tenant that no resource declares are refused; false where absent. */
  readonly declaredOnly?: boolean;
  /** A folder that no backup of the database has; beside a SQLite file, or none, where absent. */
  readonly erasureLedger?: string;
  /** How long writes and refused calls are known of; none is kept where absent or 0. */
  readonly auditDays?: number;
  /** How fast callers with keys may call; as they like where absent. */
  readonly callLimits?: CallLimitSettings;
}

/** The longest vector that is kept. */
export const DIMENSIONS_MAX = 8_192;

export const EMBEDDING_MS_MIN = 10;
export const EMBEDDING_MS_MAX = 600_000;
/** How long is waited for an embedding endpoint, in milliseconds. */
export const EmbeddingMs = z.coerce
  .number('expected a number of milliseconds')
  .int()
  .min(EMBEDDING_MS_MIN)
  .max(EMBEDDING_MS_MAX);

/** What several variables of the environment have in common. */
export const Address = z.url({
  protocol: /^https?$/u,
  error: 'expected an http or https address',
});

/** An empty variable is one that is not set, as shells and manifests write it. */
export function unlessEmpty<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema.optional());
}
