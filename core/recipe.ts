/** The recipe: everything but the sources that shapes a summary (design 6.14). */
import type { Digest } from './hash.ts';
import type { LayerPolicy } from './policy.ts';
import { DEPTHS, DEPTH_TOKENS_MAX } from './records/summary.ts';

/** Raised when the rules of core/grounding.ts or core/compose.ts change what is kept or shown. */
const COMPOSITION_REVISION = 1;

/** Prices and budgets are left out on purpose: editing one must not remake a single summary. */
export function recipeHash(
  digest: Digest,
  recipe: {
    layer: Pick<LayerPolicy, 'depths' | 'personalized'>;
    model: { name: string; revision: string };
  },
): string {
  const depths = DEPTHS.filter((depth) => recipe.layer.depths.includes(depth));
  return digest(
    JSON.stringify([
      COMPOSITION_REVISION,
      depths.map((depth) => [depth, DEPTH_TOKENS_MAX[depth]]),
      recipe.layer.personalized,
      recipe.model.name,
      recipe.model.revision,
    ]),
  );
}
