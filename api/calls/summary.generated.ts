/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type {
  Freshness,
  Identifiers,
  Layer,
} from './shared.generated.ts';

export interface SummaryGetInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** One of the seven layers. */
  readonly layer: Layer;
  /**
   * The people and things that the call is about. Each identifier opens its layer; the project also
   * opens its team, org and company, by the hierarchy of the tenant. @default {}
   */
  readonly identifiers?: Identifiers | undefined;
  /** Length of the text: at most 50, 200 or 500 tokens. @default "paragraph" */
  readonly depth?: 'sentence' | 'paragraph' | 'detailed' | undefined;
}

export interface SummaryGetDerived {
  readonly operation: 'sum' | 'count' | 'difference' | 'average' | 'min' | 'max' | 'duration';
  readonly ids: string[];
}

export interface SummaryGetFact {
  readonly text: string;
  readonly sources: string[];
  readonly quote: string | null;
  readonly speaker: string | null;
  readonly trust: 'untrusted' | 'observed' | 'stated' | 'verified';
  readonly at: number;
  readonly derived?: SummaryGetDerived | undefined;
  readonly depths?: ('sentence' | 'paragraph' | 'detailed')[] | undefined;
  readonly marks?: 'SourceWording'[] | undefined;
}

export interface SummaryGetUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface SummaryGetSentence {
  readonly text: string;
  /** Ids of the memories or turns that it rests on. */
  readonly sources: string[];
  /** The lowest trust of its sources. */
  readonly trust: 'untrusted' | 'observed' | 'stated' | 'verified';
  /** Whether it is newer than the summary. */
  readonly sinceThen: boolean;
}

export interface SummaryGetResult {
  /** Id of this version of the summary. */
  readonly id: string;
  readonly layer: Layer;
  readonly scopeId: string;
  /** Facts of the summary, each with its sources. */
  readonly facts: SummaryGetFact[];
  readonly sourceHash: string;
  readonly sourceCount: number;
  readonly model: string;
  readonly usage: SummaryGetUsage;
  readonly priceMicroDollars: number;
  /** Milliseconds since the epoch. */
  readonly generatedAt: number;
  /** When a refresh last found that it agrees with its sources. */
  readonly checkedAt: number;
  readonly personalized: boolean;
  readonly freshness: Freshness;
  /** The summary, followed by what was added or changed since, the newest first. */
  readonly text: string;
  /** Tokens of the text, counted by cl100k. */
  readonly tokens: number;
  readonly sentences: SummaryGetSentence[];
  /** Whether it was shortened to fit. */
  readonly cut: boolean;
}

export type SummaryGetOutput = SummaryGetResult | null;

export interface SummaryListInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /**
   * The people and things that the call is about. Each identifier opens its layer; the project also
   * opens its team, org and company, by the hierarchy of the tenant. @default {}
   */
  readonly identifiers?: Identifiers | undefined;
  /** A question; with it, the answer says how relevant each layer is. */
  readonly query?: string | undefined;
}

export interface ServedText {
  /** The summary, followed by what was added or changed since, the newest first. */
  readonly text: string;
  /** Tokens of the text, counted by cl100k. */
  readonly tokens: number;
  readonly sentences: SummaryGetSentence[];
  /** Whether it was shortened to fit. */
  readonly cut: boolean;
}

export interface Relevance {
  readonly relevance: number;
  readonly similarity: number | null;
  readonly semanticScore: number | null;
  readonly keywordScore: number;
}

export interface SummaryListScope {
  readonly tenant: string;
  readonly layer: Layer;
  readonly scopeId: string;
}

export interface SummaryListSummary {
  /** Id of this version of the summary. */
  readonly id: string;
  readonly layer: Layer;
  readonly scopeId: string;
  /** Facts of the summary, each with its sources. */
  readonly facts: SummaryGetFact[];
  readonly sourceHash: string;
  readonly sourceCount: number;
  readonly model: string;
  readonly usage: SummaryGetUsage;
  readonly priceMicroDollars: number;
  /** Milliseconds since the epoch. */
  readonly generatedAt: number;
  /** When a refresh last found that it agrees with its sources. */
  readonly checkedAt: number;
  readonly personalized: boolean;
  readonly freshness: Freshness;
  readonly depths: Readonly<Partial<Record<'sentence' | 'paragraph' | 'detailed', ServedText>>>;
}

export interface SummaryListContextVector {
  readonly generation: string;
  readonly values: number[];
}

export interface SummaryListSummaryOutput {
  readonly scope: SummaryListScope;
  /** Null if none was made yet. */
  readonly summary: SummaryListSummary | null;
  readonly freshness: Freshness;
  readonly contextVector: SummaryListContextVector | null;
  /** Null without a `query`. */
  readonly relevance: Relevance | null;
}

export interface SummaryListOutput {
  readonly summaries: SummaryListSummaryOutput[];
  /** Layers that were not searched, because the call does not name their identifier. */
  readonly skippedLayers: Layer[];
}

export interface SummaryDeadLettersInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** @default 100 */
  readonly limit?: number | undefined;
}

export interface SummaryDeadLettersDeadLetter {
  readonly layer: Layer;
  readonly scopeId: string;
  readonly code: string;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Writes that its summary does not include yet. */
  readonly changes: number;
}

export interface SummaryDeadLettersOutput {
  readonly deadLetters: SummaryDeadLettersDeadLetter[];
  readonly total: number;
}

export interface SummaryRetryInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  readonly layer?: Layer | undefined;
  readonly scopeId?: string | undefined;
}

export interface SummaryRetryOutput {
  /** Number of scopes that are due again. */
  readonly retried: number;
}

/** Calls of `summary`. */
export interface SummaryCalls {
  /** Returns the summary of one layer at one depth, or null if there is none yet. */
  readonly get: (input: SummaryGetInput) => Promise<SummaryGetOutput>;
  /**
   * Lists the summaries of all layers that the identifiers open, the more specific first, and says
   * how fresh each one is.
   */
  readonly list: (input: SummaryListInput) => Promise<SummaryListOutput>;
  /** Lists the dead letters: scopes that failed three times, the oldest first. */
  readonly deadLetters: (input: SummaryDeadLettersInput) => Promise<SummaryDeadLettersOutput>;
  /** Makes dead letters due again: all of a tenant, those of a layer, or one. */
  readonly retry: (input: SummaryRetryInput) => Promise<SummaryRetryOutput>;
}
