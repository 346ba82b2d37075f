/** What a caller did, or tried and was refused: who, what and which ids; never the text. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';

/** The most entries of one tenant; the oldest are deleted first. */
export const AUDIT_ENTRIES_MAX = 1_000_000;
/** The most ids in an entry; for more, it has only their number. */
export const AUDIT_IDS_MAX = 100;
export const AUDIT_DAYS_DEFAULT = 90;
export const AUDIT_DAYS_MAX = 3_650;

export const AuditEntry = z.strictObject({
  /** The tenant of the caller if it has only one, otherwise that of the call. */
  tenant: TenantId,
  /** Rises with time. */
  id: z.string(),
  at: z.int().min(0),
  principal: z.string(),
  /** The operation, such as `memory.add`. */
  operation: z.string(),
  /** `Done`, or the error code. */
  outcome: z.string(),
  /** By the name of the field that contained them in the call or its answer. */
  ids: z.record(z.string(), z.array(z.string())),
  idsLeftOut: z.int().min(0),
  expiresAt: z.int().min(0),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
