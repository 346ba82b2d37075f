/** A hook that keeps what leaving messages say that lasts. */
import { textOf } from '#core/conversation/message.ts';
import type { Identifiers } from '#core/identifiers.ts';
import type { MemoryFlushEvent, MemoryFlushHook } from './memory-flush.ts';
import { viewOf } from './messages.ts';

export interface SaidMessage {
  readonly id?: string;
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** Of `openVarve`, or of a client of a running API. */
export interface KeepingMemory {
  addMessages(input: {
    tenant: string;
    identifiers: Identifiers;
    messages: SaidMessage[];
  }): Promise<unknown>;
}

export interface KeepMessagesOptions {
  readonly memory: KeepingMemory;
  readonly tenant: string;
  /** Whose messages they are; of the thread where it is a function. */
  readonly identifiers:
    | Identifiers
    | ((event: Pick<MemoryFlushEvent, 'threadId' | 'configurable'>) => Identifiers);
}

/** As many as one call of `memory.addMessages` takes. */
const MESSAGES_PER_CALL = 200;

/**
 * A `memoryFlushHook` that gives the messages to `memory.addMessages`. The thread is their session,
 * and a message that comes again changes nothing.
 */
export function keepMessages({
  memory,
  tenant,
  identifiers,
}: KeepMessagesOptions): MemoryFlushHook {
  return async ({ threadId, configurable, messages, signal }) => {
    const named =
      typeof identifiers === 'function' ? identifiers({ threadId, configurable }) : identifiers;
    const said = messages.flatMap(messageOf);
    for (let at = 0; at < said.length && !signal.aborted; at += MESSAGES_PER_CALL) {
      await memory.addMessages({
        tenant,
        identifiers: { ...(threadId === null ? {} : { sessionId: threadId }), ...named },
        messages: said.slice(at, at + MESSAGES_PER_CALL),
      });
    }
  };
}

/** What a person or an assistant said in words; all else has nothing to keep. */
export function messageOf(message: MemoryFlushEvent['messages'][number]): SaidMessage[] {
  const { id, role, content } = viewOf(message);
  const text = textOf(content);
  if ((role !== 'user' && role !== 'assistant') || text.trim() === '') return [];
  return [{ ...(id === null ? {} : { id }), role, content: text }];
}
