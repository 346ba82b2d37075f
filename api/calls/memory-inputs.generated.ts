/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type { Filter } from '#core/search/filter.ts';
import type {
  Identifiers,
  Layer,
} from './shared.generated.ts';

export interface MemoryAddInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** One of the seven layers. */
  readonly layer: Layer;
  /**
   * The people and things that the call is about. Each identifier opens its layer; the project also
   * opens its team, org and company, by the hierarchy of the tenant. @default {}
   */
  readonly identifiers?: Identifiers | undefined;
  /** The text to remember, at most 262,144 characters. */
  readonly content: string;
  /** Your own name for the memory, unique within its scope. */
  readonly key?: string | undefined;
  /**
   * What to do if a memory of the scope has this key and another text: update the memory, or refuse
   * the call with CONFLICT. A text that was true before that of the memory (by `at`) does not
   * change it: it is added as superseded by it. @default "update"
   */
  readonly onConflict?: 'update' | 'error' | undefined;
  /**
   * Text that the scope already has is not added again: its memory gets the later time, the tags
   * and metadata of both, and the expiry of the repeat. If another value has replaced it meanwhile,
   * the repeat is added as the newest statement.
   */
  readonly deduplicate?: 'Exact' | undefined;
  /** @default "memory" */
  readonly kind?: 'memory' | 'entity' | undefined;
  /** @default [] */
  readonly tags?: readonly string[] | undefined;
  /** Your own JSON fields, to filter by. @default {} */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /**
   * When it was said or began to be true; now by default. A memory dated in the future holds from
   * that day: before it, the memory ends no other one, and contexts show it as coming.
   */
  readonly at?: number | string | undefined;
  /**
   * When the memory expires and is no longer found; later than now and than `at`. By default, it
   * never expires.
   */
  readonly expiresAt?: number | string | undefined;
  /** For 7 days, the same key and body return the first answer. */
  readonly idempotencyKey?: string | undefined;
  /** Whether the answer includes the vector. @default false */
  readonly includeVector?: boolean | undefined;
}

/**
 * Only for a memory that Varve extracted elsewhere: the turn that it comes from and is deleted
 * with, the memories of its scope that it ends, and the one that it only repeats.
 */
export interface MemoryBulkAddExtracted {
  readonly sessionId: string;
  readonly turnId: string;
  /** @default [] */
  readonly supersedes?: readonly string[] | undefined;
  /** Id of the memory. */
  readonly repeats?: string | undefined;
}

export interface MemoryBulkAddMemory {
  /** One of the seven layers. */
  readonly layer: Layer;
  /**
   * The people and things that the call is about. Each identifier opens its layer; the project also
   * opens its team, org and company, by the hierarchy of the tenant. @default {}
   */
  readonly identifiers?: Identifiers | undefined;
  /** The text to remember, at most 262,144 characters. */
  readonly content: string;
  /** Your own name for the memory, unique within its scope. */
  readonly key?: string | undefined;
  /**
   * What to do if a memory of the scope has this key and another text: update the memory, or refuse
   * the call with CONFLICT. A text that was true before that of the memory (by `at`) does not
   * change it: it is added as superseded by it. @default "update"
   */
  readonly onConflict?: 'update' | 'error' | undefined;
  /**
   * Text that the scope already has is not added again: its memory gets the later time, the tags
   * and metadata of both, and the expiry of the repeat. If another value has replaced it meanwhile,
   * the repeat is added as the newest statement.
   */
  readonly deduplicate?: 'Exact' | undefined;
  /** @default "memory" */
  readonly kind?: 'memory' | 'entity' | undefined;
  /** @default [] */
  readonly tags?: readonly string[] | undefined;
  /** Your own JSON fields, to filter by. @default {} */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /**
   * When it was said or began to be true; now by default. A memory dated in the future holds from
   * that day: before it, the memory ends no other one, and contexts show it as coming.
   */
  readonly at?: number | string | undefined;
  /**
   * When the memory expires and is no longer found; later than now and than `at`. By default, it
   * never expires.
   */
  readonly expiresAt?: number | string | undefined;
  /**
   * Only for a memory that Varve extracted elsewhere: the turn that it comes from and is deleted
   * with, the memories of its scope that it ends, and the one that it only repeats.
   */
  readonly extracted?: MemoryBulkAddExtracted | undefined;
}

export interface MemoryBulkAddInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  readonly memories: readonly MemoryBulkAddMemory[];
  /** For 7 days, the same key and body return the first answer. */
  readonly idempotencyKey?: string | undefined;
}

export interface MemoryGetInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Id of the memory. */
  readonly id: string;
  /** Whether the answer includes the vector. @default false */
  readonly includeVector?: boolean | undefined;
}

export interface MemoryUpdateInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Id of the memory. */
  readonly id: string;
  /** The new text. */
  readonly content?: string | undefined;
  /** The complete list: tags that it does not name are removed. */
  readonly tags?: readonly string[] | undefined;
  /** Fields to set; the others stay. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The version that you read. If the memory has another one, Varve refuses the call with CONFLICT.
   */
  readonly expectedVersion?: number | undefined;
  /** For 7 days, the same key and body return the first answer. */
  readonly idempotencyKey?: string | undefined;
  /** Whether the answer includes the vector. @default false */
  readonly includeVector?: boolean | undefined;
}

export interface MemoryDeleteInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Id of the memory. */
  readonly id: string;
  /** For 7 days, the same key and body return the first answer. */
  readonly idempotencyKey?: string | undefined;
}

export interface MemoryBulkDeleteInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  readonly ids: readonly string[];
  /** For 7 days, the same key and body return the first answer. */
  readonly idempotencyKey?: string | undefined;
}

export interface MemoryAddMessagesMessage {
  /** A message with the same id and text takes effect once, even if sent again. */
  readonly id?: string | undefined;
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  /** The name of the speaker, if the role is not enough. */
  readonly speaker?: string | undefined;
  readonly content: string;
  /** When it was said; now by default. */
  readonly at?: number | string | undefined;
}

export interface MemoryAddMessagesInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /**
   * The people and things that the call is about. Each identifier opens its layer; the project also
   * opens its team, org and company, by the hierarchy of the tenant. @default {}
   */
  readonly identifiers?: Identifiers | undefined;
  /** In the order in which they were said. */
  readonly messages: readonly MemoryAddMessagesMessage[];
  /**
   * Who reads the messages: whoever the policy of the tenant names in `extraction.by`, or rules,
   * which cost nothing and answer at once. @default "Policy"
   */
  readonly extractBy?: 'Policy' | 'Rules' | undefined;
  /** Fields for every memory that is kept, in addition to those that extraction sets. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /**
   * When the memories expire and are no longer found; later than now and than every `at`. By
   * default, they never expire.
   */
  readonly expiresAt?: number | string | undefined;
}

export interface MemorySearchInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /**
   * The people and things that the call is about. Each identifier opens its layer; the project also
   * opens its team, org and company, by the hierarchy of the tenant. @default {}
   */
  readonly identifiers?: Identifiers | undefined;
  /** If omitted, all layers that the identifiers open. */
  readonly layers?: readonly Layer[] | undefined;
  /** A memory with any of these tags matches. @default [] */
  readonly tags?: readonly string[] | undefined;
  /**
   * On metadata: `{ field, eq | ne | in | contains | exists | gt | gte | lt | lte }`, joined by
   * `and`, `or`, `not`.
   */
  readonly filter?: Filter | undefined;
  readonly kind?: 'memory' | 'entity' | undefined;
  /** False includes superseded memories. @default true */
  readonly latestOnly?: boolean | undefined;
  /** Whether the answer includes the vector. @default false */
  readonly includeVector?: boolean | undefined;
  /** The question, in words. */
  readonly query: string;
  /**
   * What to search: memories, turns of past sessions, lines of MEMORY.md and of the latest daily
   * files. With `tags`, `filter` or `kind`, only memories. @default ["memory","turn","line"]
   */
  readonly sources?: readonly ('memory' | 'turn' | 'line')[] | undefined;
  /** The time of the question, which "last week" counts from; now by default. */
  readonly at?: number | string | undefined;
  /**
   * By words, by meaning, or by both. Without an embedding model, `semantic` compares words, and
   * `degradedReason` says so. @default "hybrid"
   */
  readonly mode?: 'hybrid' | 'semantic' | 'keyword' | undefined;
  /** @default 10 */
  readonly limit?: number | undefined;
  /**
   * The search leaves out hits below this score, except a hit that replaces a shown one, or that
   * likely corrects it. @default 0.7
   */
  readonly threshold?: number | undefined;
  /**
   * precedence: the more specific layer first. relevance: the better score first. What replaces a
   * hit always comes before it. @default "precedence"
   */
  readonly order?: 'precedence' | 'relevance' | undefined;
  /** Whether the answer explains how each hit was found. @default false */
  readonly explain?: boolean | undefined;
}

export interface MemoryListInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /**
   * The people and things that the call is about. Each identifier opens its layer; the project also
   * opens its team, org and company, by the hierarchy of the tenant. @default {}
   */
  readonly identifiers?: Identifiers | undefined;
  /** If omitted, all layers that the identifiers open. */
  readonly layers?: readonly Layer[] | undefined;
  /** A memory with any of these tags matches. @default [] */
  readonly tags?: readonly string[] | undefined;
  /**
   * On metadata: `{ field, eq | ne | in | contains | exists | gt | gte | lt | lte }`, joined by
   * `and`, `or`, `not`.
   */
  readonly filter?: Filter | undefined;
  readonly kind?: 'memory' | 'entity' | undefined;
  /** False includes superseded memories. @default true */
  readonly latestOnly?: boolean | undefined;
  /** Whether the answer includes the vector. @default false */
  readonly includeVector?: boolean | undefined;
  /** @default "newest" */
  readonly order?: 'newest' | 'oldest' | undefined;
  /**
   * Whether to compare the memories of the page with each other and with the newest 100 of the
   * listed scopes, and to mark what these replace. False is faster. @default true
   */
  readonly markOutdated?: boolean | undefined;
  /** `nextCursor` of the previous page; send it with the same conditions. */
  readonly cursor?: string | null | undefined;
  /** @default 50 */
  readonly limit?: number | undefined;
}

export interface MemoryHistoryInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Id of the memory. */
  readonly id: string;
  /** The version that the previous page ended with. */
  readonly beforeVersion?: number | undefined;
  /** @default 20 */
  readonly limit?: number | undefined;
}

export interface MemoryCompactInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Only reports what would be deleted, and writes nothing. @default false */
  readonly dryRun?: boolean | undefined;
}

export interface MemoryCompactionStatusInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
}

export interface MemoryEraseTarget {
  readonly kind: 'Memory' | 'Session' | 'User';
  readonly id: string;
}

export interface MemoryEraseTargetInput {
  readonly kind: 'Turn';
  readonly sessionId: string;
  readonly id: string;
}

export interface MemoryEraseInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /**
   * A memory or a session by its id, a person by the id that other calls give as `userId`, a turn
   * by its id and that of its session.
   */
  readonly target: MemoryEraseTarget | MemoryEraseTargetInput;
  /** Only reports what would be erased. @default false */
  readonly dryRun?: boolean | undefined;
}

export interface MemoryPromoteInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Id of the memory. */
  readonly id: string;
  /** One of the seven layers. */
  readonly layer: Layer;
  /**
   * The people and things that the call is about. Each identifier opens its layer; the project also
   * opens its team, org and company, by the hierarchy of the tenant. @default {}
   */
  readonly identifiers?: Identifiers | undefined;
  /** Reason for the proposal, shown to the person who decides. @default "" */
  readonly reason?: string | undefined;
}
