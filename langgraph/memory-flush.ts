/** Hands the messages that leave a conversation to a hook, beside the call that discards them. */
import type { BaseMessage } from '@langchain/core/messages';
import type { RunningSummary } from '#core/conversation/running-summary.ts';
import type { Log } from '#core/ports/platform.ts';

export interface MemoryFlushEvent {
  /** Digest of the thread and the messages' ids: the same messages again have the same id. */
  readonly id: string;
  /** `configurable.thread_id` of the call; null outside a thread. */
  readonly threadId: string | null;
  /** What is about to leave, in order, with ids. */
  readonly messages: readonly BaseMessage[];
  readonly preservedMessages: readonly BaseMessage[];
  readonly runningSummary: RunningSummary;
  /** What the caller configured for this call, as it was then: user, tenant. */
  readonly configurable: Readonly<Record<string, unknown>>;
  /** Ends when the hook has taken too long. */
  readonly signal: AbortSignal;
}

/** Whatever it answers is awaited by `settled()` alone; what it throws is logged. */
export type MemoryFlushHook = (event: MemoryFlushEvent) => unknown;

/** Hooks under way at once; beyond it the hook is not called, and that is logged as lost. */
const PENDING_MAX = 1_000;
/** A hook that takes longer is given up; its signal ends. */
const HOOK_TIMEOUT_MS = 60_000;
/** Failures that are logged one by one; after them every hundredth, with the count. */
const LOGGED_MAX = 20;
const LOGGED_EVERY = 100;

export class MemoryFlushes {
  readonly #hook: MemoryFlushHook | null;
  readonly #log: Log;
  readonly #timeoutMs: number;
  readonly #pending = new Set<Promise<void>>();
  #failures = 0;

  constructor(hook: MemoryFlushHook | null, options: { log: Log; timeoutMs?: number }) {
    this.#hook = hook;
    this.#log = options.log;
    this.#timeoutMs = options.timeoutMs ?? HOOK_TIMEOUT_MS;
  }

  /** Begins a flush and returns at once. */
  begin(event: Omit<MemoryFlushEvent, 'signal'>): void {
    const hook = this.#hook;
    if (hook === null) return;
    if (this.#pending.size >= PENDING_MAX) {
      this.#failed(event, `${String(PENDING_MAX)} flushes are under way; the hook was not called`);
      return;
    }
    const run = this.#run(hook, event);
    this.#pending.add(run);
    void run.finally(() => this.#pending.delete(run));
  }

  /** Resolves when no flush is under way, those included that begin meanwhile; never rejects. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async #run(hook: MemoryFlushHook, event: Omit<MemoryFlushEvent, 'signal'>): Promise<void> {
    const ending = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = new Error(`the hook took over ${String(this.#timeoutMs)} ms`);
        ending.abort(error);
        reject(error);
      }, this.#timeoutMs);
    });
    try {
      // A turn later, so that nothing that the hook does or throws is the caller's.
      const work = Promise.resolve({ ...event, signal: ending.signal }).then(hook);
      await Promise.race([work, late]);
    } catch (error) {
      this.#failed(event, error instanceof Error ? error.name : typeof error);
    } finally {
      clearTimeout(timer);
    }
  }

  #failed(event: Omit<MemoryFlushEvent, 'signal'>, reason: string): void {
    this.#failures += 1;
    const failures = this.#failures;
    if (failures > LOGGED_MAX && failures % LOGGED_EVERY !== 0) return;
    const fields = { flush: event.id, messages: event.messages.length, reason, failures };
    this.#log.error(fields, 'memory flush hook failed; its messages are in the summary only');
  }
}
