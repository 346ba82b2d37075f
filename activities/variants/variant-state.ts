/** All that the decision on a variant rests on, as it is now. */
import { personalizationContext, scopeOfAudience } from '#core/variants/audience.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { recipeHash, type RecipeModel } from '#core/refresh/recipe.ts';
import type { Variant } from '#core/records/variant.ts';
import type { Scope } from '#core/scope.ts';
import { servedSummary, type ServeRules } from '#core/refresh/served-summary.ts';
import { variantRecipeHash, type VariantState } from '#core/variants/variant.ts';
import type { RefreshPorts } from '../refresh-ports.ts';

export interface KnownVariant extends VariantState {
  readonly model: RecipeModel;
  /** What the context was taken from, in words without any of its text; null without a context. */
  readonly contextOrigin: string | null;
}

export async function readVariantState(
  ports: RefreshPorts,
  policy: TenantPolicy,
  variant: Variant,
): Promise<KnownVariant> {
  const { store, platform } = ports;
  const { audience } = variant;
  // The scope's row first: a commit in between then fails by its version.
  const record = await store.scopes.get(variant);
  const layer = policy.layers[variant.layer];
  const model = ports.models.ofClass(layer.modelClass);
  const own = recipeHash(platform.digest, { layer, model });
  return {
    variant,
    isPersonalized: layer.personalized,
    record,
    general: await store.summaries.get(variant, ''),
    made: await store.summaries.get(variant, audience),
    recipeHash: variantRecipeHash(platform.digest, own, audience),
    ...(await readContext(ports, policy, variant)),
    now: platform.clock(),
    model,
  };
}

/**
 * What may be served of the audience's own summary, without what was deleted from it. Its text is
 * shown to the model and stored nowhere else: a copy in another scope would outlive a deletion.
 */
async function readContext(
  ports: RefreshPorts,
  policy: TenantPolicy,
  { tenant, audience }: Variant,
): Promise<Pick<KnownVariant, 'context' | 'contextOrigin'>> {
  const nothing = { context: null, contextOrigin: null };
  const scope = scopeOfAudience(tenant, audience);
  if (scope === null) return nothing;
  const { store, tokens } = ports;
  const record = await store.scopes.get(scope);
  const summary = await store.summaries.get(scope, '');
  if (summary === null) return nothing;
  const rules = { ...serveRules(ports, policy, scope), tokens };
  const context = personalizationContext(servedSummary(summary, record, rules), tokens);
  const contextOrigin = context === null ? null : `summary ${summary.id} of the ${scope.layer}`;
  return { context, contextOrigin };
}

function serveRules(
  { platform }: RefreshPorts,
  policy: TenantPolicy,
  { layer }: Scope,
): Omit<ServeRules, 'tokens'> {
  // How fresh it is does not matter here: only what was dropped from it does.
  return { recipeHash: '', policy: policy.layers[layer], now: platform.clock() };
}
