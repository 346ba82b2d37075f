/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type {
  MemoryAddInput,
  MemoryAddMessagesInput,
  MemoryBulkAddInput,
  MemoryBulkDeleteInput,
  MemoryCompactInput,
  MemoryCompactionStatusInput,
  MemoryDeleteInput,
  MemoryEraseInput,
  MemoryGetInput,
  MemoryHistoryInput,
  MemoryListInput,
  MemoryPromoteInput,
  MemorySearchInput,
  MemoryUpdateInput,
} from './memory-inputs.generated.ts';
import type {
  MemoryAddMessagesOutput,
  MemoryAddOutput,
  MemoryBulkAddOutput,
  MemoryBulkDeleteOutput,
  MemoryCompactOutput,
  MemoryCompactionStatusOutput,
  MemoryDeleteOutput,
  MemoryEraseOutput,
  MemoryGetOutput,
  MemoryHistoryOutput,
  MemoryListOutput,
  MemoryPromoteOutput,
  MemorySearchOutput,
  MemoryUpdateOutput,
} from './memory-answers.generated.ts';

/** Calls of `memory`. */
export interface MemoryCalls {
  /**
   * Adds a memory to the scope that the layer and the identifiers name. For messages, use
   * `memory.addMessages`.
   */
  readonly add: (input: MemoryAddInput) => Promise<MemoryAddOutput>;
  /**
   * Adds many memories, each with its own outcome. If one input is invalid, Varve refuses the whole
   * call before it writes anything.
   */
  readonly bulkAdd: (input: MemoryBulkAddInput) => Promise<MemoryBulkAddOutput>;
  /**
   * Returns a memory by its id, or null if no memory that is open to the caller has this id, or the
   * memory has expired.
   */
  readonly get: (input: MemoryGetInput) => Promise<MemoryGetOutput>;
  /**
   * Changes the text, the tags or metadata fields of a memory. A call that changes nothing makes no
   * new version.
   */
  readonly update: (input: MemoryUpdateInput) => Promise<MemoryUpdateOutput>;
  /**
   * Deletes a memory; facts that rest on it leave every summary at once. A turn that says the same
   * stays: `conversation.delete` deletes it. The history of the memory keeps the text for admins of
   * the tenant until you erase it. For an unknown id, `deleted` is false: you can repeat the call.
   */
  readonly delete: (input: MemoryDeleteInput) => Promise<MemoryDeleteOutput>;
  /**
   * Deletes many memories. An id that does not exist, or that the caller may not see, counts as
   * deleted.
   */
  readonly bulkDelete: (input: MemoryBulkDeleteInput) => Promise<MemoryBulkDeleteOutput>;
  /**
   * Extracts the lasting statements of messages: preferences, facts about the user, decisions,
   * owners, dates. Varve compares each with what its scope knows; a correction ends what it
   * corrects. Rules read the messages, or the model that the policy of the tenant names; both leave
   * out what is in doubt.
   */
  readonly addMessages: (input: MemoryAddMessagesInput) => Promise<MemoryAddMessagesOutput>;
  /**
   * Finds what fits a question, by words and by vectors: memories, turns of past sessions and lines
   * of files in every layer that the identifiers open.
   */
  readonly search: (input: MemorySearchInput) => Promise<MemorySearchOutput>;
  /**
   * Lists the memories that the identifiers open, page by page, and marks what newer ones replace.
   */
  readonly list: (input: MemoryListInput) => Promise<MemoryListOutput>;
  /**
   * Lists the changes of a memory, the newest first. Only admins of the tenant see the earlier
   * texts of a deleted memory.
   */
  readonly history: (input: MemoryHistoryInput) => Promise<MemoryHistoryOutput>;
  /**
   * Deletes the text of turns that are older than their retention time, once a summary covers them
   * and a flush made memories of them, except sentences that summaries cite. Without Temporal, the
   * call does this at once.
   */
  readonly compact: (input: MemoryCompactInput) => Promise<MemoryCompactOutput>;
  /** Returns how the last durable compaction of a tenant ended. */
  readonly compactionStatus:
    (input: MemoryCompactionStatusInput) => Promise<MemoryCompactionStatusOutput>;
  /**
   * Erases a memory, a turn, a session or a person for good: the originals, everything made from
   * them, their history, and every record that names them. The database then rewrites its files,
   * and summaries that others share are regenerated. To continue an interrupted call, repeat it.
   */
  readonly erase: (input: MemoryEraseInput) => Promise<MemoryEraseOutput>;
  /**
   * Proposes a memory for a broader layer, such as a team. Once a person approves it
   * (`review.approve`), that layer gets a memory with the same text, which names the original as
   * its source. The same text can be proposed for the same scope only once.
   */
  readonly promote: (input: MemoryPromoteInput) => Promise<MemoryPromoteOutput>;
}
