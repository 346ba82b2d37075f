/** A hook that hands leaving messages on to the session of their thread (TOK-05, TIER-05). */
import type { Identifiers } from '#core/identifiers.ts';
import { messageOf, type KeepMessagesOptions, type SaidMessage } from './keep-messages.ts';
import type { MemoryFlushEvent, MemoryFlushHook } from './memory-flush.ts';

/** Of `openVarve`, or of a client of a running API. */
export interface FlushingConversation {
  append(input: {
    tenant: string;
    sessionId: string;
    identifiers: Identifiers;
    turns: SaidMessage[];
  }): Promise<unknown>;
  flush(input: { tenant: string; sessionId: string }): Promise<{ readonly daily: string | null }>;
}

export interface FlushThreadOptions extends Omit<KeepMessagesOptions, 'memory'> {
  readonly conversation: FlushingConversation;
  /** Told of the block that was appended to the daily file, as Markdown. */
  readonly onDailySummary?: (
    summary: string,
    event: Pick<MemoryFlushEvent, 'threadId' | 'configurable'>,
  ) => unknown;
}

/** As many as one call of `conversation.append` takes. */
const TURNS_PER_CALL = 1_000;

/**
 * A `memoryFlushHook` that appends the messages to the session of the thread and flushes it: what
 * lasts becomes memories, and the daily file gets a block. Once they are appended, a flush that
 * fails is made good when the session has been silent; a message that comes again changes nothing.
 */
export function flushThread({
  conversation,
  tenant,
  identifiers,
  onDailySummary,
}: FlushThreadOptions): MemoryFlushHook {
  return async ({ id, threadId, configurable, messages, signal }) => {
    const named =
      typeof identifiers === 'function' ? identifiers({ threadId, configurable }) : identifiers;
    // Outside a thread the messages are a session by themselves.
    const session = { tenant, sessionId: threadId ?? id };
    const turns = messages.flatMap(messageOf);
    for (let at = 0; at < turns.length && !signal.aborted; at += TURNS_PER_CALL) {
      const some = turns.slice(at, at + TURNS_PER_CALL);
      await conversation.append({ ...session, identifiers: named, turns: some });
    }
    if (turns.length === 0 || signal.aborted) return;
    const { daily } = await conversation.flush(session);
    if (daily !== null) await onDailySummary?.(daily, { threadId, configurable });
  };
}
