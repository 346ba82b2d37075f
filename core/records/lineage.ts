/** Lineage: the reverse of every citation, from a source to the texts that rest on it. */
import { z } from 'zod';
import { Layer } from '../layer.ts';
import { TenantId } from '../scope.ts';

export const Lineage = z.strictObject({
  tenant: TenantId,
  sourceId: z.string(),
  kind: z.enum(['summary', 'segment', 'document', 'memory']),
  layer: Layer,
  scopeId: z.string(),
  /** Tells texts of one scope apart: the audience of a summary, the id of a segment. */
  part: z.string(),
});
