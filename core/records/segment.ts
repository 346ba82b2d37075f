/** A segment: a stable stretch of a large scope, with the facts made of it (design 6.16). */
import { z } from 'zod';
import { Layer } from '../layer.ts';
import { TenantId } from '../scope.ts';
import { Fact } from './summary.ts';

export const Segment = z.strictObject({
  tenant: TenantId,
  layer: Layer,
  scopeId: z.string(),
  /** Hash over its level, what it was made of and the recipe: another input is another segment. */
  segmentId: z.string(),
  /** 0: made of sources; above: chosen from the facts of segments of the level below. */
  level: z.int().min(0),
  /** Hash over its own sources, or over the ids of the segments below it. */
  sourceHash: z.string(),
  recipeHash: z.string(),
  facts: z.array(Fact),
});
export type Segment = z.infer<typeof Segment>;
