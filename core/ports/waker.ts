/** The waker port: tells whoever refreshes that a tenant has something due. */

export interface Waker {
  /** Returns when the wake is accepted. A lost wake delays and never loses: the tick finds it. */
  wake(tenant: string, message: { readonly urgent: boolean }): Promise<void>;
  /**
   * Sees to it that a run works on a change of the embedding model that involves these generations.
   * Absent where no workflows run.
   */
  continueReembed?(generations: readonly string[]): Promise<void>;
}

/** Whether what is due will be refreshed. */
export interface RefreshHealth {
  readonly ok: boolean;
  /** What is wrong and how to mend it; empty where nothing is. */
  readonly findings: readonly string[];
}
