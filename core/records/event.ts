/** An event: something that happened to a tenant. It has ids and counts, never memory text. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';

export const EVENT_TYPES = [
  'memory_summary_created',
  'memory_summary_checked',
  'memory_summary_emptied',
  'memory_summary_refused',
  'memory_batch_dead_lettered',
  'memory_dream_ended',
  'memory_proposal_decided',
  'memory_compaction_completed',
  'memory_erasure_completed',
  'memory_policy_applied',
  'memory_budget_granted',
  'memory_refresh_retried',
] as const;

export const EventRecord = z.strictObject({
  tenant: TenantId,
  id: z.string(),
  at: z.int().min(0),
  type: z.enum(EVENT_TYPES),
  attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
export type EventRecord = z.infer<typeof EventRecord>;
