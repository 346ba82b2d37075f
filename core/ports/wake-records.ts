/** Whether a tenant has work that nobody has looked at yet. */

export interface Wake {
  readonly wanted: number;
  readonly acknowledged: number;
}

export interface WakeRecords {
  get(tenant: string): Promise<Wake>;
  /** Raises `wanted`; `edge` is true where everything wanted before had been acknowledged. */
  want(tenant: string): Promise<Wake & { readonly edge: boolean }>;
  /** Sets `acknowledged` if `wanted` is still `seen`; false: something came in between. */
  acknowledge(tenant: string, seen: number): Promise<boolean>;
}
