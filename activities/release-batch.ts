/** Activity: releases the scopes of a batch, and records a failure if they had one. */
import type { ErrorCode } from '#core/error-codes.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import type { Exhaustion } from '#core/records/account.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Summary } from '#core/records/summary.ts';
import {
  applyExhausted,
  applyFailure,
  applyUnavailable,
  isUnavailable,
  waitsForModel,
} from '#core/refresh/retries-and-dead-letters.ts';
import { loadBatch, type BatchScope, scopeState } from './load-batch.ts';
import { settleLostAttempts } from './settle-lost-reservations.ts';
import {
  commitSummary,
  embedOnce,
  type Embed,
  summaryOf,
  quotedFacts,
  type MadeFacts,
} from './answers-to-summary.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';
import { countDeadLetter } from './refresh-metrics.ts';
import { planScope, wholePart } from './plan-segments.ts';

/** Conflicting writes tolerated before a scope is left to the end of its lease. */
const RELEASE_TRIES_MAX = 8;

/** Codes of failures that no retry fixes: a text without a model is the last fallback. */
const FINAL: ReadonlySet<ErrorCode> = new Set(['PROVIDER_REJECTED', 'CONTENT_TOO_LONG']);

/**
 * Whether a scope without a summary gets the extractive text after this failure. FORBIDDEN may also
 * mean that the tenant was released, and nothing is written for such a tenant.
 */
function standsIn(code: ErrorCode): boolean {
  return FINAL.has(code) || (isUnavailable(code) && code !== 'FORBIDDEN');
}

interface Release {
  readonly tenant: string;
  readonly batchId: string;
  readonly code: ErrorCode;
  /** With BUDGET_EXHAUSTED: what the budget lacked, to explain why the scope waits. */
  readonly exhaustion?: Exhaustion;
}

export async function releaseBatch(
  ports: RefreshPorts,
  { tenant, batchId, ...release }: Release,
  call: ActivityCall,
): Promise<{ readonly deadLettered: number }> {
  const { store } = ports;
  await settleLostAttempts(ports, { tenant, batchId });
  // The scopes come back in another batch, so the answers for this one are useless.
  await store.answers.close(tenant, batchId);
  const policy = await policyInForce(store.policies, tenant);
  const embed = embedOnce(ports, call);
  let deadLettered = 0;
  for (let tries = 0; tries < RELEASE_TRIES_MAX; tries += 1) {
    // Only a fallback text needs the sources.
    const scopes = await loadBatch(ports, { tenant, batchId }, standsIn(release.code));
    if (scopes.length === 0) break;
    for (const scope of scopes) {
      const written = await writeRelease(ports, scope, { ...release, policy, embed, call });
      if (written?.deadLetter != null) deadLettered += 1;
    }
  }
  return { deadLettered };
}

/** Releases one scope. Null if it changed meanwhile. */
export async function writeRelease(
  ports: RefreshPorts,
  scope: BatchScope,
  { code, exhaustion, ...rules }: FallbackRules & Pick<Release, 'code' | 'exhaustion'>,
): Promise<ScopeRecord | null> {
  const { store, platform } = ports;
  const { tenant, layer } = scope.record;
  const now = platform.clock();
  const failed = releasedRecord(scope.record, { code, exhaustion }, now);
  const written = standsIn(code)
    ? await writeFailedScope(ports, scope, { ...rules, failed })
    : await store.scopes.replace(failed);
  if (!written) return null;
  if (failed.deadLetter === null) return failed;
  countDeadLetter(ports.metrics, failed);
  await store.events.append({
    tenant,
    id: platform.newId(),
    at: now,
    type: 'memory_batch_dead_lettered',
    attributes: { layer, code, attempts: failed.attempts },
  });
  return failed;
}

function releasedRecord(
  record: ScopeRecord,
  { code, exhaustion }: { code: ErrorCode; exhaustion: Exhaustion | undefined },
  now: number,
): ScopeRecord {
  if (code === 'BUDGET_EXHAUSTED') return applyExhausted(record, exhaustion ?? null, now);
  if (isUnavailable(code)) return applyUnavailable(record, now, code);
  return applyFailure(record, { code, reason: code }, now);
}

/** What it takes to write a fallback text: for a dead letter, or a scope without its model. */
export interface FallbackRules {
  readonly policy: TenantPolicy;
  readonly embed: Embed;
  readonly call: ActivityCall;
}

const REFUSED_ANSWER: ErrorCode = 'MODEL_OUTPUT_INVALID';

/**
 * Writes the record of a failed scope. The extractive summary is the fallback in two cases: for a
 * dead letter without a model's summary, and for a scope that waits for its model, or got a useless
 * answer, and has no summary at all. Returns false if the scope changed meanwhile.
 */
export async function writeFailedScope(
  ports: RefreshPorts,
  scope: BatchScope,
  { failed, ...rules }: FallbackRules & { failed: ScopeRecord },
): Promise<boolean> {
  const before = await ports.store.summaries.get(scope.record, scope.audience);
  const isWaiting = waitsForModel(failed) || failed.hold?.code === REFUSED_ANSWER;
  const isPending = failed.deadLetter === null ? isWaiting && before === null : true;
  const made = isPending ? await extractiveFallback(ports, scope, { ...rules, before }) : null;
  if (made === null) return ports.store.scopes.replace(failed);
  const summary = await summaryOf(ports, scope, { ...rules, made });
  const { policy } = rules;
  return commitSummary(ports, scope, { policy, summary, state: made.state, failed });
}

/** Extractive facts; null if there is a model's summary, or the scope is too large. */
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
