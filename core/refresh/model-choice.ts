/** Which model serves a class of a tenant, by its policy alone: whether it is to be had or not. */
import type { ModelClass } from '../records/model-class.ts';
import type { ModelChoice, TenantPolicy } from '../records/policy.ts';
import { PROMPTED_REVISION } from '../prompt/prompt.ts';
import type { RecipeModel } from './recipe.ts';

/** The name of the summarizer without a model, in summaries, ledgers and policies. */
export const EXTRACTIVE_NAME = 'extractive';

/** What serves tenants for whom no ModelProvider does. */
export interface OwnModels {
  ofClass(modelClass: ModelClass): RecipeModel;
  readonly extractive: RecipeModel;
}

/**
 * The name of a provider's model in leases, summaries and ledgers. No two providers share one: the
 * name of a provider has no slash, so the first slash parts both.
 */
export function modelNameOf({ provider, model }: ModelChoice): string {
  return model === EXTRACTIVE_NAME ? EXTRACTIVE_NAME : `${provider}/${model}`;
}

/** The model whose recipe the summaries of a class have. */
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
