/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type {
  Identifiers,
  Layer,
  MemoryPromoteProposed,
} from './shared.generated.ts';

export interface TraceWhyInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /**
   * What to explain: the id of a memory, a turn, a summary or a line, as other answers and receipts
   * show it; the name of a layer, for its summary; or words from a fact, a line of MEMORY.md or a
   * context.
   */
  readonly ref: string;
  /**
   * The people and things that the call is about. Each identifier opens its layer; the project also
   * opens its team, org and company, by the hierarchy of the tenant. @default {}
   */
  readonly identifiers?: Identifiers | undefined;
}

export interface WhySource {
  readonly id: string;
  /** `unknown`: erased, or not visible to this caller. */
  readonly kind: 'memory' | 'turn' | 'line' | 'unknown';
  /**
   * `Expired`: a memory whose `expiresAt` has passed. `Quarantined`: held back until a person
   * approves it. `Refused`: held back for good. `TextGone`: a turn that was deleted or compacted.
   * `Erased`: a receipt names it; only callers who may read receipts see this. Null if it is
   * unknown.
   */
  readonly state:
    | 'Current'
    | 'Stale'
    | 'Superseded'
    | 'Expired'
    | 'Quarantined'
    | 'Refused'
    | 'Deleted'
    | 'TextGone'
    | 'Erased'
    | null;
  /** Null if it was deleted; for a compacted turn, its quotes. */
  readonly text: string | null;
  readonly layer: Layer | null;
  readonly scopeId: string | null;
  /** When it was said, or when it was deleted or erased. */
  readonly at: number | null;
  /** Who said, stored, deleted or erased it. */
  readonly by: string | null;
  /** Ids of its sources. */
  readonly restsOn: string[];
}

export interface TraceWhyReview {
  readonly id: string;
  readonly rule:
    | 'Override'
    | 'Address'
    | 'Role'
    | 'Remember'
    | 'Summary'
    | 'Answer'
    | 'Hidden'
    | 'Sending'
    | null;
  readonly state: 'Waiting' | 'Approved' | 'Refused' | 'Outdated';
  readonly decision: MemoryPromoteProposed | null;
}

export interface TraceWhyMade {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly priceMicroDollars: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface TraceWhyFact {
  readonly text: string;
  readonly sources: string[];
  /** The words of the source. */
  readonly quote: string | null;
  readonly trust: 'untrusted' | 'observed' | 'stated' | 'verified';
}

export interface TraceWhyChange {
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly action: 'Added' | 'Updated' | 'United' | 'Superseded' | 'Restored' | 'Deleted';
  /** The caller. */
  readonly by: string;
}

export interface TraceWhyCitedBy {
  readonly summaryId: string;
  readonly layer: Layer;
  readonly scopeId: string;
  readonly fact: string;
}

export interface TraceWhyWrite {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly principal: string;
  readonly operation: string;
  readonly outcome: string;
}

export interface TraceWhyOutput {
  /** What `ref` refers to. */
  readonly kind: 'memory' | 'turn' | 'summary' | 'fact' | 'line';
  /** Its id; for a fact, the id of its summary. */
  readonly id: string;
  readonly layer: Layer;
  readonly scopeId: string;
  /** Null if it was deleted. */
  readonly text: string | null;
  readonly state:
    | 'Current'
    | 'Stale'
    | 'Superseded'
    | 'Expired'
    | 'Quarantined'
    | 'Refused'
    | 'Deleted'
    | 'TextGone'
    | 'Erased';
  /** For a turn that a rule holds back: which rule, and what a person decided. */
  readonly review: TraceWhyReview | null;
  /** When it was said or made. */
  readonly at: number | null;
  /** Who stated it: a principal, a speaker, a model or a file. */
  readonly by: string | null;
  /** How a memory came in. */
  readonly channel: 'api' | 'import' | 'extraction' | 'dream' | 'promotion' | null;
  /** What replaced a memory, or will on a day to come while its `state` is `Current`. */
  readonly supersededBy: string | null;
  /** What made the summary, and what that cost. Null if no model made it. */
  readonly made: TraceWhyMade | null;
  readonly facts: TraceWhyFact[];
  /** Its sources, and what those were taken from. */
  readonly sources: WhySource[];
  /** How many more sources there are, above 20. */
  readonly sourcesLeftOut: number;
  /** The changes of a memory, the newest first. */
  readonly changes: TraceWhyChange[];
  /** Facts of summaries that rest on it. */
  readonly citedBy: TraceWhyCitedBy[];
  /** Calls in the audit that name it; null if the caller may not read the audit. */
  readonly writes: TraceWhyWrite[] | null;
}

/** Calls of `trace`. */
export interface TraceCalls {
  /**
   * Traces something that Varve says: its facts, the sources of each and their words, who said or
   * stored them, which model made it and at what cost, and what was changed, deleted or erased.
   */
  readonly why: (input: TraceWhyInput) => Promise<TraceWhyOutput>;
}
