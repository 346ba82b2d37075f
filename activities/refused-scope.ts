/** A scope of whose answer too little is supported: tried again, or given up. */
import type { Refusal } from '#core/grounding/grounding.ts';
import type { ItemJudgement } from '#core/refresh/item-judgement.ts';
import { applyFailure } from '#core/refresh/scope-failure.ts';
import type { BatchScope } from './batch.ts';
import { countDeadLetter, countFacts } from './refresh-metrics.ts';
import type { RefreshPorts } from './refresh-ports.ts';
import { writeFailed, type FallbackRules } from './extractive-fallback.ts';

interface Refused extends FallbackRules {
  readonly judged: Pick<ItemJudgement, 'facts' | 'dropped'>;
}

/**
 * The previous summary stays, and the reason is kept. With the last attempt the scope is given up;
 * where it has no summary of a model then, the extractive one stands in, stale with the reason.
 * Null where somebody wrote to the scope after its sources were read.
 */
export async function refuse(
  ports: RefreshPorts,
  scope: BatchScope,
  { judged, ...rules }: Refused,
): Promise<'refused' | null> {
  const { store, platform } = ports;
  const { record } = scope;
  const { facts, dropped } = judged;
  const reason: Refusal = facts.length === 0 ? 'NoGroundedFact' : 'LowGrounding';
  const now = platform.clock();
  const failed = applyFailure(record, { code: 'MODEL_OUTPUT_INVALID', reason }, now);
  if (!(await writeFailed(ports, scope, { ...rules, failed }))) return null;
  countFacts(ports.metrics, { kept: facts.length, dropped });
  countDeadLetter(ports.metrics, failed);
  await store.events.append({
    tenant: record.tenant,
    id: platform.newId(),
    at: now,
    type: 'memory_summary_refused',
    attributes: { layer: record.layer, reason, kept: facts.length, dropped: dropped.length },
  });
  return 'refused';
}
