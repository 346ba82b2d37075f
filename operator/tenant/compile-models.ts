/** Which models the tenants of a namespace have: pure, over the providers that were accepted. */
import { EXTRACTIVE_NAME } from '#core/refresh/model-choice.ts';
import { isAllowedIn, type ModelProvider } from '#core/records/model-provider-spec.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import type { ModelChoice, PolicyModels } from '#core/records/policy.ts';

/** A ModelProvider that was accepted, as its resource and its compiled spec say. */
export interface AcceptedProvider {
  readonly name: string;
  readonly uid: string;
  /** RFC 3339, as the API server writes it. */
  readonly createdAt: string;
  readonly provider: ModelProvider;
}

/**
 * For each class the oldest provider that allows the namespace and has a model of the class, and of
 * it the first such model. Undefined where there is none for either: then the field stays out of
 * the policy, whose hash is that of a policy without providers.
 * @param allowedModels names that the platform allows; null for all. What costs nothing needs none.
 */
export function chooseModels(
  accepted: readonly AcceptedProvider[],
  namespace: string,
  allowedModels: readonly string[] | null = null,
): PolicyModels | undefined {
  const allowed = accepted
    .filter(({ provider }) => isAllowedIn(provider, namespace))
    .toSorted(byAge);
  const economy = choose(allowed, 'economy', allowedModels);
  const standard = choose(allowed, 'standard', allowedModels);
  return economy === null && standard === null ? undefined : { economy, standard };
}

function choose(
  providers: readonly AcceptedProvider[],
  modelClass: ModelClass,
  allowedModels: readonly string[] | null,
): ModelChoice | null {
  for (const { name, provider } of providers) {
    const model = modelOf(provider, modelClass);
    const isFree = provider.extractive !== undefined;
    const isAllowed = isFree || allowedModels === null || allowedModels.includes(model ?? '');
    if (model !== null && isAllowed) return { provider: name, model };
  }
  return null;
}

/** Null where the provider has no model of the class. */
function modelOf({ openai, extractive }: ModelProvider, modelClass: ModelClass): string | null {
  if (extractive !== undefined) return EXTRACTIVE_NAME;
  return openai?.models.find(({ classes }) => classes.includes(modelClass))?.name ?? null;
}

/** Made in one second, the smaller uid is the older one: any order, and always the same. */
function byAge(a: AcceptedProvider, b: AcceptedProvider): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.uid < b.uid ? -1 : 1);
}
