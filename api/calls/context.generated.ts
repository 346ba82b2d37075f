/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type {
  Freshness,
  Identifiers,
  Layer,
} from './shared.generated.ts';

export interface ContextAssembleInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /**
   * The people and things that the call is about. Each identifier opens its layer; the project also
   * opens its team, org and company, by the hierarchy of the tenant. @default {}
   */
  readonly identifiers?: Identifiers | undefined;
  /** The question to the agent. */
  readonly query: string;
  /** Token limit of the context; default and maximum: the limit in the policy of the tenant. */
  readonly maxTokens?: number | undefined;
  /**
   * Whether the context shows summaries of the open layers, in the room that is left. @default true
   */
  readonly layerSummaries?: boolean | undefined;
  /** False if you show the messages of the named session to the model yourself. @default true */
  readonly ownSession?: boolean | undefined;
  /**
   * byQuestion: the question determines the depth of each summary. cacheStable: for prompt caches;
   * what no question changes comes first, byte for byte. @default "byQuestion"
   */
  readonly layout?: 'byQuestion' | 'cacheStable' | undefined;
  /** The time of the question, which "last week" counts from; now by default. */
  readonly at?: number | string | undefined;
}

export interface ContextAssembleReceipt {
  readonly kind:
    | 'instructions'
    | 'layerSummary'
    | 'sessionSummary'
    | 'hotTurn'
    | 'pastTurn'
    | 'relatedEntity'
    | 'query';
  readonly id: string;
  /** The key of a memory; null for all other parts. */
  readonly key: string | null;
  readonly layer: Layer | null;
  readonly included: boolean;
  readonly reason:
    | 'Always'
    | 'Recent'
    | 'Relevant'
    | 'RoomLeft'
    | 'LatestSession'
    | 'OpenLayer'
    | 'OverLimit'
    | 'OverShare'
    | 'NoText'
    | 'Duplicate'
    | 'Superseded';
  readonly depth: 'sentence' | 'paragraph' | 'detailed' | null;
  /**
   * Tokens of the words of the part. The headings, days, speakers, marks and line breaks around it
   * count only in `tokens` of the answer, so the parts add up to less.
   */
  readonly tokens: number;
  readonly sources: string[];
  readonly freshness: Freshness | null;
  readonly trust: 'untrusted' | 'observed' | 'stated' | 'verified' | null;
  /**
   * How relevant the part is; null if Varve did not compare it, or for an earlier turn that fits
   * nothing in the question.
   */
  readonly relevance: number | null;
  readonly similarity: number | null;
  readonly personalized: boolean | null;
  /** Sources that follow the summary because they are newer than it. */
  readonly sinceThen: string[];
}

/** The limit that was requested, the limit that was applied, and the tokens that the text uses. */
export interface ContextAssembleBudget {
  readonly requested: number | null;
  readonly applied: number;
  readonly estimatedUsed: number;
}

export interface ContextAssembleOutput {
  /**
   * The context, to give to the agent. Later words replace a line that ends with “(earlier)”, and
   * may replace one that ends with “(earlier? see 06-10)”.
   */
  readonly text: string;
  /** Tokens of the text; never above the limit. */
  readonly tokens: number;
  readonly limit: number;
  /** Why each part is in the context or not. */
  readonly receipt: ContextAssembleReceipt[];
  /**
   * The limit that was requested, the limit that was applied, and the tokens that the text uses.
   */
  readonly budget: ContextAssembleBudget;
  /**
   * How many leading tokens equal those of the last context of this caller in this process; null
   * with the layout byQuestion.
   */
  readonly stablePrefixTokens: number | null;
  /** True if memories were found by their words alone, without vectors. */
  readonly degraded: boolean;
  readonly degradedReason: string | null;
}

/** Calls of `context`. */
export interface ContextCalls {
  /**
   * Assembles the context for a question inside a token limit, with a receipt that says why each
   * part is in it or not.
   */
  readonly assemble: (input: ContextAssembleInput) => Promise<ContextAssembleOutput>;
}
