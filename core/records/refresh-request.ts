/** Refresh requests of a tenant: how many were made, and how many were acknowledged. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';

export const RefreshRequestRecord = z.strictObject({
  tenant: TenantId,
  wanted: z.int().min(0),
  acknowledged: z.int().min(0),
  wantedAt: z.int().min(0),
});
export type RefreshRequestRecord = z.infer<typeof RefreshRequestRecord>;
