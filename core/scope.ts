/** A scope: one layer of one tenant, with the identifier that names it there (design 6.2). */
import { z } from 'zod';
import { Layer } from './layer.ts';

/** Tenant ids are part of keys, workflow ids and metric-free logs, so they stay DNS-label-like. */
export const TenantId = z
  .string()
  .regex(/^[a-z0-9-]{1,63}$/, 'expected 1 to 63 characters of a-z, 0-9 and -, such as acme-1');

export const Scope = z.strictObject({
  tenant: TenantId,
  layer: Layer,
  scopeId: z.string().min(1).max(256),
});
export type Scope = z.infer<typeof Scope>;
