/** Chooses the model for a tenant's model class by policy alone, even if it is unavailable. */
import type { ModelClass } from '../records/model-class.ts';
import type { ModelChoice, TenantPolicy } from '../records/policy.ts';
import { PROMPTED_REVISION } from '../prompt/summary-prompt.ts';
import type { RecipeModel } from './recipe.ts';

/** Name of the summarizer without a model, in summaries, ledgers and policies. */
export const EXTRACTIVE_NAME = 'extractive';

/** The models for tenants without a ModelProvider. */
interface OwnModels {
  ofClass(modelClass: ModelClass): RecipeModel;
  readonly extractive: RecipeModel;
}

/**
 * Returns the name of a provider's model in leases, summaries and ledgers. It is unambiguous: a
 * provider's name has no slash, so the first slash separates the two parts.
 */
export function modelNameOf({ provider, model }: ModelChoice): string {
  return model === EXTRACTIVE_NAME ? EXTRACTIVE_NAME : `${provider}/${model}`;
}

/** Returns the model whose recipe the summaries of a class have. */
export function desiredModel(
  { models }: Pick<TenantPolicy, 'models'>,
  modelClass: ModelClass,
  own: OwnModels,
): RecipeModel {
  const choice = models?.[modelClass] ?? null;
  if (choice === null) return own.ofClass(modelClass);
  if (choice.model === EXTRACTIVE_NAME) return own.extractive;
  return { name: modelNameOf(choice), revision: PROMPTED_REVISION };
}
