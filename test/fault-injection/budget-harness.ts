/** What the processes of the budget proof share: the tenant, its limit, and its store. */
import type { SummaryModel, Price } from '#core/ports/model.ts';
import type { BudgetPolicy } from '#core/records/policy.ts';
import type { Store } from '#core/ports/store.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createPlatform } from '#providers/node/platform.ts';

export const TENANT = 'acme';
/** Less than what the processes ask for in a month, so that some of it is refused. */
const LIMIT_TOKENS = 8_000;
export const GRANTED_TOKENS = 1_500;
export const GRANT_KEYS = ['grant-1', 'grant-2', 'grant-3'] as const;
export const ALLOWED_TOKENS = LIMIT_TOKENS + GRANT_KEYS.length * GRANTED_TOKENS;

export const BUDGET: BudgetPolicy = {
  limitTokens: LIMIT_TOKENS,
  limitMicroDollars: null,
  onExhausted: 'Reject',
};

/** The last moment of a month and the first of the next. */
export const PERIODS = [
  { name: '2026-11', at: Date.UTC(2026, 11, 1) - 1_000 },
  { name: '2026-12', at: Date.UTC(2026, 11, 1) },
] as const;

export const MODEL = 'metered';
export const PRICE: Price = {
  inputMicroDollarsPerMillion: 1_000_000,
  outputMicroDollarsPerMillion: 0,
};
/** Whoever settles what others left asks a model for nothing but its price. */
export const MODELS = {
  byName: (name: string) => (name === MODEL ? ({ name, price: PRICE } as SummaryModel) : undefined),
};

/** A line of a process: what a call was charged, or that the budget refused one. */
export interface Line {
  readonly attemptId: string;
  readonly tokens: number | null;
}

export type Place =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'mongodb'; readonly uri: string; readonly database: string };

/** Where a process dies: after the n-th time that it came there. */
export interface Death {
  readonly point: 'Reserved' | 'Answered' | 'Stored' | 'Settled';
  readonly after: number;
}

export interface Reserver {
  readonly place: Place;
  readonly name: string;
  /** Batches at work at the same time, and how many of them one after the other. */
  readonly lanes: number;
  readonly batches: number;
  /** Batches of a process that died, which this one takes up. */
  readonly retries: readonly string[];
  readonly seed: number;
  readonly death: Death | null;
}

export async function openBudgetStore(place: Place): Promise<Store> {
  const opening = { platform: createPlatform(), analyzer: createTextAnalyzer() };
  if (place.kind === 'sqlite') {
    const { openSqliteStore } = await import('#providers/sqlite/store.ts');
    return openSqliteStore({ file: place.file, ...opening });
  }
  const { openMongoStore } = await import('#providers/mongodb/store.ts');
  return openMongoStore({ uri: place.uri, database: place.database, ...opening });
}
