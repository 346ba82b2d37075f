/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type {
  Erasure,
  Layer,
  MemoryAddMessagesResult,
  Review,
  Subject,
} from './shared.generated.ts';

export interface StoredMemory {
  readonly memory: Memory;
  /** False if there was nothing to embed, or the embedder did not answer. */
  readonly embeddingGenerated: boolean;
  /** True if the scope already had this memory, by its key or its content. */
  readonly deduplicated: boolean;
  readonly scope: ScopeEffect;
}

export interface Memory {
  readonly tenant: string;
  /** A UUIDv7, so that ids sort by the time of writing. */
  readonly id: string;
  readonly layer: Layer;
  /** The identifier of its layer, such as the id of a user. */
  readonly scopeId: string;
  readonly kind: 'memory' | 'entity';
  readonly content: string;
  /** SHA-256 of the text. */
  readonly contentHash: string;
  /** The name that its author gave it, unique within its scope. */
  readonly key: string | null;
  readonly tags: string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** How the memory came in, who stated it, and what it was derived from. */
  readonly origin: MemoryAddOrigin;
  /** How far Varve trusts it; set by the server. */
  readonly trust: 'untrusted' | 'observed' | 'stated' | 'verified';
  /** When the statement began to be true. */
  readonly validFrom: number;
  /** UTC offset of `validFrom` in minutes; absent for UTC. */
  readonly utcOffset?: number | undefined;
  /** When it ceased, or will cease, to be true; null for an open end. */
  readonly validTo: number | null;
  /** The id of the memory that replaced it, or will at `validTo`. */
  readonly supersededBy: string | null;
  /** When the memory expires and is no longer found. */
  readonly expiresAt: number | null;
  readonly state: 'active' | 'superseded' | 'quarantined';
  /**
   * True if it only repeats the memory of `supersededBy`, from another session, and takes its place
   * if that session is deleted; otherwise absent.
   */
  readonly isRepeat?: true | undefined;
  /** Ids of memories of its scope that introduce whom or what it names; absent without one. */
  readonly mentions?: string[] | undefined;
  /** 1 at first, and one more with each change. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Tokens of the content, counted by cl100k. */
  readonly tokenCount: number;
  /** The embedding model that made its vector. */
  readonly embeddingGeneration: string | null;
  /** Only with `includeVector`. */
  readonly vector?: number[] | null | undefined;
}

/** How the memory came in, who stated it, and what it was derived from. */
export interface MemoryAddOrigin {
  readonly channel: 'api' | 'import' | 'extraction' | 'dream' | 'promotion';
  readonly principal: string;
  readonly sources: string[];
}

/** What the write did to its scope. */
export interface ScopeEffect {
  /** Writes that the summary of the scope does not include yet. */
  readonly changes: number;
  /** When the summary is due; null if nothing is. */
  readonly dueAt: number | null;
  /** What made it due. */
  readonly trigger: 'Changes' | 'Interval' | 'MaxAge' | 'Urgent' | 'Recipe' | 'Requested' | null;
}

export type MemoryAddOutput = StoredMemory;

export interface AddedItem {
  readonly ok: true;
  readonly id: string;
  readonly key: string | null;
  readonly version: number;
  readonly embeddingGenerated: boolean;
  readonly deduplicated: boolean;
}

export interface ItemFailure {
  readonly ok: false;
  readonly error: MemoryBulkAddError;
}

export interface MemoryBulkAddError {
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
  readonly message: string;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface MemoryBulkAddOutput {
  /** One entry for each item, in the order of the input. */
  readonly items: (AddedItem | ItemFailure)[];
  readonly succeeded: number;
  readonly failed: number;
}

export type MemoryGetOutput = Memory | null;

export type MemoryUpdateOutput = StoredMemory;

export interface MemoryDeleteOutput {
  readonly success: true;
  /** False if no memory had this id; nothing changed. */
  readonly deleted: boolean;
  /** Null if no memory had this id. */
  readonly scope: ScopeEffect | null;
}

export interface DeletedItem {
  readonly ok: true;
  readonly id: string;
}

export interface MemoryBulkDeleteOutput {
  /** One entry for each item, in the order of the input. */
  readonly items: (DeletedItem | ItemFailure)[];
  readonly succeeded: number;
  readonly failed: number;
}

export interface MemoryAddMessagesOutput {
  /** One entry for each lasting statement. Most messages contain none. */
  readonly results: MemoryAddMessagesResult[];
  /** Who read the messages; `Rules` if they read only some of them. */
  readonly extractedBy: 'Model' | 'Rules';
  /**
   * Why rules read messages although the policy names a model. NoModel: none is configured.
   * WorkersOnly: this process may not read its key. Unavailable, Refused, Unusable: it did not
   * answer, refused the call, or answered something else. Unsupported: the messages support nothing
   * of its answer. TooLong: the messages are more than it reads in one call. BudgetExhausted: the
   * budget has no room for the call.
   */
  readonly reason?:
    | 'NoModel'
    | 'WorkersOnly'
    | 'Unavailable'
    | 'Refused'
    | 'Unusable'
    | 'Unsupported'
    | 'TooLong'
    | 'BudgetExhausted'
    | undefined;
}

export interface MemorySearchTurn {
  readonly sessionId: string;
  /** The name of the speaker, or the role if the turn has no name. */
  readonly speaker: string;
  readonly role: string;
  /** The whole turn; `text` is the part that fits best. */
  readonly content: string;
  readonly trust: 'untrusted' | 'observed' | 'stated' | 'verified';
}

export interface MemorySearchLine {
  readonly subject: Subject;
  /** MEMORY.md or a daily file. */
  readonly path: string;
  readonly heading: string | null;
  /** Ids of the memories and turns that the line rests on. */
  readonly sources: string[];
  readonly trust: 'untrusted' | 'observed' | 'stated' | 'verified';
}

export interface MemorySearchExplanation {
  readonly cosine: number | null;
  readonly generation: string | null;
  readonly keyword: number | null;
  readonly similarity: number | null;
  readonly semanticScore: number | null;
  readonly keywordScore: number | null;
  readonly path: 'Memory' | 'VectorIndex' | 'CandidateIds' | 'ExactScan';
}

export interface MemorySearchHit {
  /** A memory, a turn of a past session, or a line of a Markdown file. */
  readonly source: 'memory' | 'turn' | 'line';
  /** Id of the memory, the turn or the line. */
  readonly id: string;
  /** The text; of a long memory or turn, the part that fits best. */
  readonly text: string;
  readonly layer: Layer;
  /** When it began to be true, or when it was said. */
  readonly at: number;
  /** UTC offset of that time in minutes; absent for UTC. */
  readonly utcOffset?: number | undefined;
  /**
   * 0 to 1; means the same for every source and embedding model. A memory that is shown instead of
   * the turn it was made from has the better of both scores.
   */
  readonly score: number;
  /** Null if the hit has another source. */
  readonly memory: Memory | null;
  readonly turn: MemorySearchTurn | null;
  readonly line: MemorySearchLine | null;
  /**
   * Whether later words of the user, or another hit, replace it. Contexts mark it “(earlier)”.
   * Memories of more than 1,000 characters are not compared, nor the last results beyond 10,000
   * characters.
   */
  readonly outdated: boolean;
  /**
   * Whether they replace a part of it, and the rest holds; “(in part earlier)” in a context. False
   * where `outdated` is true.
   */
  readonly outdatedInPart: boolean;
  /**
   * Ids of hits that give the same thing another value, if it is not certain which one holds: a hit
   * with nearly the same words in one layer, or a newer one in a broader layer. Contexts mark the
   * latter “(newer: team)”.
   */
  readonly conflictsWith: string[];
  /**
   * How the memory itself was found, without the turn that it replaces in the answer; only with
   * `explain`.
   */
  readonly explanation: MemorySearchExplanation | null;
}

export interface MemorySearchDuplicate {
  readonly id: string;
  readonly layer: Layer;
  readonly of: string;
  readonly similarity: number;
}

export interface MemorySearchNearestMisse {
  readonly id: string;
  readonly score: number;
}

export interface MemorySearchScope {
  readonly layer: Layer;
  readonly id: string;
  readonly memories: number;
}

export interface MemorySearchElsewhere {
  readonly layer: Layer;
  readonly id: string;
}

export interface MemorySearchNothingFound {
  /** How many searched scopes hold memories. */
  readonly scopes: MemorySearchScope[];
  /** How many past sessions were searched. */
  readonly sessions: number;
  /** How many lines of files were searched. */
  readonly lines: number;
  /** Identifiers that the call does not name and that would open scopes with data. */
  readonly moreIdentifiers: string[];
  /**
   * Scopes with data that the call does not open, at most three of each layer. Empty for a caller
   * that is bound to identifiers or layers.
   */
  readonly elsewhere: MemorySearchElsewhere[];
  /** The best score below the threshold. */
  readonly nearestScore: number | null;
}

export interface MemorySearchPath {
  readonly layer: Layer;
  readonly path: 'Memory' | 'VectorIndex' | 'CandidateIds' | 'ExactScan';
  readonly compared: number;
}

export interface MemorySearchOutput {
  /**
   * In the requested order. A hit that replaces another one comes before it, even below the
   * threshold. A later statement of the user that likely corrects a hit in other words follows that
   * hit, with its own score; no mark says which one holds.
   */
  readonly hits: MemorySearchHit[];
  readonly searchedLayers: Layer[];
  /** Layers that were not searched, because the call does not name their identifier. */
  readonly skippedLayers: Layer[];
  /** Hits left out because another hit says the same. */
  readonly duplicates: MemorySearchDuplicate[];
  /** True if the search could use only words or only vectors. */
  readonly degraded: boolean;
  readonly degradedReason: string | null;
  /** The best scores below the threshold. */
  readonly nearestMisses: MemorySearchNearestMisse[];
  /** Null if there are hits. */
  readonly nothingFound: MemorySearchNothingFound | null;
  /** How each scope was searched; only with `explain`. */
  readonly paths: MemorySearchPath[];
}

export interface ListedMemory {
  readonly tenant: string;
  /** A UUIDv7, so that ids sort by the time of writing. */
  readonly id: string;
  readonly layer: Layer;
  /** The identifier of its layer, such as the id of a user. */
  readonly scopeId: string;
  readonly kind: 'memory' | 'entity';
  readonly content: string;
  /** SHA-256 of the text. */
  readonly contentHash: string;
  /** The name that its author gave it, unique within its scope. */
  readonly key: string | null;
  readonly tags: string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** How the memory came in, who stated it, and what it was derived from. */
  readonly origin: MemoryAddOrigin;
  /** How far Varve trusts it; set by the server. */
  readonly trust: 'untrusted' | 'observed' | 'stated' | 'verified';
  /** When the statement began to be true. */
  readonly validFrom: number;
  /** UTC offset of `validFrom` in minutes; absent for UTC. */
  readonly utcOffset?: number | undefined;
  /** When it ceased, or will cease, to be true; null for an open end. */
  readonly validTo: number | null;
  /** The id of the memory that replaced it, or will at `validTo`. */
  readonly supersededBy: string | null;
  /** When the memory expires and is no longer found. */
  readonly expiresAt: number | null;
  readonly state: 'active' | 'superseded' | 'quarantined';
  /**
   * True if it only repeats the memory of `supersededBy`, from another session, and takes its place
   * if that session is deleted; otherwise absent.
   */
  readonly isRepeat?: true | undefined;
  /** Ids of memories of its scope that introduce whom or what it names; absent without one. */
  readonly mentions?: string[] | undefined;
  /** 1 at first, and one more with each change. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Tokens of the content, counted by cl100k. */
  readonly tokenCount: number;
  /** The embedding model that made its vector. */
  readonly embeddingGeneration: string | null;
  /** Only with `includeVector`. */
  readonly vector?: number[] | null | undefined;
  /**
   * Whether a newer memory replaces it, as in a search. Absent if it was not compared: without
   * `markOutdated`, beyond the first 100 of a page, if its day is to come, if it has more than
   * 1,000 characters, and beyond 10,000 characters of a page.
   */
  readonly outdated?: boolean | undefined;
  /** Whether a newer memory replaces a part of it, and the rest holds. */
  readonly outdatedInPart?: boolean | undefined;
  /** Ids of the memories that replace it, whole or in part. */
  readonly outdatedBy?: string[] | undefined;
}

export interface MemoryListOutput {
  readonly memories: ListedMemory[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
  readonly totalCount: number;
}

export interface MemoryHistoryChange {
  readonly tenant: string;
  readonly memoryId: string;
  readonly layer: Layer;
  readonly scopeId: string;
  readonly version: number;
  readonly at: number;
  readonly principal: string;
  readonly action: 'Added' | 'Updated' | 'United' | 'Superseded' | 'Restored' | 'Deleted';
  readonly before: Readonly<Record<string, unknown>>;
}

export interface MemoryHistoryOutput {
  readonly changes: MemoryHistoryChange[];
}

export interface MemoryCompactCount {
  /** Sessions with compacted turns. */
  readonly sessions: number;
  readonly turns: number;
  /** Quotes of these turns that stay. */
  readonly quotes: number;
  readonly bytesFreed: number;
  /** Turns that no summary of their session covers. */
  readonly unsummarized: number;
  /** Sessions that still keep the text of old turns. */
  readonly waiting: number;
  /** Stored model answers whose text was deleted. */
  readonly answers: number;
}

export interface MemoryCompactOutput {
  /** Preview: nothing was written. Started, UnderWay: a durable run is working on it. */
  readonly state: 'Preview' | 'Started' | 'UnderWay' | 'Done';
  /** What was or would be deleted; null while a run is working: see `memory.compactionStatus`. */
  readonly counts: MemoryCompactCount | null;
}

export interface MemoryCompactionStatusOutput {
  /** Never: no durable run is known, because none has started or the last one ended long ago. */
  readonly state: 'Never' | 'UnderWay' | 'Done' | 'Failed';
  /** What the last run deleted, once it has ended. */
  readonly counts: MemoryCompactCount | null;
}

export type MemoryEraseOutput = Erasure;

export type MemoryPromoteOutput = Review;
