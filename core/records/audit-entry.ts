/** What a caller did or was refused: who, what and which ids; never the text. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';

/** Of one tenant; the oldest go first. */
export const AUDIT_ENTRIES_MAX = 1_000_000;
/** Ids that an entry names; of the rest it says how many they are. */
export const AUDIT_IDS_MAX = 100;
export const AUDIT_DAYS_DEFAULT = 90;
export const AUDIT_DAYS_MAX = 3_650;

export const AuditEntry = z.strictObject({
  /** The tenant of the caller if it has only one, else that of the call. */
  tenant: TenantId,
  /** Rises with time. */
  id: z.string(),
  at: z.int().min(0),
  principal: z.string(),
  /** Such as `memory.add`. */
  operation: z.string(),
  /** `Done`, or the code of the error. */
  outcome: z.string(),
  /** By the name of the field that had them in the call or its answer. */
  ids: z.record(z.string(), z.array(z.string())),
  idsLeftOut: z.int().min(0),
  expiresAt: z.int().min(0),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
