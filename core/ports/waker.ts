/** The waker port: tells whoever refreshes that a tenant has something due. */

export interface Waker {
  /** Returns when the wake is accepted. A lost wake delays and never loses: the tick finds it. */
  wake(tenant: string, message: { readonly urgent: boolean }): Promise<void>;
}
