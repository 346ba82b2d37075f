/** Activity: gives the scopes of a batch back, with or without a failure of theirs. */
import type { ErrorCode } from '#core/errors.ts';
import type { Exhaustion } from '#core/records/account.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import {
  applyExhausted,
  applyFailure,
  applyUnavailable,
  isUnavailable,
} from '#core/refresh/scope-failure.ts';
import { policyInForce } from '#core/policy/tenant-policy.ts';
import { loadBatch, type BatchKey, type BatchScope } from './batch.ts';
import { embedOnce } from './context-vector.ts';
import { settleLostAttempts } from './lost-attempts.ts';
import { countDeadLetter } from './refresh-metrics.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';
import { writeFailed, type FallbackRules } from './extractive-fallback.ts';

/** Writers that may come in between before a scope is left to the end of its lease. */
const RELEASE_TRIES_MAX = 8;

/** What a model says of no other question either: a text without a model stands in at last. */
const FINAL: ReadonlySet<ErrorCode> = new Set(['PROVIDER_REJECTED', 'CONTENT_TOO_LONG']);

/**
 * Codes after which a scope without a summary is given the text that no model makes. FORBIDDEN is
 * said of a tenant that was let go of as well, and nothing is written for that one.
 */
function standsIn(code: ErrorCode): boolean {
  return FINAL.has(code) || (isUnavailable(code) && code !== 'FORBIDDEN');
}

interface Release {
  readonly tenant: string;
  readonly batchId: string;
  readonly code: ErrorCode;
  /** With BUDGET_EXHAUSTED: what the budget lacked, for whoever asks why the scope waits. */
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
    const scopes = standsIn(release.code)
      ? await loadBatch(ports, { tenant, batchId })
      : await leasedScopes(ports, { tenant, batchId });
    if (scopes.length === 0) break;
    for (const scope of scopes) {
      const written = await writeRelease(ports, scope, { ...release, policy, embed, call });
      if (written?.deadLetter != null) deadLettered += 1;
    }
  }
  return { deadLettered };
}

/** Without their sources, which only a text that stands in is made of. */
async function leasedScopes(
  { store }: RefreshPorts,
  { tenant, batchId }: BatchKey,
): Promise<readonly BatchScope[]> {
  const records = await store.scopes.leased(tenant, { batchId });
  return records.flatMap((record) => {
    const { lease } = record;
    return lease === null ? [] : [{ record, lease, audience: '', about: null, sources: [] }];
  });
}

/** Gives one scope back. Null where somebody wrote to it meanwhile. */
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
    ? await writeFailed(ports, scope, { ...rules, failed })
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
