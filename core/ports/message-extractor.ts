/** Reads messages with the model that a tenant's policy names, and keeps what lasts. */
import type { Identifiers } from '../identifiers.ts';
import type { ExtractionResult, RulesReason } from '../records/extracted-statement.ts';
import type { SaidAt } from '../said-at.ts';
import type { Scope } from '../scope.ts';

/** Whose memories statements become. */
export interface Keeping {
  readonly tenant: string;
  readonly identifiers: Identifiers;
  /** The principal that the memories are attributed to. */
  readonly by: string;
  /** Returns false for a scope to leave out; called for each scope before any write. */
  readonly mayWrite: (scope: Scope) => boolean;
  /** The caller's metadata fields, in addition to those that extraction sets. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly expiresAt: number | null;
}

/** A message as its caller sends it. */
export interface SentMessage {
  /** With an id, it takes effect once, even if it is sent again. */
  readonly id: string | undefined;
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  readonly speaker: string | null;
  readonly content: string;
  /** Now if undefined. */
  readonly said: SaidAt | undefined;
}

export interface ReadMessages {
  readonly results: readonly ExtractionResult[];
  /** Null if the model read all messages; otherwise why rules read some or all. */
  readonly reason: RulesReason | null;
}

export interface MessageExtractor {
  /**
   * Reads messages and keeps what lasts. Returns a reason if no model can be called here; then
   * nothing was read.
   * @param call identifies the messages, what is to be kept, and the rights of the caller: equal
   * calls at once share an answer
   * @throws VarveError FORBIDDEN for a released tenant, CONFLICT while another process has the
   * model read the same messages, and what the store throws
   */
  read(
    messages: readonly SentMessage[],
    keeping: Keeping,
    call: string,
  ): Promise<ReadMessages | RulesReason>;
}
