/** The wake of a tenant: how often a refresh was wanted, and up to where that was dealt with. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';

export const WakeRecord = z.strictObject({
  tenant: TenantId,
  wanted: z.int().min(0),
  acknowledged: z.int().min(0),
  wantedAt: z.int().min(0),
});
export type WakeRecord = z.infer<typeof WakeRecord>;
