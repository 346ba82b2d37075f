/** Passes the messages that leave a conversation to a hook, without delaying the call. */
import type { BaseMessage } from '@langchain/core/messages';
import type { RunningSummary } from '#core/running-summary/running-summary.ts';
import type { Identifiers } from '#core/identifiers.ts';
import { KINDS, optional, required, requireOptions, type Option } from '#core/check-options.ts';
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';
import { MEMORY_LENGTH_MAX } from '#core/records/memory.ts';
import { TURN_LENGTH_MAX } from '#core/records/turn.ts';
import { callsWith, splitLongMessage } from '#core/sessions/split-long-message.ts';
import { queuePerName } from '#core/queue-per-name.ts';
import { loggedReason } from './code-of-failure.ts';
import { messageOf, toTurns, type SaidMessage, type SaidTurn } from './messages-to-turns.ts';

export interface MemoryFlushEvent {
  /** Digest of the thread and the messages' ids: the same messages always have the same id. */
  readonly id: string;
  /** `configurable.thread_id` of the call; null outside a thread. */
  readonly threadId: string | null;
  /** The messages that are about to leave, in order, with ids. */
  readonly messages: readonly BaseMessage[];
  readonly preservedMessages: readonly BaseMessage[];
  readonly runningSummary: RunningSummary;
  /** The caller's configuration of this call, such as user and tenant, as it was then. */
  readonly configurable: Readonly<Record<string, unknown>>;
  /** Aborted when the hook has taken too long. */
  readonly signal: AbortSignal;
}

/** Only `settled()` waits for the hook's result; errors are logged, and `onHookError` gets them. */
export type MemoryFlushHook = (event: MemoryFlushEvent) => unknown;

/** What a failed hook got: its messages are in the summary only, unless they are kept here. */
export type FailedMemoryFlush = Omit<MemoryFlushEvent, 'signal'>;
export type MemoryFlushErrorHook = (error: unknown, event: FailedMemoryFlush) => unknown;

/** Maximum hooks running at once; above it, the hook is not called, and the log says so. */
const PENDING_MAX = 1_000;
/** A hook that takes longer is abandoned, and its signal is aborted. */
const HOOK_TIMEOUT_MS = 60_000;
/** Failures that are logged one by one; after that, every hundredth is logged with the count. */
const LOGGED_MAX = 20;
const LOGGED_EVERY = 100;

export class MemoryFlushes {
  readonly #hook: MemoryFlushHook | null;
  readonly #log: Log;
  readonly #onError: MemoryFlushErrorHook | undefined;
  readonly #timeoutMs: number;
  readonly #pending = new Set<Promise<void>>();
  /** By thread. */
  readonly #inQueue = queuePerName();
  #failures = 0;

  constructor(
    hook: MemoryFlushHook | null,
    options: { log: Log; timeoutMs?: number; onError?: MemoryFlushErrorHook | undefined },
  ) {
    this.#hook = hook;
    this.#log = options.log;
    this.#onError = options.onError;
    this.#timeoutMs = options.timeoutMs ?? HOOK_TIMEOUT_MS;
  }

  /**
   * Starts a flush and returns at once. Flushes of one thread run one after another: if a slow one
   * were overtaken, its older turns would come after the newer ones.
   */
  begin(event: FailedMemoryFlush): void {
    const hook = this.#hook;
    if (hook === null) return;
    if (this.#pending.size >= PENDING_MAX) {
      const message =
        `The hook was not called because ${String(PENDING_MAX)} flushes are already running. ` +
        'Make the hook faster, or await settled() before more messages leave.';
      this.#wait(this.#failed(event, new VarveError('RATE_LIMITED', message)));
      return;
    }
    const { threadId } = event;
    const run = () => this.#run(hook, event);
    this.#wait(threadId === null ? run() : this.#inQueue(threadId, run));
  }

  /** Lets `settled()` wait for a promise. */
  #wait(work: Promise<void>): void {
    this.#pending.add(work);
    work.finally(() => this.#pending.delete(work)).catch(() => undefined);
  }

  /** Resolves when no flush is running, including those that start meanwhile; never rejects. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async #run(hook: MemoryFlushHook, event: FailedMemoryFlush): Promise<void> {
    try {
      await this.#inTime('The hook', (signal) => hook({ ...event, signal }));
    } catch (error) {
      await this.#failed(event, error);
    }
  }

  /** Calls a function of the application. @throws VarveError TIMEOUT, and what the call throws */
  async #inTime(name: string, call: (signal: AbortSignal) => unknown): Promise<void> {
    const ending = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const message = `${name} did not finish within ${String(this.#timeoutMs)} ms.`;
        const error = new VarveError('TIMEOUT', message);
        ending.abort(error);
        reject(error);
      }, this.#timeoutMs);
    });
    try {
      // Start in a later turn of the event loop, so that nothing it does or throws reaches the
      // caller.
      await Promise.race([Promise.resolve(ending.signal).then(call), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Never rejects. */
  async #failed(event: FailedMemoryFlush, error: unknown): Promise<void> {
    this.#failures += 1;
    const message = 'memory flush hook failed; its messages are in the summary only';
    this.#logFailure(event, error, message);
    const onError = this.#onError;
    if (onError === undefined) return;
    try {
      await this.#inTime('onHookError', () => onError(error, event));
    } catch (cause) {
      this.#logFailure(event, cause, 'onHookError failed; the messages are in the summary only');
    }
  }

  #logFailure(event: FailedMemoryFlush, error: unknown, message: string): void {
    const failures = this.#failures;
    if (failures > LOGGED_MAX && failures % LOGGED_EVERY !== 0) return;
    const reason = loggedReason(error);
    const fields = { flush: event.id, messages: event.messages.length, reason, failures };
    this.#log.error(fields, message);
  }
}

/** `conversation` of `openVarve` or of a client of a running API. */
export interface FlushingConversation {
  append(input: {
    tenant: string;
    sessionId: string;
    identifiers: Identifiers;
    turns: SaidTurn[];
  }): Promise<unknown>;
  flush(input: { tenant: string; sessionId: string }): Promise<{ readonly daily: string | null }>;
}

export interface FlushThreadOptions extends Omit<AddThreadMessagesOptions, 'memory'> {
  readonly conversation: FlushingConversation;
  /** Tools whose calls and results are not kept, such as tools that answer from memory. */
  readonly omitTools?: readonly string[];
  /** Called with the block that was appended to the daily file, as Markdown. */
  readonly onDailySummary?: (
    summary: string,
    event: Pick<MemoryFlushEvent, 'threadId' | 'configurable'>,
  ) => unknown;
}

const FLUSH_THREAD: Readonly<Record<keyof FlushThreadOptions, Option>> = {
  conversation: required(KINDS.part),
  tenant: required(KINDS.text),
  identifiers: required(KINDS.identifiersOrCallback),
  omitTools: optional(KINDS.texts),
  onDailySummary: optional(KINDS.callback),
};

/** The maximum of one call of `conversation.append`. */
const TURNS_PER_CALL = 1_000;

/**
 * Returns a `memoryFlushHook` that appends the messages to the session of the thread and flushes
 * it: what lasts becomes memories, and the daily file gets a block. If a flush fails after the
 * append, it is retried once the session has been silent. A repeated message changes nothing.
 * @throws VarveError INVALID_INPUT for unknown or missing options: a hook that fails is only logged
 */
export function flushThread(options: FlushThreadOptions): MemoryFlushHook {
  requireOptions(options, FLUSH_THREAD);
  const { conversation, tenant, identifiers, omitTools = [], onDailySummary } = options;
  const omitted = new Set(omitTools);
  return async ({ id, threadId, configurable, messages, signal }) => {
    const named =
      typeof identifiers === 'function' ? identifiers({ threadId, configurable }) : identifiers;
    // Outside a thread, the messages form their own session.
    const session = { tenant, sessionId: threadId ?? id };
    const turns = toTurns(messages, omitted).flatMap((turn) =>
      splitLongMessage(turn, TURN_LENGTH_MAX),
    );
    for (const some of callsWith(turns, TURNS_PER_CALL)) {
      if (signal.aborted) return;
      await conversation.append({ ...session, identifiers: named, turns: some });
    }
    if (turns.length === 0 || signal.aborted) return;
    const { daily } = await conversation.flush(session);
    if (daily !== null) await onDailySummary?.(daily, { threadId, configurable });
  };
}

/** `memory` of `openVarve` or of a client of a running API. */
export interface MessageMemory {
  addMessages(input: {
    tenant: string;
    identifiers: Identifiers;
    messages: SaidMessage[];
  }): Promise<unknown>;
}

export interface AddThreadMessagesOptions {
  readonly memory: MessageMemory;
  readonly tenant: string;
  /** Whose messages they are; a function gets the thread. */
  readonly identifiers:
    | Identifiers
    | ((event: Pick<MemoryFlushEvent, 'threadId' | 'configurable'>) => Identifiers);
}

const ADD_THREAD_MESSAGES: Readonly<Record<keyof AddThreadMessagesOptions, Option>> = {
  memory: required(KINDS.part),
  tenant: required(KINDS.text),
  identifiers: required(KINDS.identifiersOrCallback),
};

/** The maximum of one call of `memory.addMessages`. */
const MESSAGES_PER_CALL = 200;

/**
 * Returns a `memoryFlushHook` that passes the messages to `memory.addMessages`. The thread is their
 * session; a repeated message changes nothing.
 * @throws VarveError INVALID_INPUT for unknown or missing options
 */
export function addThreadMessages(options: AddThreadMessagesOptions): MemoryFlushHook {
  requireOptions(options, ADD_THREAD_MESSAGES);
  const { memory, tenant, identifiers } = options;
  return async ({ threadId, configurable, messages, signal }) => {
    const named =
      typeof identifiers === 'function' ? identifiers({ threadId, configurable }) : identifiers;
    const said = messages
      .flatMap(messageOf)
      .flatMap((message) => splitLongMessage(message, MEMORY_LENGTH_MAX));
    const whose = { ...(threadId === null ? {} : { sessionId: threadId }), ...named };
    for (const some of callsWith(said, MESSAGES_PER_CALL)) {
      if (signal.aborted) return;
      await memory.addMessages({ tenant, identifiers: whose, messages: some });
    }
  };
}
