/** A text without a model for a scope that was given up, or whose model is not to be had. */
import { citedIds } from '#core/refresh/due-action.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Summary } from '#core/records/summary.ts';
import { applyCommit } from '#core/sources/scope-change.ts';
import { waitsForModel } from '#core/refresh/scope-failure.ts';
import { duePolicyOf } from '#core/policy/tenant-policy.ts';
import { scopeState, type BatchScope } from './batch.ts';
import type { Embed } from './context-vector.ts';
import { summaryOf } from './made-summary.ts';
import { quotedFacts } from './quoted-facts.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';
import { planScope, wholePart } from './scope-plan.ts';
import type { MadeFacts } from './scope-result.ts';

export interface FallbackRules {
  readonly policy: TenantPolicy;
  readonly embed: Embed;
  readonly call: ActivityCall;
}

/**
 * Writes the record of a failed scope. The extractive summary stands in where the scope is given up
 * and has none of a model, and where it has none at all and waits for its model. False where
 * somebody wrote to the scope meanwhile.
 */
export async function writeFailed(
  ports: RefreshPorts,
  scope: BatchScope,
  { failed, ...rules }: FallbackRules & { failed: ScopeRecord },
): Promise<boolean> {
  const before = await ports.store.summaries.get(scope.record, scope.audience);
  const isPending = failed.deadLetter === null ? waitsForModel(failed) && before === null : true;
  const made = isPending ? await extractiveFallback(ports, scope, { ...rules, before }) : null;
  if (made === null) return ports.store.scopes.replace(failed);
  return commitFallback(ports, scope, { ...rules, made, failed });
}

/** Facts without a model; null where a model's summary is there, or a scope is too large for it. */
async function extractiveFallback(
  ports: RefreshPorts,
  scope: BatchScope,
  { policy, call, before }: FallbackRules & { before: Summary | null },
): Promise<MadeFacts | null> {
  const { extractive } = ports.models;
  if (scope.lease.model === extractive.name) return null;
  if (before !== null && before.model !== extractive.name) return null;
  if ((await planScope(ports, scope, extractive)).plan.kind !== 'Whole') return null;
  const judged = await quotedFacts(ports, wholePart(ports, scope, policy), call);
  if (judged.verdict !== 'Good' || judged.facts.length === 0) return null;
  return {
    facts: [...judged.facts],
    droppedFacts: judged.dropped,
    model: extractive.name,
    usage: { inputTokens: 0, outputTokens: 0 },
    priceMicroDollars: 0,
    state: scopeState(ports.platform.digest, scope),
    segments: [],
  };
}

async function commitFallback(
  ports: RefreshPorts,
  scope: BatchScope,
  { made, failed, policy, embed }: FallbackRules & { made: MadeFacts; failed: ScopeRecord },
): Promise<boolean> {
  const { platform, store } = ports;
  const { record, lease } = scope;
  const { tenant, layer } = record;
  const summary = await summaryOf(ports, scope, { made, policy, embed });
  const { id: summaryId, recipeHash, sourceCount, facts, trigger, model } = summary;
  const now = platform.clock();
  const committed = applyCommit(
    { ...record, lease: { ...lease, recipeHash } },
    { ...made.state, cited: citedIds(summary), generated: true },
    { policy: duePolicyOf(policy, layer), now },
  );
  // It stays a dead letter or held: readers see that, and the next attempt is when it was to be.
  const { deadLetter, attempts, dueAt, dueTrigger, hold } = failed;
  return store.summaries.commit({
    summary,
    scope: { ...committed, deadLetter, attempts, dueAt, dueTrigger, hold },
    outcome: 'Generated',
    event: {
      tenant,
      id: platform.newId(),
      at: now,
      type: 'memory_summary_created',
      attributes: { summaryId, layer, sourceCount, facts: facts.length, trigger, model },
    },
  });
}
