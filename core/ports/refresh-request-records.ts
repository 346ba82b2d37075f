/** Whether a tenant has work that no refresher has seen yet. */

export interface RefreshRequest {
  readonly wanted: number;
  readonly acknowledged: number;
}

export interface RefreshRequestRecords {
  get(tenant: string): Promise<RefreshRequest>;
  /** Raises `wanted`; `edge` is true where everything wanted before had been acknowledged. */
  want(tenant: string): Promise<RefreshRequest & { readonly edge: boolean }>;
  /** Sets `acknowledged` if `wanted` is still `seen`; false: something came in between. */
  acknowledge(tenant: string, seen: number): Promise<boolean>;
}
