/** A document of the Markdown tier: daily blocks, MEMORY.md, dream diaries, proposals. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';

/** Not filled yet: the Markdown tier comes with dreams. A version is never written over. */
export const Document = z.strictObject({
  tenant: TenantId,
  /** Whose Markdown memory it is: an agent or a user. */
  subject: z.string(),
  /** Within the subject's folder, e.g. `memory/2026-11-21.md`. */
  path: z.string(),
  version: z.int().min(1),
  /** Lines with the ids that each rests on. */
  lines: z.array(z.strictObject({ text: z.string(), sources: z.array(z.string()) })),
  updatedAt: z.int().min(0),
});
