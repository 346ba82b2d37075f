/** Made from the schemas by `npm run docs:api`; change the schemas. */

/** One of the seven layers. */
export type Layer = 'agent' | 'user' | 'session' | 'project' | 'team' | 'org' | 'company';

/**
 * The people and things that the call is about. Each identifier opens its layer; the project also
 * opens its team, org and company, by the hierarchy of the tenant.
 */
export interface Identifiers {
  readonly agentId?: string | undefined;
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly teamId?: string | undefined;
  readonly orgId?: string | undefined;
  readonly companyId?: string | undefined;
}

export interface MemoryAddMessagesResult {
  /**
   * ADD: new. SUPERSEDE: added, and ends older memories. NOOP: already known, or outdated by a
   * newer memory.
   */
  readonly event: 'ADD' | 'SUPERSEDE' | 'NOOP';
  /** Id of the memory that says it; null if that memory has been deleted. */
  readonly id: string | null;
  /** The text of the memory, in the words of the message or of the model. */
  readonly text: string;
  /** Ids of the memories that it ends. */
  readonly supersedes: string[];
  readonly kind:
    | 'Self'
    | 'Preference'
    | 'Instruction'
    | 'Possession'
    | 'Decision'
    | 'Ownership'
    | 'Date'
    | 'Task'
    | 'Goal'
    | 'Lesson';
  /** The layer that keeps it. */
  readonly layer: Layer;
  /** Id of the message that says it. */
  readonly source: string;
  /** Why the event is NOOP. */
  readonly reason?: 'Known' | 'Outdated' | undefined;
}

export interface Subject {
  readonly kind: 'agent' | 'user';
  readonly id: string;
}

export interface Erasure {
  readonly state: 'Preview' | 'Done' | 'Nothing';
  readonly erased: MemoryEraseErased[];
  /** Null if nothing was erased. */
  readonly receipt: MemoryEraseReceipt | null;
}

export interface MemoryEraseErased {
  readonly kind:
    | 'Memory'
    | 'Turn'
    | 'Session'
    | 'User'
    | 'Document'
    | 'Line'
    | 'Proposal'
    | 'ApiKey'
    | 'Call'
    | 'AuditEntry'
    | 'Record';
  readonly count: number;
}

export interface MemoryEraseOf {
  readonly kind: 'Memory' | 'Session' | 'User' | 'Turn' | 'Tenant';
  readonly fingerprint: string | null;
}

export interface MemoryEraseErasedOutput {
  readonly kind:
    | 'Memory'
    | 'Turn'
    | 'Session'
    | 'User'
    | 'Document'
    | 'Line'
    | 'Proposal'
    | 'ApiKey'
    | 'Call'
    | 'AuditEntry'
    | 'Record';
  readonly count: number;
  /**
   * The first 32 digits of SHA-256 over `id` of the receipt, `kind` and the erased id, with a line
   * feed between them.
   */
  readonly fingerprints: string[];
}

/** What the files of the database may still contain. */
export interface MemoryEraseFile {
  readonly engine: 'sqlite' | 'mongodb';
  readonly rewritten: boolean;
  readonly remains: ('FreedBlocks' | 'Journal' | 'Oplog')[];
}

export interface MemoryEraseReceipt {
  /** Number of the receipt, from 1 and without gaps. */
  readonly sequence: number;
  readonly id: string;
  readonly of: MemoryEraseOf;
  /**
   * Who requested it: `local`, `mcp`, `key:<name>`, `jwt:<sub>` or `account:<namespace>/<name>`.
   */
  readonly by: string;
  /**
   * The receipt of the erasure that a restore had undone and that this one repeats; otherwise null.
   */
  readonly again: string | null;
  /** Milliseconds since the epoch. */
  readonly requestedAt: number;
  /** Milliseconds since the epoch. */
  readonly erasedAt: number;
  readonly erased: MemoryEraseErasedOutput[];
  /** What the files of the database may still contain. */
  readonly files: MemoryEraseFile;
  /** `hash` of the previous receipt. */
  readonly previousHash: string;
  /** SHA-256 over the whole receipt with `previousHash`. */
  readonly hash: string;
}

export interface Review {
  readonly id: string;
  /**
   * What the review is about: a turn that is held back, or a memory proposed for a broader layer.
   */
  readonly kind: 'Turn' | 'Promotion';
  readonly layer: Layer;
  readonly scopeId: string;
  /** Id of the turn or the memory. */
  readonly sourceId: string;
  /** The rule that holds the turn back. */
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
  /** The scope that a memory is proposed for. */
  readonly target: MemoryPromoteTarget | null;
  /** Who proposed the memory, when and why. */
  readonly proposed: MemoryPromoteProposed | null;
  /** `Outdated`: the text had changed or was deleted when a person approved it. */
  readonly state: 'Waiting' | 'Approved' | 'Refused' | 'Outdated';
  readonly decision: MemoryPromoteProposed | null;
  /** Id of the memory that the approved promotion created; if it is null, approve it again. */
  readonly memoryId: string | null;
  /** When it was said or proposed. */
  readonly at: number;
  /** The text under review, as it was written; null if it has changed or is gone. */
  readonly text: string | null;
  /** The tags of the memory, which go with its text. */
  readonly tags: string[];
  /** The metadata of the memory, which goes with its text. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Who wrote it: a speaker or a role, or a principal. */
  readonly by: string | null;
}

export interface MemoryPromoteTarget {
  readonly layer: Layer;
  readonly scopeId: string;
}

export interface MemoryPromoteProposed {
  readonly at: number;
  readonly principal: string;
  readonly reason: string;
}

/** Whether the text says what its sources say. */
export interface Freshness {
  readonly stale: boolean;
  /** Why it is stale; null while fresh. */
  readonly reason:
    | 'NeverGenerated'
    | 'SourceDeleted'
    | 'SourceReplaced'
    | 'SourceExpired'
    | 'SourceChanged'
    | 'MaxAge'
    | 'RecipeChanged'
    | 'LowGrounding'
    | 'Erased'
    | null;
  /** Since when it is stale; null while fresh. */
  readonly since: number | null;
  readonly needsRegeneration: boolean;
  /** When it will be checked; null if nothing is due. */
  readonly dueAt: number | null;
  /** What made it due. */
  readonly trigger: 'Changes' | 'Interval' | 'MaxAge' | 'Urgent' | 'Recipe' | 'Requested' | null;
  /** Writes that the summary does not include yet. */
  readonly changes: number;
  /**
   * Why Varve does not refresh it before `until`: a failure, or what the budget did not have. A
   * caller that is bound to identifiers does not see the amounts.
   */
  readonly hold: SummaryGetHold | null;
  /** Why it became a dead letter. */
  readonly deadLetter: SummaryGetDeadLetter | null;
}

export interface SummaryGetExhaustion {
  readonly measure: 'tokens' | 'microDollars';
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
  readonly requested: number;
  readonly periodEndsAt: number;
}

export interface SummaryGetHold {
  readonly until: number;
  readonly dueAt: number;
  readonly code: string;
  readonly since: number;
  readonly exhaustion: SummaryGetExhaustion | null;
}

export interface SummaryGetDeadLetter {
  readonly code: string;
  readonly reason: string;
  readonly at: number;
}

export interface Document {
  readonly path: string;
  readonly kind: 'Daily' | 'Core' | 'Diary' | 'Archive';
  /**
   * The version of MEMORY.md; for a file of blocks, the number of the last block in this answer.
   */
  readonly version: number;
  /** Markdown. */
  readonly text: string;
  readonly lines: DocumentLine[];
  /**
   * How many lines are hidden because a turn or memory that they rest on was deleted, or because
   * the memory expired, was superseded or was changed. In a version that you name, only lines of
   * deleted sources are hidden.
   */
  readonly outdatedLines: number;
  readonly author: 'dream' | 'caller' | 'flush';
  /** The dream that wrote the latest version. */
  readonly dreamId: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** `after` for the next call, if the file is too long for one answer. */
  readonly nextAfter: number | null;
}

export interface DocumentLine {
  readonly id: string;
  readonly heading: string | null;
  readonly text: string;
  readonly sources: string[];
  readonly trust: 'untrusted' | 'observed' | 'stated' | 'verified';
  readonly at: number;
  readonly isFixed?: boolean | undefined;
  /** The id by which lines of MEMORY.md name this block as their source; null in MEMORY.md. */
  readonly blockId: string | null;
}
