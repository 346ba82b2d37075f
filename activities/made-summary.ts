/** Facts to a whole summary: texts, hashes, price, vector. */
import { composeDepths } from '#core/refresh/compose-depths.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { recipeHash } from '#core/refresh/recipe.ts';
import type { Summary } from '#core/records/summary.ts';
import type { BatchScope } from './batch.ts';
import type { Embed } from './context-vector.ts';
import type { RefreshPorts } from './refresh-ports.ts';
import type { MadeFacts } from './scope-result.ts';

export async function summaryOf(
  ports: RefreshPorts,
  { record, lease, audience, about }: BatchScope,
  { made, policy, embed }: { made: MadeFacts; policy: TenantPolicy; embed: Embed },
): Promise<Summary> {
  const { platform, tokens } = ports;
  const { tenant, layer, scopeId } = record;
  const { facts, droppedFacts, model, usage, priceMicroDollars, state } = made;
  const depths = composeDepths(facts, policy.layers[layer].depths, tokens);
  const text = (depths.paragraph ?? depths.sentence ?? depths.detailed)?.text ?? '';
  const contextVector = await embed(text);
  const now = platform.clock();
  return {
    tenant,
    layer,
    scopeId,
    audience,
    id: platform.newId(),
    facts,
    depths,
    sourceHash: state.sourceHash,
    sourceCount: state.sourceCount,
    recipeHash: recipeOf(ports, { model, policy, layer }) ?? lease.recipeHash,
    model,
    usage,
    priceMicroDollars,
    trigger: lease.trigger,
    generatedAt: now,
    checkedAt: now,
    personalized: about !== null,
    personalizationContext: about,
    droppedFacts,
    contextVector,
  };
}

/**
 * The recipe of the model that really made it: a text that stands in for another model's is known
 * by it, and made anew when it is due. Null where the model is not configured any more.
 */
function recipeOf(
  { models, platform }: RefreshPorts,
  { model, policy, layer }: { model: string; policy: TenantPolicy; layer: Summary['layer'] },
): string | null {
  const known = models.byName(model);
  if (known === undefined) return null;
  return recipeHash(platform.digest, { layer: policy.layers[layer], model: known });
}
