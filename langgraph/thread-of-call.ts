/** Reads the thread of a call of a graph. */

/** The configuration of a call, or the runtime of an agent. */
export interface CallOfThread {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns `configurable.thread_id`; null outside a thread. */
export function threadOf(call: CallOfThread | undefined): string | null {
  const thread = call?.configurable?.['thread_id'];
  return typeof thread === 'string' || typeof thread === 'number' ? String(thread) : null;
}
