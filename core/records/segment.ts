/** A segment: a stable stretch of a large scope, with the facts made of it (design 6.16). */
import { z } from 'zod';
import { Layer } from '../layer.ts';
import { TenantId } from '../scope.ts';
import { Fact } from './summary.ts';

/** Not filled yet: scopes are summarised whole until segments are built. */
export const Segment = z.strictObject({
  tenant: TenantId,
  layer: Layer,
  scopeId: z.string(),
  segmentId: z.string(),
  /** Hash over its own sources: an equal hash and recipe mean that its facts still hold. */
  sourceHash: z.string(),
  recipeHash: z.string(),
  facts: z.array(Fact),
});
