/** The recipe: everything but the sources that shapes a summary (design 6.14). */
import type { Digest } from '../hash.ts';
import type { LayerPolicy } from '../records/policy.ts';
import { DEPTHS, DEPTH_TOKENS_MAX } from '../records/summary.ts';

/** Raised when core/grounding/ changes what is kept. */
const GROUNDING_REVISION = 3;
/** Raised when other texts are asked for, or core/refresh/compose-depths.ts shows others. */
const TEXTS_REVISION = 4;

/** What of a model is part of a recipe. */
export interface RecipeModel {
  readonly name: string;
  readonly revision: string;
}

/** Prices and budgets are left out on purpose: editing one must not remake a single summary. */
export function recipeHash(
  digest: Digest,
  recipe: { layer: Pick<LayerPolicy, 'depths' | 'personalized'>; model: RecipeModel },
): string {
  const depths = DEPTHS.filter((depth) => recipe.layer.depths.includes(depth));
  return digest(
    JSON.stringify([
      [GROUNDING_REVISION, TEXTS_REVISION],
      depths.map((depth) => [depth, DEPTH_TOKENS_MAX[depth]]),
      recipe.layer.personalized,
      recipe.model.name,
      recipe.model.revision,
    ]),
  );
}

/**
 * The recipe of segments: their facts are the same for any depths, so that other depths cost no
 * call. `about` is whom a personalized text is for; null for the general one.
 */
export function segmentRecipeHash(
  digest: Digest,
  { model, about }: { model: RecipeModel; about: string | null },
): string {
  return digest(JSON.stringify(['segment', GROUNDING_REVISION, model.name, model.revision, about]));
}
