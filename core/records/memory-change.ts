/** One change of a memory: who did what, when, and what was there before. */
import { z } from 'zod';
import { Layer } from '../layer.ts';
import { TenantId } from '../scope.ts';

export const MEMORY_ACTIONS = [
  'Added',
  'Updated',
  'United',
  'Superseded',
  'Restored',
  'Deleted',
] as const;

export const MemoryChange = z.strictObject({
  tenant: TenantId,
  memoryId: z.string(),
  layer: Layer,
  scopeId: z.string(),
  /** The version that the change made; of a deletion the one after the last. */
  version: z.int().min(1),
  at: z.int().min(0),
  principal: z.string(),
  action: z.enum(MEMORY_ACTIONS),
  /** Values of the fields that changed, as they were before; erased with the memory. */
  before: z.record(z.string(), z.unknown()),
});
export type MemoryChange = z.infer<typeof MemoryChange>;
