/** The recipe: everything but the sources that shapes a summary (design 6.14). */
import type { Digest } from '../hash.ts';
import type { LayerPolicy } from '../records/policy.ts';
import { DEPTHS, DEPTH_TOKENS_MAX } from '../records/summary.ts';

/** Raise this when core/grounding/ changes which facts are kept. */
const GROUNDING_REVISION = 3;
/** Raise this when prompts ask for other texts, or core/refresh/compose-depths.ts shows others. */
const TEXTS_REVISION = 4;

/** The part of a model that belongs to a recipe. */
export interface RecipeModel {
  readonly name: string;
  readonly revision: string;
}

/** Prices and budgets are left out on purpose: editing them must not regenerate any summary. */
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
 * Returns the recipe of segments. Their facts are the same for all depths, so that other depths
 * cost no call. `about` is the audience of a personalized text; null for the general one.
 */
export function segmentRecipeHash(
  digest: Digest,
  { model, about }: { model: RecipeModel; about: string | null },
): string {
  return digest(JSON.stringify(['segment', GROUNDING_REVISION, model.name, model.revision, about]));
}
