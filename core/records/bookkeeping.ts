/** Records about calls: what is still to be delivered, was answered before, or was done by whom. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';

/** Not filled yet: delivered by polling, at least once, in the order of `visibleAt`. */
export const OutboxEntry = z.strictObject({
  tenant: TenantId,
  id: z.string(),
  kind: z.string(),
  visibleAt: z.int().min(0),
  attempts: z.int().min(0),
  body: z.record(z.string(), z.unknown()),
});

/** How long a key gives its first answer again: 7 days (design 6.6). */
export const IDEMPOTENCY_MS = 7 * 24 * 60 * 60 * 1_000;

/** The first answer to a key, and the hash of the body it answered. */
export const IdempotencyRecord = z.strictObject({
  tenant: TenantId,
  key: z.string(),
  bodyHash: z.string(),
  /** Id of what the call makes, so that a repeated call makes the same. */
  operationId: z.string(),
  startedAt: z.int().min(0),
  expiresAt: z.int().min(0),
  /** Null until the call has its answer. */
  answer: z.unknown(),
});
export type IdempotencyRecord = z.infer<typeof IdempotencyRecord>;

/** Not filled yet: who did what, with ids and never with memory text. */
export const AuditEntry = z.strictObject({
  tenant: TenantId,
  id: z.string(),
  at: z.int().min(0),
  principal: z.string(),
  action: z.string(),
  attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
