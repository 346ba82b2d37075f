/** Idempotency records: the answers to earlier calls. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';

/** How long a key returns its first answer: 7 days (design 6.6). */
export const IDEMPOTENCY_MS = 7 * 24 * 60 * 60 * 1_000;

/** The first answer to a key, and the hash of the body it answered. */
export const IdempotencyRecord = z.strictObject({
  tenant: TenantId,
  key: z.string(),
  bodyHash: z.string(),
  /** Id of what the call makes, so that a repeated call makes the same thing. */
  operationId: z.string(),
  startedAt: z.int().min(0),
  expiresAt: z.int().min(0),
  /** Null until the call has its answer. */
  answer: z.unknown(),
});
export type IdempotencyRecord = z.infer<typeof IdempotencyRecord>;
