/** The batch window: how long due scopes wait for company (design 6.17); tumbling. */
import { HORIZON_MS, type WindowReading } from './contract.ts';
import type { TenantPolicy } from './policy.ts';
import type { ScopeRecord } from './records/scope-record.ts';

/**
 * A window opens with the first due mark and closes a fixed time later, so steady traffic cannot
 * hold it open. An urgent scope closes it when it is due.
 */
export function readWindowOf(
  due: readonly ScopeRecord[],
  { policy, wanted, now }: { policy: TenantPolicy; wanted: number; now: number },
): WindowReading {
  const soon = due.filter(
    (scope) => closesAt(scope, policy) <= now + HORIZON_MS || isDue(scope, now),
  );
  if (soon.length === 0) return { kind: 'Idle', wanted };
  const closes = Math.min(...soon.map((scope) => closesAt(scope, policy)));
  return {
    kind: 'Open',
    wanted,
    closesInMs: Math.max(0, closes - now),
    pending: soon.length,
    layers: [...new Set(soon.map((scope) => scope.layer))],
    urgent: soon.some((scope) => scope.dueTrigger === 'Urgent'),
  };
}

function isDue(scope: ScopeRecord, now: number): boolean {
  return scope.dueAt !== null && scope.dueAt <= now;
}

function closesAt(scope: ScopeRecord, policy: TenantPolicy): number {
  // An expiry is due without a mark: no write happens when time alone passes. After a failure only
  // the mark counts, which the failure has put off.
  const expiry = scope.attempts > 0 ? null : scope.nextExpiryAt;
  const dueAt = Math.min(scope.dueAt ?? Infinity, expiry ?? Infinity);
  if (scope.dueTrigger === 'Urgent') return dueAt;
  return dueAt + policy.layers[scope.layer].batchWindowMs;
}
