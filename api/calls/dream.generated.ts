/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type {
  MemoryPromoteProposed,
  Subject,
} from './shared.generated.ts';

export interface DreamRunInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Owner of the Markdown memory: an agent or a user. */
  readonly subject: Subject;
  /**
   * How many of the latest daily files to read, beside what no dream has read in the 31 before
   * them; by default, as the DeepDream says, or the last one without a DeepDream.
   */
  readonly lookbackDays?: number | undefined;
}

export interface DreamRunOutput {
  /** Id of the dream and of its proposal; null if no dream was started. */
  readonly dreamId: string | null;
  /**
   * Running: a dream of the subject is already running, and no second one starts. NothingNew:
   * nothing was ever written for the subject, and MEMORY.md stays as it is.
   */
  readonly state: 'Started' | 'Running' | 'NothingNew';
}

export interface DreamStatusInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Owner of the Markdown memory: an agent or a user. */
  readonly subject?: Subject | undefined;
  /** Instead of `subject`: the anonymous id that the workflow runs of its dreams have. */
  readonly subjectId?: string | undefined;
}

export interface DreamStatusLast {
  readonly at: number;
  readonly dreamId: string;
  readonly outcome:
    | 'Dreamed'
    | 'Unchanged'
    | 'NothingNew'
    | 'SameContent'
    | 'DeadLettered'
    | 'Waiting'
    | 'LowGrounding'
    | 'Outdated'
    | 'BudgetExhausted'
    | 'Failed';
  readonly code?: string | undefined;
}

export interface DreamStatusOutput {
  /** Whether there is something that no dream has read yet. */
  readonly hasNew: boolean;
  /** The last dream that ended; `code` of its failure. */
  readonly last: DreamStatusLast | null;
  /** What happened to its proposal; null if it made none. */
  readonly proposal: 'Waiting' | 'Approved' | 'Applied' | 'Rejected' | 'Outdated' | null;
  /** Null if no subject has this id. */
  readonly subject: Subject | null;
  /** Null if nothing was ever written for the subject. */
  readonly subjectId: string | null;
}

export interface DreamGetInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Id of the dream. */
  readonly id: string;
}

export interface Proposal {
  readonly id: string;
  readonly subject: Subject | null;
  /** Name of the DeepDream whose rules applied. */
  readonly schedule: string | null;
  readonly state: 'Waiting' | 'Approved' | 'Applied' | 'Rejected' | 'Outdated';
  /** Why it needs approval. */
  readonly findings: ('ApprovalRequired' | 'TooManyRemoved' | 'TooManyAdded' | 'TooManyArchived')[];
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The version of MEMORY.md that the dream read; 0 if there was none. */
  readonly baseVersion: number;
  /** Lines of the new blocks that the dream read. */
  readonly readLines: number;
  readonly decision: MemoryPromoteProposed | null;
  readonly model: string;
  readonly day: string;
  readonly difference: DreamGetDifference;
  /** How many lines stay unchanged. */
  readonly kept: number;
  /** New blocks that did not fit into the model call. */
  readonly leftBlocks: number;
  readonly diary: string[];
}

export interface DreamGetDropped {
  readonly text: string;
  readonly reason: string;
}

export interface DreamGetDifference {
  readonly added: ProposedLine[];
  readonly removed: ProposedLine[];
  /** Lines that new lines replaced. */
  readonly replaced: ProposedLine[];
  /** Lines moved to memory/archive.md because there was no room. */
  readonly archived: ProposedLine[];
  /** Lines that the model proposed and the sources do not support, with the reason. */
  readonly dropped: DreamGetDropped[];
}

export interface ProposedLine {
  readonly heading: string | null;
  readonly text: string;
  readonly sources: string[];
}

export type DreamGetOutput = Proposal | null;

export interface DreamListInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Owner of the Markdown memory: an agent or a user. */
  readonly subject?: Subject | undefined;
  readonly state?: 'Waiting' | 'Approved' | 'Applied' | 'Rejected' | 'Outdated' | undefined;
  /** The id that the previous page ended with. */
  readonly before?: string | undefined;
  /** @default 20 */
  readonly limit?: number | undefined;
}

export interface DreamListDream {
  readonly id: string;
  readonly subject: Subject | null;
  /** Name of the DeepDream whose rules applied. */
  readonly schedule: string | null;
  readonly state: 'Waiting' | 'Approved' | 'Applied' | 'Rejected' | 'Outdated';
  /** Why it needs approval. */
  readonly findings: ('ApprovalRequired' | 'TooManyRemoved' | 'TooManyAdded' | 'TooManyArchived')[];
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The version of MEMORY.md that the dream read; 0 if there was none. */
  readonly baseVersion: number;
  /** Lines of the new blocks that the dream read. */
  readonly readLines: number;
  readonly decision: MemoryPromoteProposed | null;
  /** Number of lines. */
  readonly added: number;
  readonly removed: number;
  readonly archived: number;
  readonly dropped: number;
}

export interface DreamListOutput {
  readonly dreams: DreamListDream[];
  /** `before` for the next call, if there are older entries. */
  readonly nextBefore: string | null;
}

export interface DreamApproveInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Id of the dream. */
  readonly id: string;
  /** The reason; stored with the proposal. @default "" */
  readonly reason?: string | undefined;
}

export type DreamApproveOutput = Proposal;

export interface DreamRejectInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Id of the dream. */
  readonly id: string;
  /** The reason; stored with the proposal. */
  readonly reason: string;
}

export type DreamRejectOutput = Proposal;

export interface DreamSchedulesInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
}

export interface DreamSchedulesLast {
  /** The time that cron set. */
  readonly at: number;
  /** Subjects that had something new. */
  readonly started: number;
  /** How many dreams ended with each outcome. */
  readonly outcomes:
    | Readonly<Partial<Record<'Dreamed'
    | 'Unchanged'
    | 'NothingNew'
    | 'SameContent'
    | 'DeadLettered'
    | 'Waiting'
    | 'LowGrounding'
    | 'Outdated'
    | 'BudgetExhausted'
    | 'Failed', number>>>;
  readonly endedAt: number | null;
}

export interface DreamSchedulesSchedule {
  /** Name of the DeepDream. */
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  /** Null if cron never matches again, or if Varve does not know yet. */
  readonly nextAt: number | null;
  readonly last: DreamSchedulesLast | null;
}

export interface DreamSchedulesOutput {
  readonly schedules: DreamSchedulesSchedule[];
}

/** Calls of `dream`. */
export interface DreamCalls {
  /**
   * Starts a dream of one subject; `dream.status` and `dream.get` show its result. Without
   * Temporal, the dream has ended when this call returns.
   */
  readonly run: (input: DreamRunInput) => Promise<DreamRunOutput>;
  /**
   * Returns how the last dream of a subject ended, and whether there is something new for the next
   * one.
   */
  readonly status: (input: DreamStatusInput) => Promise<DreamStatusOutput>;
  /** Returns what one dream proposed, or null if it made no proposal or has not ended. */
  readonly get: (input: DreamGetInput) => Promise<DreamGetOutput>;
  /** Lists what dreams proposed, the newest first. */
  readonly list: (input: DreamListInput) => Promise<DreamListOutput>;
  /** Approves a proposal, which is then applied. */
  readonly approve: (input: DreamApproveInput) => Promise<DreamApproveOutput>;
  /** Rejects a proposal: MEMORY.md stays unchanged. */
  readonly reject: (input: DreamRejectInput) => Promise<DreamRejectOutput>;
  /** Returns when each DeepDream of a tenant runs next, and how its last run ended. */
  readonly schedules: (input: DreamSchedulesInput) => Promise<DreamSchedulesOutput>;
}
