/** Turns facts into a whole summary: texts, hashes, price, vector. */
import { VarveError } from '#core/errors.ts';
import type { EventRecord } from '#core/records/event.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Summary } from '#core/records/summary.ts';
import { composeDepths } from '#core/refresh/compose-depths.ts';
import { recipeHash } from '#core/refresh/recipe.ts';
import type { BatchScope } from './load-batch.ts';
import type { RefreshPorts, ActivityCall } from './refresh-ports.ts';
import type { MadeFacts } from './answers-to-facts.ts';

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
 * The recipe of the model that actually made the summary. It identifies the fallback for another
 * model's text, which is regenerated when it is due. Null if the model is no longer configured.
 */
function recipeOf(
  { models, platform }: RefreshPorts,
  { model, policy, layer }: { model: string; policy: TenantPolicy; layer: Summary['layer'] },
): string | null {
  const known = models.byName(model);
  if (known === undefined) return null;
  return recipeHash(platform.digest, { layer: policy.layers[layer], model: known });
}

/** Returns the event of a commit. @param summary null if the scope was emptied */
export function committedEvent(
  { platform }: Pick<RefreshPorts, 'platform'>,
  { tenant, layer }: ScopeRecord,
  summary: Summary | null,
): EventRecord {
  const event = { tenant, id: platform.newId(), at: platform.clock() };
  if (summary === null) return { ...event, type: 'memory_summary_emptied', attributes: { layer } };
  const { id, sourceCount, facts, trigger, model } = summary;
  return {
    ...event,
    type: 'memory_summary_created',
    attributes: { summaryId: id, layer, sourceCount, facts: facts.length, trigger, model },
  };
}

/** The context vector of a summary (SUM-09). */
export type Embed = (text: string) => Promise<Summary['contextVector']>;

/**
 * Returns a function that embeds a text, unless it is the same text as before. The vector is null
 * if the embedder fails: a summary without a vector is still useful, ranked by precedence alone.
 */
export function embedOnce({ embedder, platform }: RefreshPorts, { signal }: ActivityCall): Embed {
  const { generation } = embedder;
  let last: { readonly text: string; readonly vector: Summary['contextVector'] } | null = null;
  const embed: Embed = async (text) => {
    try {
      const [values] = await embedder.embed([text], { purpose: 'passage', signal });
      return values === undefined ? null : { generation, values: [...values] };
    } catch (error) {
      if (!(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
      platform.log.warn({ code: error.code }, 'summary committed without its context vector');
      return null;
    }
  };
  return async (text) => {
    if (last?.text !== text) last = { text, vector: await embed(text) };
    return last.vector;
  };
}
