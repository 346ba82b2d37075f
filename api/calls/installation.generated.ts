/** Made from the schemas by `npm run docs:api`; change the schemas. */

export type HealthInput = Readonly<Record<string, never>> | null;

export interface HealthStore {
  readonly ok: boolean;
  readonly engine: string;
  readonly schemaVersion: number;
  /** What is wrong, and how to fix it; empty if nothing is wrong. */
  readonly findings: string[];
}

export interface HealthRetrieval {
  readonly quality: 'keyword' | 'semantic';
  /** The embedder that makes new vectors. */
  readonly generation: string;
}

export interface HealthRefresh {
  readonly ok: boolean;
  /** What is wrong, and how to fix it; empty if nothing is wrong. */
  readonly findings: string[];
  readonly by: 'inline' | 'temporal';
}

export interface HealthOutput {
  readonly ok: boolean;
  readonly store: HealthStore;
  readonly retrieval: HealthRetrieval;
  /** The tokenizer that counts tokens. */
  readonly tokens: string;
  readonly refresh: HealthRefresh;
}

export interface RefreshInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** `Due`: only what is due. `Stale`: every summary that is not up to date. @default "Stale" */
  readonly kind?: 'Due' | 'Stale' | undefined;
}

export interface RefreshFailure {
  readonly code:
    | 'INVALID_INPUT'
    | 'MISSING_IDENTIFIER'
    | 'INVALID_LAYER'
    | 'CONTENT_TOO_LONG'
    | 'UNAUTHENTICATED'
    | 'FORBIDDEN'
    | 'MEMORY_NOT_FOUND'
    | 'NOT_FOUND'
    | 'CONFLICT'
    | 'BUDGET_EXHAUSTED'
    | 'CONTEXT_LIMIT_TOO_SMALL'
    | 'FILTER_TOO_BROAD'
    | 'TENANT_CLAIMED'
    | 'RATE_LIMITED'
    | 'PROVIDER_ERROR'
    | 'PROVIDER_REJECTED'
    | 'MISSING_PACKAGE'
    | 'MODEL_OUTPUT_INVALID'
    | 'TIMEOUT'
    | 'CANCELLED'
    | 'CORRUPT';
  /** 0 if scopes have waited since an earlier call, or wait after a refused answer. */
  readonly batches: number;
  /** For the first of these failures: what was wrong, and what to do. */
  readonly message: string;
}

export interface RefreshOutput {
  readonly rounds: number;
  readonly batches: number;
  readonly generated: number;
  readonly unchanged: number;
  readonly emptied: number;
  readonly refused: number;
  /** Unfinished large scopes, which the next round continues. */
  readonly advanced: number;
  /** Number of model calls that were charged; summaries without a model need none. */
  readonly modelCalls: number;
  /** Tokens that models read in these calls. */
  readonly inputTokens: number;
  /** Tokens that models wrote in these calls. */
  readonly outputTokens: number;
  /** Number of released batches by reason; they are retried when they are due. */
  readonly failures: RefreshFailure[];
}

/** Calls about the installation. */
export interface InstallationCalls {
  /** Checks whether every part works. */
  readonly health: (input?: HealthInput) => Promise<HealthOutput>;
  /** Regenerates every stale summary of a tenant, or only those that are due. */
  readonly refresh: (input: RefreshInput) => Promise<RefreshOutput>;
}
