/** Calls with a key of the caller, so that a repetition gets the first answer. */

export type IdempotencyClaim =
  /** The key is unused, or its 7 days are over: the call goes on, and its result has this id. */
  | { readonly kind: 'New'; readonly operationId: string }
  /** The same call began before and has no answer yet: it may have died, and is to be finished. */
  | { readonly kind: 'Unfinished'; readonly operationId: string; readonly startedAt: number }
  | { readonly kind: 'Answered'; readonly answer: unknown }
  /** The key was used with another body. */
  | { readonly kind: 'OtherBody' };

export interface IdempotencyRecords {
  /** Decides in one atomic step; of many equal calls one gets `New`. */
  claim(claim: {
    tenant: string;
    key: string;
    bodyHash: string;
    operationId: string;
    now: number;
  }): Promise<IdempotencyClaim>;
  /** Stores the first answer; a later one changes nothing. */
  answer(tenant: string, key: string, answer: unknown): Promise<void>;
  /** Takes back a claim that failed before it changed anything, so that the key is free again. */
  release(tenant: string, key: string, operationId: string): Promise<void>;
  /** Forgets what has ended, a bounded number at a time; answers how many. */
  sweep(tenant: string, now: number): Promise<number>;
}
